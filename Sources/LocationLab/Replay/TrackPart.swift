import LocationCore
import LocationFormats

/// What is replayed as one track: a file, or one segment of it.
struct TrackPart: Sendable {
  /// The file; `-` for standard input.
  var path: String
  /// The only segment; nil for all.
  var segment: Segment?

  /// A segment that has been read.
  struct Segment: Sendable {
    /// Its place in the file, from 1.
    var number: Int
    var items: ArraySlice<TrackItem>
    /// What is said of the whole file.
    var notes: [String]
  }

  /// The file, or standard input, with the number of the segment.
  var name: String {
    let file = InputFile.name(of: path)
    return segment.map { "\(file)#\($0.number)" } ?? file
  }

  /// Each segment of each track; all of them are kept in memory. A track that can't be read stays whole, so that its
  /// replay tells why.
  static func eachSegment(of tracks: [String], options: TrackOptions) -> [TrackPart] {
    var options = options
    // The number of a segment is that of its place in the file.
    options.order = .points
    return tracks.flatMap { track in
      var items: [TrackItem] = []
      let notes: [String]
      do throws(Failure) {
        var reader = try TrackReader(path: track, options: options)
        var batch: [TrackItem] = []
        while try reader.read(into: &batch) { items += batch }
        notes = reader.notes
      } catch {
        return [TrackPart(path: track)]
      }
      let segments = items.split(separator: .segmentBreak)
      if segments.count < 2 { return [TrackPart(path: track)] }
      return zip(1..., segments).map { number, items in
        TrackPart(path: track, segment: Segment(number: number, items: items, notes: notes))
      }
    }
  }
}

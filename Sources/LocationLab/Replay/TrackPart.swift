import LocationCore
import LocationFormats

/// What is replayed as one track: a file, or one segment of it.
struct TrackPart: Hashable, Sendable {
  /// The file; `-` for standard input.
  var path: String
  /// The only segment, from 1; nil for all.
  var segment: Int?

  /// The file with the number of the segment.
  var name: String { segment.map { "\(path)#\($0)" } ?? path }

  /// Each segment of each track. A track that can't be read stays whole, so that its replay tells why.
  static func eachSegment(of tracks: [String], options: TrackOptions) -> [TrackPart] {
    tracks.flatMap { track in
      var breaks = 0
      var options = options
      options.sortsSegments = false
      do throws(Failure) {
        var reader = try TrackReader(path: track, options: options)
        var batch: [TrackItem] = []
        while try reader.read(into: &batch) {
          for item in batch where item == .segmentBreak { breaks += 1 }
        }
      } catch {
        return [TrackPart(path: track)]
      }
      if breaks == 0 { return [TrackPart(path: track)] }
      return (1...(breaks + 1)).map { TrackPart(path: track, segment: $0) }
    }
  }
}

import LocationCore
import LocationFormats
import TestSupport

/// Everything that a reader says of a track that comes in pieces: items, notes, lines and trouble.
struct Transcript: Equatable, CustomStringConvertible {
  /// Values bit by bit, because NaN is not equal to itself.
  var items: [[UInt64]] = []
  var notes: [String] = []
  var firstPointLine: Int?
  var line = 0
  var census: GPXAssembler.Census?
  var trouble: String?

  /// What comes of GPX with or without the scanner.
  ///
  /// - Parameter pieces: how many bytes come at a time, again and again.
  init(gpx bytes: [UInt8], pieces: [Int], scans: Bool) throws {
    var track = try GPXTrack(file: "f", assumeAccuracyMeters: nil, scans: scans)
    feed(bytes, pieces) { piece, items throws(Failure) in try track.read(piece, into: &items) }
    (notes, firstPointLine, line, census) = (track.notes, track.firstPointLine, track.line, track.census)
  }

  /// What comes of JSON lines with or without the scanner.
  init(lines bytes: [UInt8], pieces: [Int], scans: Bool) {
    var track = LineTrack(file: "f", assumeAccuracyMeters: nil, scans: scans)
    feed(bytes, pieces) { piece, items throws(Failure) in try track.read(piece, into: &items) }
    (notes, firstPointLine, line) = (track.notes, track.firstPointLine, track.line)
  }

  /// Short, for an expectation's comment.
  var description: String { "\(items.count) items, line \(line), \(trouble ?? "no trouble"), \(notes)" }

  private mutating func feed(
    _ bytes: [UInt8], _ pieces: [Int],
    _ read: (borrowing ScanPiece, inout [TrackItem]) throws(Failure) -> Void
  ) {
    var found: [TrackItem] = []
    do throws(Failure) {
      var start = 0
      var turn = 0
      while start < bytes.count {
        let end = min(bytes.count, start + max(1, pieces[turn % pieces.count]))
        try read(ScanPiece(bytes.span.extracting(start..<end)), &found)
        start = end
        turn += 1
      }
      try read(ScanPiece(capacity: 1), &found)
    } catch {
      // In which column the parser sees that something is wrong depends on how far it sees ahead, and a point that the
      // scanner might take ends what it sees: `d<trkpt` behind the document is junk, or a name with a bad letter.
      let text = "\(error)"
      trouble = String(text[..<(text.firstRange(of: " at column ")?.lowerBound ?? text.endIndex)])
    }
    items = found.map(Self.bits)
  }

  private static func bits(_ item: TrackItem) -> [UInt64] {
    guard case .fix(let fix) = item else { return [] }
    let numbers = [
      fix.latitude, fix.longitude, fix.accuracy.radiusMeters, fix.speedMetersPerSecond ?? -1,
      fix.courseDegrees ?? -1, fix.altitudeMeters ?? -.infinity,
    ]
    let time = fix.time.map { UInt64(bitPattern: $0.microseconds) } ?? .max
    let source: UInt64
    switch fix.accuracy.source {
    case .reported: source = 0
    case .hdop: source = 1
    case .assumed: source = 2
    }
    // Every NaN is the same here: no value, whatever its sign.
    return numbers.map { $0.isNaN ? 0x7FF8 << 48 : $0.bitPattern } + [
      time, UInt64(fix.mode.rawValue), source,
    ]
  }
}

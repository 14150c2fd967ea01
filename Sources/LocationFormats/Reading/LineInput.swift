package import LocationCore

/// The lines of a file or of standard input, unpacked where it is gzip.
package struct LineInput: ~Copyable {
  private var input: InputBytes
  private var piece = ScanPiece(capacity: InputHead.pieceBytes)
  /// How much of the piece was handed out.
  private var offset = 0
  /// What has come of a line whose end has not.
  private var partial: [UInt8] = []
  private var isAtEnd = false
  private let limit: Int
  private var scanner: FixLineScanner
  /// As the user named it; `<stdin>` for `-`.
  package let name: String
  /// The number of the line found last, from 1; 0 before the first.
  package private(set) var number = 0

  /// - Parameters:
  ///   - limit: the longest line that is accepted, bytes.
  ///   - assumeAccuracyMeters: see ``TrackOptions``.
  /// - Throws: `.noInput`, `.noPermission`, `.io` where it can't be read.
  package init(path: String, limit: Int, assumeAccuracyMeters: Double?) throws(Failure) {
    input = try InputBytes(path: path)
    name = InputFile.name(of: path)
    self.limit = limit
    scanner = FixLineScanner(assumeAccuracyMeters: assumeAccuracyMeters)
  }

  /// Whether a line is the first of a track or of a recording.
  package static func beginsTrack(_ line: [UInt8]) -> Bool {
    switch TrackFormat(line.span, isWhole: true) {
    case .xml, .kml, .sentences, .table, .recording: true
    // Lines of JSON may be those of many tracks. What else converters read is told by more than a line.
    case .jsonLines, .foreign, .undecided, .other: false
    }
  }

  /// A line of the input.
  package enum Line {
    /// Its bytes, without the end of the line.
    case whole([UInt8])
    /// The input has passed over it, for the reason that the failure gives.
    case tooLong(Failure)
  }

  /// Bytes of a line that are passed over before the input gives up: 64 MiB. Our choice.
  private static let endlessBytes = 64 << 20

  /// The next line; nil after the last.
  ///
  /// - Throws: `.data` where a line does not end: reading can't go on.
  package mutating func next() throws(Failure) -> Line? {
    var isTooLong = false
    var skipped = 0
    while true {
      let end = piece.lineFeed(from: offset)
      if isTooLong {
        skipped += (end ?? piece.count) - offset
      } else {
        partial += piece.bytes[offset..<(end ?? piece.count)]
        isTooLong = partial.count > limit
      }
      if isTooLong { partial = [] }
      guard skipped < Self.endlessBytes else {
        throw Failure(
          .data, file: name, line: number + 1, what: "a line that does not end",
          remedy: "write one fix, or one path, a line")
      }
      if end != nil || isAtEnd {
        guard end != nil || isTooLong || !partial.isEmpty else { return nil }
        return take(to: end, isTooLong: isTooLong)
      }
      piece.removeAll()
      offset = 0
      isAtEnd = try input.read(into: &piece) == 0
    }
  }

  /// The line that is in `partial`, and ends in the piece or with the file.
  private mutating func take(to end: Int?, isTooLong: Bool) -> Line {
    number += 1
    offset = end.map { $0 + 1 } ?? piece.count
    guard !isTooLong else {
      return .tooLong(
        Failure(
          .data, file: name, line: number, what: "the line is too long",
          remedy: "at most \(limit) bytes are read as one line"))
    }
    if end != nil, partial.last == UInt8(ascii: "\r") { partial.removeLast() }
    defer { partial = [] }
    return .whole(partial)
  }

  /// Takes the lines that are at hand, begin alike and are plainly written fixes.
  ///
  /// - Parameters:
  ///   - beginning: as ``FixLineScanner`` has it.
  ///   - items: gets one fix a line.
  package mutating func takeFixes(beginning: [UInt8], into items: inout [TrackItem]) {
    let stop = scanner.takeLines(of: piece, from: offset, beginning: beginning, into: &items)
    offset = stop.offset
    number += stop.lines
  }
}

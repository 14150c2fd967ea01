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

  /// The next line without its end; nil after the last.
  ///
  /// - Throws: `.data` where it is too long: reading can't go on.
  package mutating func next() throws(Failure) -> [UInt8]? {
    while true {
      let end = piece.lineFeed(from: offset)
      partial += piece.bytes[offset..<(end ?? piece.count)]
      let isWhole = end != nil || isAtEnd
      if partial.count > limit || (isWhole && !(partial.isEmpty && end == nil)) { return try line(to: end) }
      if isWhole { return nil }
      piece.removeAll()
      offset = 0
      isAtEnd = try input.read(into: &piece) == 0
    }
  }

  /// The line that is in `partial`, and ends in the piece or with the file.
  private mutating func line(to end: Int?) throws(Failure) -> [UInt8] {
    number += 1
    guard partial.count <= limit else {
      throw Failure(.data, file: name, line: number, what: "the line is too long")
    }
    offset = end.map { $0 + 1 } ?? piece.count
    if end != nil, partial.last == UInt8(ascii: "\r") { partial.removeLast() }
    defer { partial = [] }
    return partial
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

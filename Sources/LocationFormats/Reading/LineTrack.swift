package import LocationCore

/// A track of JSON lines: the minimal form, OwnTracks's, GeoJSON features, gpsd's, or a mixture.
package struct LineTrack: FormatTrack {
  private let file: String
  private let assumeAccuracyMeters: Double?
  private var scanner: FixLineScanner?
  /// What has come of a line whose end has not.
  private var partial: [UInt8] = []
  private var gpsd: GPSDDecoder?
  private var hasFix = false
  private var otherObjects = 0
  private var skippedLines = 0
  package private(set) var line = 0
  package private(set) var firstPointLine: Int?

  /// The longest line that is read, bytes. gpsd's own limit is 10,240 (`GPS_JSON_RESPONSE_MAX`).
  static let maximumLineBytes = 1 << 16

  /// - Parameters:
  ///   - assumeAccuracyMeters: see ``TrackOptions``.
  ///   - scans: whether plain lines go to the scanner.
  package init(file: String, assumeAccuracyMeters: Double?, scans: Bool = true) {
    self.file = file
    self.assumeAccuracyMeters = assumeAccuracyMeters
    scanner = scans ? FixLineScanner(assumeAccuracyMeters: assumeAccuracyMeters) : nil
  }

  package var notes: [String] {
    var notes: [String] = []
    if skippedLines > 0 { notes.append("\(skippedLines) lines that are not JSON, skipped") }
    if let gpsd {
      if gpsd.otherDevicesReports > 0 {
        notes.append("\(gpsd.otherDevicesReports) reports of other devices, left out")
      }
      if gpsd.unreadable > 0 { notes.append("\(gpsd.unreadable) reports that libgps can't read") }
    }
    if otherObjects > 0 {
      notes.append("\(Wording.count(otherObjects, "object")) without a position, skipped")
    }
    return notes
  }

  package var emptiness: String { "no position in any line" }

  package mutating func read(_ piece: borrowing ScanPiece, into batch: inout [TrackItem]) throws(Failure) {
    do throws(Failure) {
      if piece.count > 0 { try readLines(of: piece, into: &batch) } else { try readLast(into: &batch) }
    } catch {
      flush(into: &batch)
      throw error
    }
    if piece.count == 0 { flush(into: &batch) }
  }

  /// Appends what waits to be completed by lines that won't come.
  package mutating func flush(into batch: inout [TrackItem]) { gpsd?.flush(into: &batch) }

  private mutating func readLines(
    of piece: borrowing ScanPiece, into batch: inout [TrackItem]
  ) throws(Failure) {
    var offset = 0
    while offset < piece.count {
      if partial.isEmpty { scan(piece, from: &offset, into: &batch) }
      let end = piece.lineFeed(from: offset)
      let text = piece.bytes.span.extracting(offset..<(end ?? piece.count))
      guard partial.count + text.count <= Self.maximumLineBytes else {
        line += 1
        throw failure(Self.tooLong, remedy: Self.lineRemedy)
      }
      guard let end else { return keep(text) }
      offset = end + 1
      line += 1
      if partial.isEmpty {
        try read(text, into: &batch)
      } else {
        keep(text)
        try readPartial(into: &batch)
      }
    }
  }

  /// Hands the scanner what comes next. Once gpsd has spoken, all lines are read in one way.
  private mutating func scan(
    _ piece: borrowing ScanPiece, from offset: inout Int, into batch: inout [TrackItem]
  ) {
    guard gpsd == nil, let stop = scanner?.takeLines(of: piece, from: offset, into: &batch), stop.lines > 0
    else { return }
    hasFix = true
    firstPointLine = firstPointLine ?? line + 1
    line += stop.lines
    offset = stop.offset
  }

  private mutating func keep(_ text: Span<UInt8>) {
    unsafe text.withUnsafeBufferPointer { unsafe partial.append(contentsOf: $0) }
  }

  private mutating func readPartial(into batch: inout [TrackItem]) throws(Failure) {
    let whole = partial
    partial = []
    try read(whole.span, into: &batch)
  }

  /// Reads what stands after the last line feed.
  private mutating func readLast(into batch: inout [TrackItem]) throws(Failure) {
    guard !partial.isEmpty else { return }
    line += 1
    try readPartial(into: &batch)
  }

  /// Reads a line without its line feed.
  private mutating func read(_ text: Span<UInt8>, into batch: inout [TrackItem]) throws(Failure) {
    let hasMark = line == 1 && text.startsWithByteOrderMark
    let text = text.extracting((hasMark ? 3 : 0)...)
    let start = text.rangeWithinXMLSpace.lowerBound
    guard start < text.count else { return }
    if text[start] != UInt8(ascii: "{"), gpsd != nil || !hasFix {
      // A log of gpsd may begin with comments and may hold raw sentences.
      skippedLines += 1
      return
    }
    switch FixLine(text, assumeAccuracyMeters: assumeAccuracyMeters) {
    case .fix(let report):
      hasFix = true
      firstPointLine = firstPointLine ?? line
      batch.append(.fix(report))
    case .gpsd(let scan):
      let decoder: GPSDDecoder
      if let gpsd {
        decoder = gpsd
      } else {
        decoder = try GPSDDecoder(assumeAccuracyMeters: assumeAccuracyMeters)
        gpsd = decoder
      }
      if scan.kind == .tpv { firstPointLine = firstPointLine ?? line }
      decoder.read(text, scan, into: &batch)
    case .other:
      guard let report = FeatureLine.report(text, assumeAccuracyMeters: assumeAccuracyMeters) else {
        otherObjects += 1
        return
      }
      hasFix = true
      firstPointLine = firstPointLine ?? line
      batch.append(.fix(report))
    case .malformed(let why):
      throw failure(
        why, remedy: hasFix || gpsd != nil ? Self.lineRemedy : "one JSON object a line is accepted")
    }
  }

  /// What is wrong with a line that is longer than any.
  static let tooLong = "the line is longer than \(maximumLineBytes >> 10) KiB"
  /// What to do about a line among good ones.
  package static let lineRemedy = "mend the line, or take it out"

  private func failure(_ what: String, remedy: String? = nil) -> Failure {
    Failure(.data, file: file, line: max(line, 1), what: what, remedy: remedy)
  }
}

package import LocationCore

/// A track of JSON lines: the minimal form, OwnTracks's, gpsd's, or a mixture.
package struct LineTrack {
  private let file: String
  private let assumeAccuracyMeters: Double?
  private var buffer = LineBuffer(limit: LineTrack.maximumLineBytes)
  private var gpsd: GPSDDecoder?
  private var hasFix = false
  private var otherObjects = 0
  private var skippedLines = 0
  /// The line of the first position; nil before it.
  package private(set) var firstPointLine: Int?

  /// The longest line that is read, bytes. gpsd's own limit is 10,240 (`GPS_JSON_RESPONSE_MAX`).
  static let maximumLineBytes = 1 << 16

  package init(file: String, assumeAccuracyMeters: Double?) {
    self.file = file
    self.assumeAccuracyMeters = assumeAccuracyMeters
  }

  /// The line last read, from 1.
  package var line: Int { buffer.number }

  /// What was taken generously.
  package var notes: [String] {
    var notes: [String] = []
    if skippedLines > 0 { notes.append("\(skippedLines) lines that are not JSON, skipped") }
    if let gpsd {
      if gpsd.otherDevicesReports > 0 {
        notes.append("\(gpsd.otherDevicesReports) reports of other devices, left out")
      }
      if gpsd.unreadable > 0 { notes.append("\(gpsd.unreadable) reports that libgps can't read") }
    }
    if otherObjects > 0 { notes.append("\(otherObjects) objects without a position, skipped") }
    return notes
  }

  /// Reads the whole lines of what has come so far; an empty piece ends the track.
  package mutating func parse(_ piece: Span<UInt8>, isFinal: Bool, into batch: inout [TrackItem])
    throws(Failure)
  {
    buffer.append(piece)
    let bytes = buffer.bytes
    do throws(Failure) {
      try readLines(of: bytes.span, isFinal: isFinal, into: &batch)
    } catch {
      flush(into: &batch)
      throw error
    }
    if isFinal { flush(into: &batch) }
  }

  /// Appends what waits to be completed by lines that won't come.
  package mutating func flush(into batch: inout [TrackItem]) { gpsd?.flush(into: &batch) }

  private mutating func readLines(
    of bytes: Span<UInt8>, isFinal: Bool, into batch: inout [TrackItem]
  ) throws(Failure) {
    reading: while true {
      switch buffer.next() {
      case .line(let range): try read(bytes.extracting(range), into: &batch)
      case .tooLong: throw failure("the line is longer than \(Self.maximumLineBytes >> 10) KiB")
      case .none: break reading
      }
    }
    if isFinal, let range = buffer.last() { try read(bytes.extracting(range), into: &batch) }
  }

  private mutating func read(_ line: Span<UInt8>, into batch: inout [TrackItem]) throws(Failure) {
    let hasMark = buffer.number == 1 && line.startsWithByteOrderMark
    let line = line.extracting((hasMark ? 3 : 0)...)
    let start = line.rangeWithinXMLSpace.lowerBound
    guard start < line.count else { return }
    if line[start] != UInt8(ascii: "{"), gpsd != nil || !hasFix {
      // A log of gpsd may begin with comments and may hold raw sentences.
      skippedLines += 1
      return
    }
    switch FixLine(line, assumeAccuracyMeters: assumeAccuracyMeters) {
    case .fix(let report):
      hasFix = true
      firstPointLine = firstPointLine ?? buffer.number
      batch.append(.fix(report))
    case .gpsd(let scan):
      let decoder: GPSDDecoder
      if let gpsd {
        decoder = gpsd
      } else {
        decoder = try GPSDDecoder(assumeAccuracyMeters: assumeAccuracyMeters)
        gpsd = decoder
      }
      if scan.kind == .tpv { firstPointLine = firstPointLine ?? buffer.number }
      decoder.read(line, scan, into: &batch)
    case .other:
      otherObjects += 1
    case .malformed(let why):
      throw failure(why, remedy: hasFix || gpsd != nil ? nil : "one JSON object a line is accepted")
    }
  }

  private func failure(_ what: String, remedy: String? = nil) -> Failure {
    Failure(.data, file: file, line: max(buffer.number, 1), what: what, remedy: remedy)
  }
}

import LocationCore

/// A track of JSON lines: the minimal form, OwnTracks's, gpsd's, or a mixture.
struct LineTrack {
  private let file: String
  private let assumeAccuracyMeters: Double?
  private var buffer = LineBuffer(limit: LineTrack.maximumLineBytes)
  private var isGPSD = false
  private var hasFix = false
  private var otherObjects = 0
  private var skippedLines = 0
  /// The line of the first position; nil before it.
  private(set) var firstPointLine: Int?

  /// The longest line that is read, bytes. gpsd's own limit is 10,240 (`GPS_JSON_RESPONSE_MAX`).
  static let maximumLineBytes = 1 << 16

  init(file: String, assumeAccuracyMeters: Double?) {
    self.file = file
    self.assumeAccuracyMeters = assumeAccuracyMeters
  }

  /// The line last read, from 1.
  var line: Int { buffer.number }

  var notes: [String] {
    var notes: [String] = []
    if skippedLines > 0 { notes.append("\(skippedLines) lines that are not JSON, skipped") }
    if otherObjects > 0 { notes.append("\(otherObjects) objects without a position, skipped") }
    return notes
  }

  /// Reads the whole lines of what has come so far; an empty piece ends the track.
  mutating func parse(_ piece: Span<UInt8>, isFinal: Bool, into batch: inout [TrackItem]) throws(Failure) {
    buffer.append(piece)
    let bytes = buffer.bytes
    reading: while true {
      switch buffer.next() {
      case .line(let range): try read(bytes.span.extracting(range), into: &batch)
      case .tooLong: throw failure("the line is longer than \(Self.maximumLineBytes >> 10) KiB")
      case .none: break reading
      }
    }
    if isFinal, let range = buffer.last() { try read(bytes.span.extracting(range), into: &batch) }
  }

  private mutating func read(_ line: Span<UInt8>, into batch: inout [TrackItem]) throws(Failure) {
    let start = line.rangeWithinXMLSpace.lowerBound
    guard start < line.count else { return }
    if line[start] != UInt8(ascii: "{"), isGPSD || !hasFix {
      // A log of gpsd may begin with comments and may hold raw sentences.
      skippedLines += 1
      return
    }
    switch FixLine(line, assumeAccuracyMeters: assumeAccuracyMeters) {
    case .fix(let report):
      hasFix = true
      firstPointLine = firstPointLine ?? buffer.number
      batch.append(.fix(report))
    case .gpsd:
      isGPSD = true
      throw failure("gpsd's JSON is not read yet")
    case .other:
      otherObjects += 1
    case .malformed(let why):
      throw failure(why)
    }
  }

  private func failure(_ what: String, remedy: String? = nil) -> Failure {
    Failure(.data, file: file, line: max(buffer.number, 1), what: what, remedy: remedy)
  }
}

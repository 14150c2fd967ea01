package import LocationCore

/// A log of NMEA 0183 sentences: what a receiver or a boat's network says. Other sentences than those of a position,
/// such as AIS, are passed over.
package struct NMEATrack: FormatTrack {
  private var buffer = LineBuffer(limit: NMEASentence.maximumLineBytes)
  private var decoder = NMEADecoder()
  private var track: GPSDTrack
  /// Reports before the first date.
  private var undated: [GPSDReport] = []
  /// Whether there were more of them than are kept: they are taken as they come.
  private var isUndated = false
  private var leftOut = 0
  private var damaged = 0
  /// Sentences whose checksum is wrong.
  private var mischecked = 0
  package private(set) var firstPointLine: Int?

  /// Reports that are kept until the date is known: an hour of a fast receiver.
  private static let maximumUndated = 36_000

  /// - Parameter assumeAccuracyMeters: the accuracy of a position that states none, metres, 68 %; nil for the usual.
  package init(assumeAccuracyMeters: Double?) {
    track = GPSDTrack(assumeAccuracyMeters: assumeAccuracyMeters)
    track.found(0, driver: .nmea0183)
  }

  package var line: Int { buffer.number }

  package var notes: [String] {
    var notes: [String] = []
    if leftOut > 0 { notes.append("\(Wording.count(leftOut, "position")) before the first date, left out") }
    if damaged > 0 { notes.append("\(Wording.count(damaged, "damaged sentence")), skipped") }
    return notes
  }

  package var emptiness: String {
    let count = Wording.count(mischecked, "sentence")
    return "no position in it" + (mischecked == 0 ? "" : ", but \(count) with a wrong checksum")
  }

  package mutating func read(
    _ piece: borrowing ScanPiece, into batch: inout [TrackItem]
  ) throws(Failure) {
    guard piece.count > 0 else {
      let text = buffer.bytes
      if let range = buffer.last() { read(text.span.extracting(range), into: &batch) }
      return finish(into: &batch)
    }
    buffer.append(piece.bytes.span.extracting(..<piece.count))
    let text = buffer.bytes
    while true {
      switch buffer.next() {
      case .line(let range): read(text.span.extracting(range), into: &batch)
      case .tooLong:
        damaged += 1
        buffer.skipTooLong()
      case .none: return
      }
    }
  }

  /// Reads the sentences of a line: nearly always one, more where the end of a line was lost.
  private mutating func read(_ line: Span<UInt8>, into batch: inout [TrackItem]) {
    var start = 0
    for index in 1..<max(1, line.count) where line[index] == UInt8(ascii: "$") {
      read(sentence: line.extracting(start..<index), into: &batch)
      start = index
    }
    read(sentence: line.extracting(start...), into: &batch)
  }

  private mutating func read(sentence line: Span<UInt8>, into batch: inout [TrackItem]) {
    guard let sentence = NMEASentence(line) else {
      if NMEASentence(line, verifies: false) != nil { mischecked += 1 }
      // AIS and a logger's own lines are no damage.
      if line.count > 2, line[0] == UInt8(ascii: "$"), line[1] == UInt8(ascii: "G") { damaged += 1 }
      return
    }
    let hadDate = decoder.hasDate
    let outcome = decoder.read(sentence)
    if !hadDate, decoder.hasDate {
      leftOut = undated.count
      undated = []
    }
    switch outcome {
    case .position(let report):
      firstPointLine = firstPointLine ?? buffer.number
      guard decoder.hasDate || isUndated else {
        undated.append(report)
        guard undated.count >= Self.maximumUndated else { return }
        isUndated = true
        return takeUndated(into: &batch)
      }
      take(report, into: &batch)
    case .deviations(let time, let latitude, let longitude):
      track.gst(device: 0, time: time, latitudeSigma: latitude, longitudeSigma: longitude)
    case .nothing: break
    }
  }

  private mutating func take(_ report: GPSDReport, into batch: inout [TrackItem]) {
    let instant = EngineInstant(microseconds: report.fix.time?.microseconds ?? 0)
    track.tpv(report, at: instant, into: &batch)
  }

  private mutating func takeUndated(into batch: inout [TrackItem]) {
    for report in undated { take(report, into: &batch) }
    undated = []
  }

  private mutating func finish(into batch: inout [TrackItem]) {
    takeUndated(into: &batch)
    track.flush(into: &batch)
  }
}

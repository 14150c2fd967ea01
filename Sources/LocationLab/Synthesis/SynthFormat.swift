import LocationFormats

/// The formats a synthetic track is written in.
package enum SynthFormat: String, CaseIterable, Sendable {
  /// GPX 1.1 with accuracy, speed and course as extensions.
  case gpx
  /// The minimal form: time, lat, lon, acc_m.
  case ndjson
  /// RMC and GGA, as a receiver sends them and gpsfake plays them to a real gpsd.
  case nmea

  /// The format that the name of a file asks for; nil where it asks for none of them.
  package init?(fileName: String) {
    guard let dot = fileName.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    self.init(rawValue: String(fileName[dot...].dropFirst()).lowercased())
  }
}

/// A synthetic track as text, in pieces: memory does not grow with its length.
package struct SynthText {
  private let scenario: SynthScenario
  private let format: SynthFormat
  private var track: SynthTrack
  /// How many fixes have been made so far.
  package private(set) var fixCount = 0

  /// - Parameters:
  ///   - scenario: What to make.
  ///   - seed: Instead of the scenario's own.
  ///   - format: How to write it.
  package init(_ scenario: SynthScenario, seed: UInt64? = nil, as format: SynthFormat) {
    var scenario = scenario
    if let seed { scenario.seed = seed }
    self.scenario = scenario
    self.format = format
    track = SynthTrack(scenario)
  }

  /// Where the receiver truly is.
  package var motion: SynthMotion { track.motion }

  /// Hands the text to `take` in pieces of about 64 KiB.
  package mutating func write<Trouble: Error>(
    to take: (borrowing [UInt8]) throws(Trouble) -> Void
  ) throws(Trouble) {
    var text: [UInt8] = []
    text.reserveCapacity(Self.pieceBytes + 1024)
    if format == .gpx { GPXText.appendHead(of: scenario, to: &text) }
    while let fix = track.next() {
      switch format {
      case .gpx: GPXText.append(fix, fields: scenario.fields, to: &text)
      case .ndjson: NDJSONText.append(fix, fields: scenario.fields, to: &text)
      case .nmea: NMEAText.append(fix, fields: scenario.fields, to: &text)
      }
      fixCount += 1
      guard text.count >= Self.pieceBytes else { continue }
      try take(text)
      text.removeAll(keepingCapacity: true)
    }
    if format == .gpx { GPXText.appendTail(to: &text) }
    if !text.isEmpty { try take(text) }
  }

  private static let pieceBytes = 1 << 16
}

extension [UInt8] {
  /// Appends text as it is.
  mutating func append(text: String) { append(contentsOf: text.utf8) }
}

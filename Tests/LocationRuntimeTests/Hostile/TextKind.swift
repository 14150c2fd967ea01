import FoundationEssentials
import LocationCore
import LocationFormats
import LocationLab
import LocationRuntime

/// What a text is that comes from a user, a program or a file. Fuzz/ tries the same with coverage, through a link.
enum TextKind: String, CaseIterable, Sendable {
  case manifest, scenario, settings, profile, synthesis
  /// GeoJSON, KML, GPX, CSV, OwnTracks or Home Assistant.
  case regions
  /// The first line of a recording.
  case recording
  /// A later line of a recording, or of the journal.
  case journal
  /// What a program says.
  case answer
  /// What a client of the control socket says, or any other JSON.
  case request
  /// An engine's state.
  case snapshot
  case time, circle

  /// What was said is not for a person.
  struct NotForPeople: Error { var text: String }

  /// Reads a text as what it is; what is wrong with it is said in one line for a person.
  ///
  /// - Parameter path: a file to write, for readers that take one.
  /// - Throws: whatever else came of it.
  func check(_ bytes: [UInt8], path: String) throws {
    do {
      try read(bytes, path: path)
    } catch let failure as Failure {
      try Self.isForPeople(failure.description, of: bytes)
    } catch let trouble as JournalLine.Trouble {
      try Self.isForPeople(trouble.what, of: bytes)
    } catch let error as JSONError {
      try Self.isForPeople(error.what, of: bytes)
    } catch is SnapshotFormat.Trouble {
      // Refused by its caller, which names the state file.
    }
  }

  private func read(_ bytes: [UInt8], path: String) throws {
    func stored() throws -> String {
      try Data(bytes).write(to: URL(filePath: path))
      return path
    }
    switch self {
    case .manifest: _ = try SubscriberManifest.read(path: stored())
    case .scenario: _ = try Scenario(path: stored(), subscribers: ["logger", "commute-logger"])
    case .settings:
      var configuration = EngineConfiguration()
      var daemon = DaemonSettings()
      try Settings.read(path: stored(), into: &configuration, &daemon)
    case .profile: _ = try PowerProfileFile.read(path: stored())
    case .synthesis: _ = try SynthScenario(yaml: bytes, file: "f")
    case .regions: _ = try RegionFile.read(bytes: bytes, name: "f", options: .init(defaultRadiusMeters: 50))
    case .recording: _ = try JournalLine.header(in: bytes)
    case .journal: _ = try JournalLine.stamped(in: bytes)
    case .answer: _ = SubscriberAnswer(line: bytes)
    case .request: _ = try JSONTree(bytes)
    case .snapshot: _ = try SnapshotFormat.snapshot(of: JSONTree(bytes), configuration: .standard).restored()
    case .time: _ = UTCTime(rfc3339: String(decoding: bytes, as: UTF8.self))
    case .circle: _ = try PlaceText.circle(String(decoding: bytes, as: UTF8.self))
    }
  }

  private static func isForPeople(_ text: String, of bytes: [UInt8]) throws {
    // A message may quote what it is about.
    let input = String(decoding: bytes, as: UTF8.self)
    let inner = ["DecodingError", "JSONError(", "Swift.", "Optional(", "Context("]
      .filter { !input.contains($0) }
    guard !text.isEmpty, !text.contains(where: \.isNewline), text.utf8.count < 2_000,
      !inner.contains(where: text.contains)
    else { throw NotForPeople(text: text) }
  }
}

import CFuzzer
import Foundation
import LocationCore
import LocationFormats
import LocationLab
import LocationRuntime

/// A text of one kind is read, or refused with one line for a person; the variable `KIND` says which.
@main
struct FuzzTexts {
  /// What may be read.
  enum Kind: String, CaseIterable {
    case manifest, scenario, settings, profile, synthesis, regions
    case recording, journal, answer, request, snapshot, time, circle
  }

  private static let kind = Kind(rawValue: ProcessInfo.processInfo.environment["KIND"] ?? "")
  /// For readers that take a path; in memory.
  private static let path = "/dev/shm/locwatch-fuzz-\(ProcessInfo.processInfo.processIdentifier)"

  static func main() {
    guard kind != nil else {
      fatalError("KIND is one of " + Kind.allCases.map(\.rawValue).joined(separator: ", "))
    }
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
    _ = unsafe LLVMFuzzerRunDriver(&count, &arguments) { unsafe FuzzTexts.check($0, $1) }
  }

  private static func check(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let kind else { return 0 }
    var bytes: [UInt8] = []
    if let start = unsafe start { bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count)) }
    do {
      try read(bytes, as: kind)
    } catch let failure as Failure {
      isForPeople(failure.description)
    } catch let trouble as JournalLine.Trouble {
      isForPeople(trouble.what)
    } catch let error as JSONError {
      isForPeople(error.what)
    } catch {
      // A snapshot that does not decode is refused by its caller, which names the state file.
      precondition(kind == .snapshot && error is DecodingError, "\(error)")
    }
    return 0
  }

  private static func read(_ bytes: [UInt8], as kind: Kind) throws {
    func stored() throws -> String {
      try Data(bytes).write(to: URL(filePath: path))
      return path
    }
    switch kind {
    case .manifest: _ = try SubscriberManifest.read(path: stored())
    case .scenario: _ = try Scenario(path: stored(), subscribers: ["logger", "commute-logger"])
    case .settings:
      var settings = DaemonSettings()
      try Settings.read(path: stored(), into: &settings)
    case .profile: _ = try PowerProfileFile.read(path: stored())
    case .synthesis: _ = try SynthScenario(yaml: bytes, file: "f")
    case .regions: _ = try RegionFile.read(bytes: bytes, name: "f", options: .init(defaultRadiusMeters: 50))
    case .recording: _ = try JournalLine.header(in: bytes)
    case .journal: _ = try JournalLine.stamped(in: bytes)
    case .answer: _ = SubscriberAnswer(line: bytes)
    case .request: _ = try JSONTree(bytes)
    case .snapshot: _ = try ExactDecoder.value(EngineSnapshot.self, of: JSONTree(bytes))
    case .time: _ = UTCTime(rfc3339: String(decoding: bytes, as: UTF8.self))
    case .circle: _ = try PlaceText.circle(String(decoding: bytes, as: UTF8.self))
    }
  }

  private static func isForPeople(_ text: String) {
    let inner = ["DecodingError", "JSONError(", "Swift.", "Optional(", "Context("]
    precondition(
      !text.isEmpty && !text.contains(where: \.isNewline) && text.utf8.count < 4_000
        && !inner.contains(where: text.contains), text)
  }
}

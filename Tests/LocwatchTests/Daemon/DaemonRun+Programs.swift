import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// Programs for a daemon, and what became of them.
extension DaemonRun {
  /// Adds a program that is a shell script. In it `$D` is the test's folder, and `serve` reads records to the end of
  /// its input: it writes each with the process's number to the file `log`, and acknowledges it unless there is a file
  /// `mute`.
  @discardableResult
  func add(
    _ name: String, style: String = "resident", _ script: String = "serve", manifest: String = "",
    replacing: Bool = false
  ) async throws -> Binary.Result {
    let path = folder.write(
      "\(name).sh",
      """
      D='\(folder.path)'
      serve() {
        while read -r line; do
          echo "$$ $line" >> "$D/log"
          id=${line#*\\"id\\":}; id=${id%%[,\\}]*}
          case $line in *'"id":'*) [ -e "$D/mute" ] || echo "{\\"ack\\":$id}" ;; esac
        done
      }
      \(script)
      """)
    let yaml = folder.write(
      "\(name).yaml",
      """
      name: \(name)
      command: [/bin/sh, \(path)]
      style: \(style)
      \(manifest.isEmpty ? "services: [significant-change]" : manifest)
      """)
    let added = try await command(
      ["subscribers", "add", yaml] + (replacing ? ["--replace"] : []))
    try #require(added.status == 0, "\(added.stderr)")
    return added
  }

  /// Settings under which each move of 600 m is a significant change.
  func settings(_ more: String = "") -> [String] {
    ["--config", folder.write("c.yaml", "significant_change: {window_s: 5}\n" + more)]
  }

  /// Says where the machine is after so many seconds, and so many times 600 m from where it began.
  func move(_ steps: Int, second: Int) {
    gpsd.say(ScriptedGPSD.report(second: second, latitude: 40 + 0.0054 * Double(steps)))
  }

  /// Starts it under these settings, and waits until it has taken where the machine begins.
  func startWithFix(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try start(settings())
    move(0, second: 0)
    try await waitForFixes(1, sourceLocation: sourceLocation)
  }

  /// The lines of a file that something writes; none where there is no such file yet.
  func lines(of name: String) -> [Substring] { (KernelFile.read(folder(name)) ?? "").split(separator: "\n") }

  /// What programs were told, with the number of the process that was.
  var log: [(pid: Int32, line: String)] {
    let text = (try? String(contentsOfFile: folder("log"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 1)
      return parts.count == 2 ? Int32(parts[0]).map { ($0, String(parts[1])) } : nil
    }
  }

  /// The ids of the events in the log, in order.
  var told: [Int] { log.compactMap { Self.id(of: $0.line) } }

  /// The id of a record; nil where it has none.
  static func id(of record: some StringProtocol) -> Int? {
    record.split(separator: ",").first { $0.contains(#""id":"#) }.flatMap { part in
      part.split(separator: ":").last.flatMap { Int(String($0.filter(\.isNumber))) }
    }
  }

  /// The engine as the daemon has stored it. Its status would do, but estimates energy each time.
  func withEngine<Value>(_ body: (borrowing Engine) throws -> Value) throws -> Value? {
    guard let database = try StateDatabase.openToRead(path: state) else { return nil }
    return try body(RestoredEngine(database, orNew: EngineConfiguration()).engine)
  }

  /// What is stored of a subscriber.
  func shown(_ name: String) throws -> SubscriberView? { try withEngine { $0.subscriber(name) } ?? nil }

  func state(of name: String) throws -> SubscriberState? { try shown(name)?.state }

  func waitFor(_ name: String, _ wanted: SubscriberState, sourceLocation: SourceLocation = #_sourceLocation)
    async throws
  {
    try await wait("\(name) \(wanted)", sourceLocation: sourceLocation) { try state(of: name) == wanted }
  }

  /// Waits until a file has a text that is not empty.
  func waitForFile(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
    var text = ""
    try await wait(name, sourceLocation: sourceLocation) {
      text = KernelFile.read(folder(name)) ?? ""
      return !text.isEmpty
    }
    return text
  }

  /// What was decided about a subscriber: action, rule and reason.
  func decisions(_ name: String) async throws -> [String] {
    try await events().compactMap { line in
      guard line.contains(#""type":"decision""#), line.contains(#""subscriber":"\#(name)""#) else {
        return nil
      }
      func value(_ key: String) -> Substring {
        guard let start = line.range(of: "\"\(key)\":\"")?.upperBound else { return "" }
        return line[start...].prefix { $0 != "\"" }
      }
      return "\(value("action")) \(value("rule")) \(value("reason"))"
    }
  }

  /// Whether a process is there and has not ended.
  static func isAlive(_ pid: Int32) -> Bool {
    ProcessStatus(of: pid).map { $0.state != "Z" && $0.state != "X" } ?? false
  }

  /// A number in the daemon's /proc/PID/status, in KiB.
  func kibibytes(_ key: String) -> Int {
    let text = KernelFile.read("/proc/\(process?.pid ?? 0)/status") ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(key + ":") }
    return line.flatMap { Int(String($0.filter(\.isNumber))) } ?? 0
  }
}

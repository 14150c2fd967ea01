import Foundation
import LocationCore
import TestSupport
import Testing

@testable import LocationRuntime

/// What counts of a program that was told to end.
@Suite(.serialized) struct DismissalTests {
  /// How its end comes about.
  enum Way: String, CaseIterable, CustomTestStringConvertible {
    case ended, removed, replaced, daemonStops
    var testDescription: String { rawValue }
  }

  /// Waits for SIGTERM, and asks for much when it comes.
  private static let script = #"""
    trap 'printf "%s\n" "{\"ack\":1}" "{\"ack\":9}" "{\"preserve\":\"x\"}" "{\"remaining\":true}"; exit 0' TERM
    read -r launch; read -r one
    while :; do sleep 0.01; done
    """#

  @Test(arguments: Way.allCases)
  func `who was told to end asks for nothing any more`(way: Way) async throws {
    let run = try SupervisorRun()
    let heard = run.folder("heard")
    run.add("a", Self.script.replacingOccurrences(of: "while", with: ": > '\(heard)'; while"))
    run.relaunch("a")
    run.deliver("a", event: 1)
    try SupervisorRun.until("it runs") { FileManager.default.fileExists(atPath: heard) }
    switch way {
    case .ended: run.terminate("a")
    case .removed: run.supervisor.remove("a")
    case .replaced:
      run.add("a", acknowledging)
      run.relaunch("a", event: 1)
      run.deliver("a", event: 1)
    case .daemonStops: run.supervisor.beginStop()
    }
    #expect(try run.end("a") == 0)
    switch way {
    case .ended:
      #expect(Self.told(run) == ["handed 1"])
      // The next process is heard.
      try FileManager.default.removeItem(atPath: heard)
      run.relaunch("a", event: 2)
      run.deliver("a", event: 2)
      try SupervisorRun.until("it runs again") { FileManager.default.fileExists(atPath: heard) }
      run.supervisor.beginStop()
      #expect(try run.end("a") == 0)
      #expect(Self.told(run) == ["handed 1", "1", "9", "preserve", "remaining"])
    case .removed: #expect(Self.told(run) == [])
    case .replaced:
      #expect(Self.told(run) == [])
      try run.acknowledged("a", 1)
    case .daemonStops: #expect(Self.told(run) == ["handed 1", "9", "preserve", "remaining"])
    }
    await run.supervisor.stop()
  }

  @Test func `K5 what it acknowledges while it ends is not handed to the next process`() async throws {
    let run = try SupervisorRun()
    let (ready, gate) = (run.folder("ready"), run.folder("gate"))
    run.add(
      "a",
      """
      if ! [ -e '\(ready)' ]; then
        trap 'while ! [ -e "\(gate)" ]; do sleep 0.01; done; echo "{\\"ack\\":1}"; exit 0' TERM
        read -r launch; read -r one; read -r two; : > '\(ready)'
        while :; do sleep 0.01; done
      fi
      \(acknowledging)
      """)
    func hand() {
      run.relaunch("a", event: 1)
      for event in 1...2 { run.deliver("a", event: event) }
    }
    hand()
    try SupervisorRun.until("it runs") { FileManager.default.fileExists(atPath: ready) }
    run.terminate("a")
    hand()
    _ = run.folder.write("gate", "")
    for event in 1...2 { try run.acknowledged("a", event) }
    #expect(run.seen.count { $0.isAcknowledgment(of: 1, by: "a") } == 1)
    await run.supervisor.stop()
  }

  private static func told(_ run: SupervisorRun) -> [String] {
    run.seen.compactMap { report in
      switch report {
      case .acknowledged("a", let event, _): "handed \(event)"
      case .event("a", .acknowledged(let event, _)): "\(event)"
      case .event("a", .preserve): "preserve"
      case .request("a", .remaining): "remaining"
      case _: nil
      }
    }
  }

  /// What a program has said, in the order of ``counted``.
  private static let said: [SupervisorReport] = [
    .missed(subscriber: "a", UserLaunch()),
    .event(subscriber: "a", .preserve(text: "x")), .request(subscriber: "a", .remaining),
    .event(subscriber: "a", .acknowledged(event: 9, coreSeconds: 0)),
    .event(subscriber: "a", .exited(status: 0)),
    .event(subscriber: "a", .mode(.accessory(.disconnected(session: "s")))),
    .acknowledged(subscriber: "a", event: 1, coreSeconds: 0),
    .note(subscriber: "a", .closedInput),
  ]

  @Test(
    arguments: [
      (.perform(.terminate(subscriber: "a"), recordLine: []), 3), (.remove(name: "a"), 1),
      (.add(Subscriber(name: "a", command: [])), 1), (.remove(name: "b"), 8),
      (.perform(.suspend(subscriber: "a"), recordLine: []), 8), (.stop, 8),
    ] as [(SupervisorCommand, Int)])
  func `what is on its way when its end is ordered is not heard either`(
    command: SupervisorCommand, counted: Int
  ) throws {
    let mailbox = try SupervisorMailbox()
    mailbox.report(Self.said)
    mailbox.post(command)
    mailbox.report(Self.said)
    var reports: [SupervisorReport] = []
    mailbox.take(into: &reports)
    #expect(reports == Self.said.suffix(counted) + Self.said.suffix(counted))
    // From then on the thread knows.
    var commands: [SupervisorCommand] = []
    mailbox.takeCommands(into: &commands)
    mailbox.report(Self.said)
    reports = []
    mailbox.take(into: &reports)
    #expect(reports == Self.said)
  }
}

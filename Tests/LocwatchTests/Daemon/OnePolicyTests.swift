import Foundation
import TestSupport
import Testing

@testable import LocationCore

/// One policy: the same day decides the same for a modelled program in a replay and for a real one of a daemon.
@Suite struct OnePolicyTests {
  /// Something that happens half a second after a fix.
  private enum Step {
    case command(String)
    case task(isOpen: Bool)
    case killed
    case hangs(Bool)
  }

  private static let steps: [Int: Step] = [
    15: .command("launch"), 16: .task(isOpen: true), 17: .command("background"), 24: .task(isOpen: false),
    35: .killed, 44: .hangs(true), 57: .hangs(false), 65: .command("quit"),
  ]
  /// Seconds at which the machine has moved on by 600 m.
  private static let moves: Set<Int> = [10, 30, 40, 45, 60, 70]
  private static let seconds = 0...80

  private static let scenario = """
    steps:
      - {at: +15.5, launch: program}
      - {at: +16.5, begin_task: program, task: work, seconds: 8}
      - {at: +17.5, background: program}
      - {at: +35.5, exit: program, status: 137}
      - {at: +44.5, hangs: program, value: true}
      - {at: +57.5, hangs: program, value: false}
      - {at: +65.5, quit: program}

    """

  private func report(_ second: Int) -> String {
    let steps = Self.moves.count { $0 <= second }
    return ScriptedGPSD.report(second: second, latitude: 40 + 0.0054 * Double(steps))
  }

  /// What was decided, with all that a decision says, but the second for the time, because a program of flesh takes
  /// other milliseconds, and events numbered as they come, because a daemon has records of its source too.
  private func decisions(_ records: some Sequence<Substring>) -> [String] {
    var numbers: [Substring: Int] = [:]
    return records.filter { $0.contains(#""type":"decision""#) }.map { record in
      record.dropFirst().dropLast().split(separator: ",").compactMap { part -> String? in
        let key = part.prefix { $0 != ":" }
        switch key {
        case #""v""#, #""seq""#, #""id""#: return nil
        case #""time""#: return String(part.prefix(#""time":"2026-05-04T06:30:00"#.count))
        case #""event""#:
          let number = numbers[part] ?? numbers.count + 1
          numbers[part] = number
          return "event \(number)"
        case _: return String(part)
        }
      }.joined(separator: " ")
    }
  }

  @Test(arguments: DaemonRun.Rights.here)
  func `a replay and a daemon decide the same`(rights: DaemonRun.Rights) async throws {
    let run = try DaemonRun(rights)
    try await run.add(
      "program",
      #"""
      (
        while :; do
          if [ -e "$D/open" ]; then rm "$D/open"; echo '{"begin_task":"work"}'; fi
          if [ -e "$D/close" ]; then rm "$D/close"; echo '{"end_task":1}'; fi
          sleep 0.02
        done
      ) 2> /dev/null &
      serve
      """#)
    let settings = run.settings()
    try run.start(settings)
    for second in Self.seconds {
      run.gpsd.say(report(second))
      try await settle(run, fixes: second + 1)
      if let step = Self.steps[second] { try await perform(step, run) }
    }
    #expect(await run.end() == 0)
    let live = decisions(try await run.events())

    let replay = try await Binary.run(
      [
        "replay", "-", "--format", "ndjson", "-s", run.folder("program.yaml"), "--scenario",
        run.folder.write("scenario.yaml", Self.scenario),
      ] + settings, stdin: Self.seconds.map { report($0) + "\n" }.joined())
    #expect(replay.status == 0, "\(replay.stderr)")
    let modelled = decisions(replay.stdout.split(separator: "\n"))
    #expect(modelled.count >= 16, "\(modelled)")
    func text(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }
    #expect(live == modelled, "\(UnifiedDiff.between(text(modelled), text(live), path: "decisions"))")
  }

  /// Waits until so many reports were taken and the program has done what it will do about them.
  private func settle(_ run: DaemonRun, fixes: Int) async throws {
    // What a program that does not run has not acknowledged waits for the next occasion.
    var isSettled = false
    try await run.wait("fix \(fixes)") {
      let isMute = FileManager.default.fileExists(atPath: run.folder("mute"))
      isSettled =
        try run.withEngine { engine in
          guard engine.tally.fixes == fixes, let program = engine.subscriber("program") else { return false }
          return isMute || program.waiting.isEmpty || program.state == .notRunning
        } ?? false
      return isSettled
    }
    try #require(isSettled)
  }

  private func perform(_ step: Step, _ run: DaemonRun) async throws {
    switch step {
    case .command(let verb):
      #expect(try await run.command(["subscribers", verb, "program"]).status == 0)
    case .task(let isOpen):
      _ = run.folder.write(isOpen ? "open" : "close", "")
      try await run.wait("the task") { try run.shown("program")?.tasks.isEmpty == !isOpen }
    case .killed:
      kill(try #require(run.log.last?.pid), SIGKILL)
      try await run.waitFor("program", .notRunning)
    case .hangs(let isMute):
      if isMute { _ = run.folder.write("mute", "") } else { unsafe unlink(run.folder("mute")) }
    }
  }
}

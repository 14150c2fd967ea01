import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// Finite tasks of real programs (rules C1 to C4).
@Suite struct TaskTests {
  /// On an event: opens so many tasks, says `{"ack":ID}`, and ends each task whose token is in a file of that name.
  private static func script(tasks: Int) -> String {
    #"""
    for n in $(seq \#(tasks)); do echo "{\"begin_task\":\"work $n\"}"; done
    while read -r line; do
      echo "$$ $line" >> "$D/log"
      case $line in
        *'"id":'*) id=${line#*\"id\":}; id=${id%%[,\}]*}; echo "{\"ack\":$id}" ;;
        *'"task":'*)
          token=${line#*\"task\":}; token=${token%%[,\}]*}
          (while [ ! -e "$D/end$token" ]; do sleep 0.01; done; echo "{\"end_task\":$token}") &
          ;;
      esac
    done
    """#
  }

  private func tasks(_ run: DaemonRun) throws -> Int {
    try run.shown("worker")?.tasks.count ?? 0
  }

  @Test func `ten tasks hold off suspension until the last has ended`() async throws {
    let run = try DaemonRun()
    try await run.add("worker", Self.script(tasks: 10))
    try run.start(run.settings())
    run.move(0, second: 0)
    var tokens: [String] = []
    // The daemon knows of them before the program has read its answers.
    try await run.wait("the tasks") {
      tokens = run.log.filter { $0.line.contains(#""task":"#) }.map(\.line)
      return try tasks(run) == 10 && run.told.count == 1 && tokens.count >= 10
    }
    #expect(Set(tokens).count == 10)
    // The time of tasks, also before the event is acknowledged, for which there are 10 s.
    #expect(
      tokens.allSatisfy { line in
        line.firstMatch(of: /"remaining_s":(\d+)/).flatMap { Int($0.1) }.map { $0 > 10 } == true
      }, "\(tokens)")
    for token in 1...9 { _ = run.folder.write("end\(token)", "") }
    try await run.wait("nine ends") { try tasks(run) == 1 }
    #expect(try run.state(of: "worker") == .background)
    _ = run.folder.write("end10", "")
    try await run.waitFor("worker", .suspended)
    #expect(await run.end() == 0)
    #expect(!(try await run.decisions("worker")).contains { $0.hasPrefix("terminate") })
  }

  @Test(arguments: [1, 10])
  func `who still has a task open is told 5 s before the end, and ended`(count: Int) async throws {
    let run = try DaemonRun()
    try await run.add("worker", Self.script(tasks: count))
    try run.start(run.settings())
    run.move(0, second: 0)
    // With its event acknowledged: else its time for that is over first.
    try await run.wait("the tasks") {
      try tasks(run) == count && run.shown("worker")?.waiting.isEmpty == true
    }
    func warnings() -> [String] { run.log.map(\.line).filter { $0.contains(#""type":"warn""#) } }
    // Time is that of the fixes.
    var endedAt: Int?
    for second in 1...60 {
      run.move(0, second: second)
      try await run.waitForFixes(second + 1)
      // It has all the time that it takes to read them.
      if second == 25 { try await run.wait("the warnings") { warnings().count == count } }
      if try run.state(of: "worker") == .notRunning {
        endedAt = second
        break
      }
    }
    let ended = try #require(endedAt)
    #expect(ended == 30)
    #expect(warnings().allSatisfy { $0.contains(#""type":"warn","seconds":5.000"#) })
    #expect(warnings().count == count, "each task is named once")
    #expect(Set(warnings()).count == count)
    #expect(await run.end() == 0)
    #expect(try await run.decisions("worker").contains("terminate C3 task_open"))
  }

  @Test
  func `who was refused often begins and ends tasks all the same, and ten refusals a minute are records`()
    async throws
  {
    let refused = SupervisorLimits.refusalsPerMinute + 1
    let script = #"""
      echo '{"begin_task":"work"}'
      while read -r line; do
        echo "$$ $line" >> "$D/log"
        case $line in
          *'"id":'*) id=${line#*\"id\":}; id=${id%%[,\}]*}; echo "{\"ack\":$id}" ;;
          *'"task":'*)
            token=${line#*\"task\":}; token=${token%%[,\}]*}
            for n in $(seq \#(refused)); do echo '{"end_task":999}'; done
            [ -e "$D/again" ] || { : > "$D/again"; echo '{"begin_task":"more"}'; }
            echo "{\"end_task\":$token}"
            ;;
        esac
      done
      """#
    let run = try DaemonRun()
    try await run.add("worker", script)
    try run.start(run.settings())
    run.move(0, second: 0)
    try await run.wait("the refusals") {
      run.log.count { $0.line.contains(#""reason":"unknown_task""#) } == 2 * refused
    }
    try await run.waitFor("worker", .suspended)
    #expect(try tasks(run) == 0)
    #expect(await run.end() == 0)
    let refusals = try await run.decisions("worker").count { $0 == "refuse C4 unknown_task" }
    #expect(refusals == SupervisorLimits.refusalsPerMinute)
  }
}

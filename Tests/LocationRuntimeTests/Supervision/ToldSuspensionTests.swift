import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// Rule A2: a program reads that it is suspended before it is.
@Suite(.serialized) struct ToldSuspensionTests {
  /// Shell text that writes what it reads to the file `log`, and answers records.
  private static func logging(_ run: SupervisorRun) -> String {
    let log = run.folder("log")
    return #"""
      while read -r line; do
        echo "$line" >> '\#(log)'
        id=${line#*\"id\":}; id=${id%%[,\}]*}
        case $line in *'"id":'*) echo "{\"ack\":$id}" ;; esac
      done
      """#
  }

  /// What kinds of lines it has read.
  private static func log(_ run: SupervisorRun) -> [String] {
    (KernelFile.read(run.folder("log")) ?? "").split(separator: "\n").map { line in
      ["suspending", "launch", "remaining", "region.enter"].first { line.contains("\"\($0)\"") }
        ?? String(line)
    }
  }

  /// The bytes that a process has not read of its standard input.
  private static func unreadBytes(_ pid: pid_t) throws -> Int {
    let input = try #require(Descriptor.open("/proc/\(pid)/fd/0", O_RDONLY | O_NONBLOCK))
    return try #require(input.waitingBytes)
  }

  @Test(arguments: SupervisorRun.Way.here)
  func `A2 it has read that it is suspended when it is, and reads the launch first after the wake`(
    way: SupervisorRun.Way
  ) async throws {
    let run = try SupervisorRun(way)
    run.add("a", Self.logging(run))
    run.relaunch("a", event: 1)
    run.deliver("a", event: 1)
    let pid = try run.pid("a")
    try run.acknowledged("a", 1)
    var unread: [Int] = []
    for event in 2...4 {
      run.tellAndSuspend("a")
      _ = try run.suspension("a")
      unread.append(try Self.unreadBytes(pid))
      run.wake("a", event: event)
      run.deliver("a", event: event)
      try run.acknowledged("a", event)
    }
    // A machine that is busy with something else may not let it read in time.
    #expect(unread.contains(0), "\(unread)")
    let wake = ["suspending", "launch", "region.enter"]
    #expect(Self.log(run) == ["launch", "region.enter"] + wake + wake + wake)
    await run.supervisor.stop()
  }

  @Test(arguments: SupervisorRun.Way.here)
  func `A2 one that never reads is suspended all the same`(way: SupervisorRun.Way) async throws {
    let run = try SupervisorRun(way)
    run.add("blind", "exec sleep 1000")
    run.relaunch("blind")
    let pid = try run.pid("blind")
    run.tellAndSuspend("blind")
    _ = try run.suspension("blind")
    #expect(try Self.unreadBytes(pid) > 0)
    await run.supervisor.stop()
  }

  @Test(arguments: SupervisorRun.Way.here)
  func `A2 a wake that comes before it is stopped leaves it running`(way: SupervisorRun.Way) async throws {
    let run = try SupervisorRun(way)
    run.add("a", "while ! [ -e '\(run.folder("go"))' ]; do sleep 0.01; done; " + Self.logging(run))
    run.add("blind", "exec sleep 1000")
    run.relaunch("a", event: 1)
    run.relaunch("blind", event: 1)
    run.tellAndSuspend("a")
    run.wake("a", event: 2)
    run.deliver("a", event: 2)
    // The second one's time is over later than that of the first.
    run.tellAndSuspend("blind")
    _ = try run.suspension("blind")
    _ = run.folder.write("go", "")
    try run.acknowledged("a", 2)
    let reports = run.seen + run.allSoFar
    #expect(!reports.contains { if case .note("a", .suspended) = $0 { true } else { false } })
    #expect(Self.log(run) == ["launch", "suspending", "launch", "region.enter"])
    await run.supervisor.stop()
  }

  /// Adds a program whose first process ends only when there is a file `gate`.
  private static func addSlow(_ run: SupervisorRun) {
    let (gate, ready) = (run.folder("gate"), run.folder("ready"))
    run.add(
      "a",
      """
      [ -e '\(ready)' ] || {
        trap 'while ! [ -e "\(gate)" ]; do sleep 0.01; done; exit 3' TERM
        : > '\(ready)'; while :; do sleep 0.01; done
      }
      \(logging(run))
      """)
  }

  @Test(arguments: SupervisorRun.Way.here)
  func `A3 one that is suspended while the process before still ends is suspended when it has started`(
    way: SupervisorRun.Way
  ) async throws {
    let run = try SupervisorRun(way)
    Self.addSlow(run)
    run.relaunch("a", event: 1)
    let first = try run.pid("a")
    try SupervisorRun.until("it runs") { FileManager.default.fileExists(atPath: run.folder("ready")) }
    run.terminate("a")
    run.relaunch("a", event: 2)
    run.deliver("a", event: 2)
    // Somebody acknowledges it by hand.
    run.tellAndSuspend("a")
    _ = run.folder.write("gate", "")
    #expect(try run.end("a") == 3)
    #expect(try run.pid("a") != first)
    _ = try run.suspension("a")
    run.wake("a", event: 4)
    run.deliver("a", event: 4)
    try run.acknowledged("a", 4)
    #expect(Self.log(run) == ["launch", "suspending", "launch", "region.enter"])
    await run.supervisor.stop()
  }

  @Test func `A2 who is launched again before it could start is told in order`() async throws {
    let run = try SupervisorRun()
    Self.addSlow(run)
    run.relaunch("a", event: 1)
    try SupervisorRun.until("it runs") { FileManager.default.fileExists(atPath: run.folder("ready")) }
    run.terminate("a")
    run.relaunch("a", event: 2)
    run.tellAndSuspend("a")
    run.supervisor.userLaunch("a")
    run.deliver("a", event: 4)
    _ = run.folder.write("gate", "")
    try run.acknowledged("a", 4)
    #expect(Self.log(run) == ["launch", "suspending", "launch", "region.enter"])
    let reports = run.seen + run.allSoFar
    #expect(!reports.contains { if case .note("a", .suspended) = $0 { true } else { false } })
    await run.supervisor.stop()
  }

  @Test(arguments: SupervisorRun.Way.here)
  func `A2 one that is woken before it could start runs, and reads all of it in order`(
    way: SupervisorRun.Way
  ) async throws {
    let run = try SupervisorRun(way)
    Self.addSlow(run)
    run.add("blind", "exec sleep 1000")
    run.relaunch("a", event: 1)
    run.relaunch("blind", event: 1)
    try SupervisorRun.until("it runs") { FileManager.default.fileExists(atPath: run.folder("ready")) }
    run.terminate("a")
    run.relaunch("a", event: 2)
    run.tellAndSuspend("a")
    run.wake("a", event: 4)
    run.deliver("a", event: 4)
    _ = run.folder.write("gate", "")
    try run.acknowledged("a", 4)
    // The second one's time is over later than that of the first would be.
    run.tellAndSuspend("blind")
    _ = try run.suspension("blind")
    let reports = run.seen + run.allSoFar
    #expect(!reports.contains { if case .note("a", .suspended) = $0 { true } else { false } })
    #expect(Self.log(run) == ["launch", "suspending", "launch", "region.enter"])
    await run.supervisor.stop()
  }

  @Test(arguments: SupervisorRun.Way.here)
  func `A2 one that is ended before it is stopped has its grace`(way: SupervisorRun.Way) async throws {
    let run = try SupervisorRun(way)
    let ready = run.folder("ready")
    run.add("a", "trap 'exit 3' TERM; : > '\(ready)'; while :; do sleep 0.01; done")
    run.relaunch("a")
    try SupervisorRun.until("it runs") { FileManager.default.fileExists(atPath: run.folder("ready")) }
    run.tellAndSuspend("a")
    run.terminate("a")
    #expect(try run.end("a") == 3)
    await run.supervisor.stop()
  }

  @Test(arguments: SupervisorRun.Way.here)
  func `what it is answered while it is stopped it reads after the launch`(way: SupervisorRun.Way)
    async throws
  {
    let run = try SupervisorRun(way)
    run.add("a", Self.logging(run))
    run.relaunch("a", event: 1)
    run.deliver("a", event: 1)
    try run.acknowledged("a", 1)
    run.suspend("a")
    _ = try run.suspension("a")
    run.supervisor.answer("a", .remaining(seconds: 5))
    run.wake("a", event: 2)
    run.deliver("a", event: 2)
    try run.acknowledged("a", 2)
    #expect(Self.log(run) == ["launch", "region.enter", "launch", "remaining", "region.enter"])
    await run.supervisor.stop()
  }

  /// What has not been read at each look, in milliseconds after the order, and when the program is then stopped.
  @Test(
    arguments: [
      // It has read at the first look.
      ([false], 70),
      // It reads between two looks.
      ([true, true, false], 110),
      // It is told something else in its moment, and reads that as well.
      ([false, true, false], 140),
      // It never reads.
      ([], 1_000),
    ] as [([Bool], Int64)])
  func `it is stopped a moment after it has read, and after a second at most`(looks: [Bool], stops: Int64) {
    var wait = SuspensionWait(at: 10_000)
    var left = looks
    var now = wait.nextLook
    #expect(now == 10_020)
    while !wait.isOver(hasUnread: left.isEmpty ? looks.last ?? true : left.removeFirst(), at: now) {
      #expect(wait.nextLook > now)
      now = wait.nextLook
    }
    #expect(now - 10_000 == stops)
  }
}

extension SupervisorRun {
  /// Does what the engine does where nothing holds off a suspension.
  fileprivate func tellAndSuspend(_ name: String) {
    supervisor.perform(
      .announce(subscriber: name, Order.StateNotice(state: .suspended, reason: .idle, graceSeconds: nil)))
    suspend(name)
  }
}

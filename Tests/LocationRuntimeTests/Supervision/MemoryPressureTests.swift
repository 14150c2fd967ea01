import Foundation
import LocationCore
import TestSupport
import Testing

@testable import LocationFormats
@testable import LocationRuntime

@Suite struct MemoryPressureTests {
  typealias Pressure = MemoryPressure

  /// Feeds signs at times and asks at every second; the changes with their seconds.
  private func changes(_ signs: [Int64: Pressure], through end: Int64) -> [Int64: Pressure] {
    var level = MemoryPressureLevel()
    var changes: [Int64: Pressure] = [:]
    for second in 0...end {
      if let sign = signs[second] { level.note(sign, at: second * 1_000) }
      if let change = level.change(at: second * 1_000) { changes[second] = change }
    }
    return changes
  }

  @Test func `a sign is told at once, and its end after ten seconds without another`() {
    #expect(changes([3: .warning], through: 30) == [3: .warning, 13: .none])
    #expect(changes([3: .warning, 5: .warning, 7: .warning], through: 30) == [3: .warning, 17: .none])
  }

  @Test func `critical goes before warning, and falls back to it`() {
    let signs: [Int64: Pressure] = [1: .warning, 3: .critical, 5: .warning, 9: .warning]
    #expect(changes(signs, through: 40) == [1: .warning, 3: .critical, 13: .warning, 19: .none])
    #expect(changes([2: .critical, 4: .critical], through: 40) == [2: .critical, 14: .none])
  }

  @Test(arguments: [Pressure.warning, .critical])
  func `a level of an earlier daemon ends as any other`(level: Pressure) {
    var now = MemoryPressureLevel()
    now.resume(level, at: 5_000)
    #expect(now.change(at: 5_000) == nil && now.nextDeadline == 15_000)
    #expect(now.change(at: 15_000) == Pressure.none)
    now.resume(.none, at: 20_000)
    #expect(now.change(at: 20_000) == nil && now.nextDeadline == nil)
  }

  @Test func `nothing is due while there is enough`() {
    var level = MemoryPressureLevel()
    #expect(level.nextDeadline == nil)
    level.note(.warning, at: 100)
    #expect(level.nextDeadline == 10_100)
    #expect(level.change(at: 100) == .warning)
    #expect(level.change(at: 10_100) == Pressure.none)
    #expect(level.nextDeadline == nil)
  }

  @Test(.enabled(if: isReadable)) func `the kernel takes the thresholds, also from a user without rights`()
    throws
  {
    var watch = try MemoryPressureWatch()
    #expect(watch.nextDeadline == nil)
    let level = watch.take(PollSet(), at: 0)
    #expect(level == nil)
    // Unprivileged triggers need a window of whole 2 s (Linux 6.5, psi_trigger_create).
    #expect(MemoryPressureWatch.windowMilliseconds % 2_000 == 0)
  }

  private static let isReadable = (try? MemoryPressureWatch()) != nil

  /// The kernel has one mechanism for all its measures of pressure. That of the processor is the one a test can raise
  /// on any machine without harm to others.
  @Test(.enabled(if: (try? MemoryPressureWatch(path: "/proc/pressure/cpu")) != nil))
  func `what the kernel finds wakes who waits for it`() throws {
    var watch = try MemoryPressureWatch(path: "/proc/pressure/cpu")
    let count = ProcessInfo.processInfo.activeProcessorCount + 1
    let busy = try (0..<count).map { _ in try LiveProcess("/bin/sh", ["-c", "while :; do :; done"]) }
    defer { for process in busy { process.signal(SIGKILL) } }
    // The first sign may come before the kernel has counted.
    var level: Pressure?
    while level == nil {
      var polled = PollSet()
      watch.watch(&polled)
      let found = polled.wait(atMost: 300_000)
      try #require(found > 0)
      level = watch.take(polled, at: 5_000)
    }
    // Of the processor the kernel also tells that all wait at once, where it counts that (Linux 5.13).
    #expect(level == .warning || level == .critical)
    #expect(watch.nextDeadline == 15_000)
  }

  @Test func `a sign counts where as much time was lost since the last look`() {
    func text(_ some: Int, _ full: Int) -> String {
      "some avg10=0.00 avg60=1.00 avg300=0.00 total=\(some)\n"
        + "full avg10=0.00 total=\(full)\n"
    }
    var count = PressureCount(kind: "full", leastMicroseconds: 140_000)
    let verdicts = [
      // There is nothing to compare the first with.
      text(9, 1_000), text(900_000, 1_001), text(900_001, 141_000), text(900_001, 281_000), nil, "",
      "full total=x", text(900_002, 281_001),
    ].map { count.confirms($0) }
    #expect(verdicts == [true, false, false, true, true, true, true, false])
  }

  @Test func `without it the reason is said`() {
    let failure = #expect(throws: Failure.self) { _ = try MemoryPressureWatch(path: "/proc/pressure/none") }
    #expect(failure?.code == .unavailable)
    #expect(failure?.remedy?.contains("CONFIG_PSI") == true)
  }
}

@Suite struct ProcessorMeterTests {
  @Test func `48 s of processor time in 60 s is too much, less is not`() {
    var meter = ProcessorMeter()
    var over: [Int] = []
    for sample in 0...30 {
      // Half a core, from 100 s on a whole one.
      let seconds = Double(sample * 10)
      let core = seconds <= 100 ? seconds / 2 : 50 + (seconds - 100)
      if meter.isOver(coreSeconds: core, at: seconds) { over.append(sample * 10) }
    }
    // At 140 s: 20/2 + 40 = 50 of 60.
    #expect(over.first == 140)
    #expect(over.count == 17)
  }

  @Test func `a short burst of several cores is judged by the whole window`() {
    var meter = ProcessorMeter()
    let verdicts = [(0, 0), (40, 10), (49, 20)].map { meter.isOver(coreSeconds: $0.0, at: $0.1) }
    #expect(verdicts == [false, false, true])
  }

  @Test func `a new process begins anew`() {
    var meter = ProcessorMeter()
    // The second counts from zero.
    let verdicts = [(100, 0), (1, 10), (50, 70)].map { meter.isOver(coreSeconds: $0.0, at: $0.1) }
    #expect(verdicts == [false, false, true])
  }
}

/// What real programs take.
@Suite(.serialized) struct ProgramUsageTests {
  @Test(arguments: SupervisorRun.Way.here)
  func `processor time and memory of a program are those of all it started`(way: SupervisorRun.Way)
    async throws
  {
    let start = Date()
    let run = try SupervisorRun(way)
    run.add("busy", "(while :; do :; done) & (while :; do :; done) & " + acknowledging)
    run.add("idle", acknowledging)
    run.relaunch("busy")
    run.relaunch("idle")
    _ = try run.pid("idle")
    try SupervisorRun.until("its children have run") { try usage(run, "busy").coreSeconds > 0.3 }
    let busy = try usage(run, "busy")
    #expect(busy.processes == 3)
    #expect(busy.memoryBytes > 3 * 4_096)
    #expect(busy.coreSeconds < 8 * Date().timeIntervalSince(start))
    #expect(try usage(run, "idle").coreSeconds < 0.2)
    #expect(try usage(run, "idle").processes == 1)
    await run.supervisor.stop()
  }

  @Test func `who does not run takes nothing`() async throws {
    let run = try SupervisorRun()
    run.add("logger", acknowledging)
    run.supervisor.measure("logger")
    run.supervisor.measure("nobody")
    try run.wait(for: .usage(subscriber: "logger", nil))
    try run.wait(for: .usage(subscriber: "nobody", nil))
    await run.supervisor.stop()
  }

  private func usage(_ run: SupervisorRun, _ name: String) throws -> ProgramUsage {
    run.supervisor.measure(name)
    return try run.wait("usage of \(name)") { if case .usage(name, let usage?) = $0 { usage } else { nil } }
  }
}

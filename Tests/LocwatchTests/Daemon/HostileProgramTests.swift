import Foundation
import TestSupport
import Testing

@testable import LocationCore

/// Programs that do what they should not, under a daemon: it stays well, its memory stays flat, others are served, and
/// the right rule ends them.
@Suite struct HostileProgramTests {
  struct Program: CustomTestStringConvertible {
    var testDescription: String
    var script: String
    /// The decision that tells that the daemon has heard the program; nil where nothing it says is decided upon.
    var heard: String?
    var rule = "terminate K2 budget_over"
  }

  private static let programs = [
    Program(testDescription: "never answers", script: #"touch "$D/done"; exec sleep 1000 2> /dev/null"#),
    Program(
      testDescription: "floods its output with requests",
      script: #"touch "$D/done"; exec yes '{"state_of":"nowhere"}' 2> /dev/null"#),
    Program(
      testDescription: "floods its output with tasks",
      script: #"touch "$D/done"; exec yes '{"begin_task":"x"}' 2> /dev/null"#,
      heard: "refuse C1 too_many_tasks"),
    Program(
      testDescription: "forks",
      script: #"""
        for n in $(seq 50); do sh -c 'setsid sleep 1000 > /dev/null 2>&1 &'; done
        touch "$D/done"; exec sleep 1000 2> /dev/null
        """#),
    Program(
      testDescription: "ignores SIGTERM",
      script: #"trap '' TERM; touch "$D/done"; while :; do sleep 1000 2> /dev/null; done"#),
    Program(
      testDescription: "closes its pipes",
      script: #"touch "$D/done"; exec sleep 1000 < /dev/null > /dev/null 2>&1"#),
    Program(
      testDescription: "says garbage",
      script: #"head -c 20000000 /dev/urandom; touch "$D/done"; exec sleep 1000 2> /dev/null"#),
    Program(
      testDescription: "says 100 MB without an end of a line",
      script: #"head -c 100000000 /dev/zero; touch "$D/done"; exec sleep 1000 2> /dev/null"#),
  ]

  /// What a debug build's daemon may grow by: the 8 MB that are kept for a program that does not read, twice while they
  /// are copied, and what the allocator keeps.
  private static let mostKibibytes = 40_960

  @Test func `whoever does not read its standard error does not stop the daemon`() async throws {
    let run = try DaemonRun()
    // It holds the end for reading itself, and never reads.
    let starter = """
      import os, sys
      end, error = os.pipe()
      os.set_inheritable(end, True)
      os.set_blocking(error, False)
      try:
        while True: os.write(error, b"x" * 4096)
      except BlockingIOError: pass
      os.set_blocking(error, True)
      os.dup2(error, 2)
      os.execv(sys.argv[1], sys.argv[1:])
      """
    try run.start(through: ["/usr/bin/env", "python3", "-c", starter])
    run.move(0, second: 0)
    try await run.waitForFixes(1)
    #expect(await run.end() == 0)
  }

  @Test(arguments: programs)
  func `the daemon stays well`(program: Program) async throws {
    let run = try DaemonRun()
    try await run.add("good")
    try run.start(run.settings())
    run.move(0, second: 0)
    try await run.waitFor("good", .suspended)
    let before = run.kibibytes("VmHWM")
    #expect(before > 0)

    try await run.add("bad", program.script)
    // It is told at once where the machine is.
    _ = try await run.wait("what it does") { FileManager.default.fileExists(atPath: run.folder("done")) }
    if let heard = program.heard {
      try await run.wait("what it says") { try await run.decisions("bad").contains(heard) }
    }
    run.move(1, second: 10)
    try await run.wait("the event") { run.told.count == 2 }
    // It writes to the log before it acknowledges.
    try await run.waitFor("good", .suspended)
    // It acknowledged nothing for 10 s, whatever tasks it opened.
    run.move(2, second: 60)
    try await run.wait("the event") { run.told.count == 3 }
    try await run.wait("the rule") { try await run.decisions("bad").contains(program.rule) }
    let grown = run.kibibytes("VmHWM") - before
    #expect(grown < Self.mostKibibytes, "grown by \(grown) KiB")
    #expect(await run.end() == 0)
  }
}

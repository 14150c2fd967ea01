import Foundation
import LocationCore
import TestSupport
import Testing

@testable import LocationFormats
@testable import LocationRuntime

/// Real programs under a real supervisor.
@Suite(.serialized) struct SupervisorTests {
  @Test(arguments: SupervisorRun.Way.here)
  func `a suspended tree takes no processor time, and goes on when woken`(way: SupervisorRun.Way) async throws
  {
    let run = try SupervisorRun(way)
    // A program, a child and a grandchild, each of which would take all the time it gets.
    run.add("busy", "(sh -c 'while :; do :; done' & while :; do :; done) & " + acknowledging)
    run.add("control", "while :; do :; done")
    run.relaunch("busy")
    let leader = try run.pid("busy")
    try SupervisorRun.until("child and grandchild run") {
      ProcessStatus.members(ofGroup: leader).filter { $0.status.ticks > 2 }.count >= 2
    }
    run.suspend("busy")
    switch try run.suspension("busy") {
    case .freezer: #expect(way == .freezer)
    case .stopSignal: #expect(way == .stopSignal)
    }
    let before = ticks(leader)
    #expect(before.count >= 3)
    run.relaunch("control")
    let control = try run.pid("control")
    try SupervisorRun.until("another program has run for 0.2 s") {
      (ProcessStatus(of: control)?.ticks ?? 0) >= sysconf(Int32(_SC_CLK_TCK)) / 5
    }
    #expect(ticks(leader) == before)
    run.terminate("control")

    run.wake("busy", event: 7)
    run.deliver("busy", event: 7)
    try run.acknowledged("busy", 7)
    try SupervisorRun.until("they run again") { ticks(leader) != before }
    run.terminate("busy")
    _ = try run.end("busy")
    try SupervisorRun.until("all of it has ended") { ProcessStatus.members(ofGroup: leader).isEmpty }
    await run.supervisor.stop()
  }

  private func ticks(_ group: pid_t) -> [pid_t: Int] {
    Dictionary(
      ProcessStatus.members(ofGroup: group).map { ($0.pid, $0.status.ticks) }, uniquingKeysWith: { $1 })
  }

  @Test(arguments: SupervisorRun.Way.here)
  func `what is delivered to a suspended program waits for it`(way: SupervisorRun.Way) async throws {
    let run = try SupervisorRun(way)
    run.add("logger", acknowledging)
    run.relaunch("logger", event: 1)
    run.deliver("logger", event: 1)
    try run.acknowledged("logger", 1)
    for event in 2...4 {
      run.suspend("logger")
      _ = try run.suspension("logger")
      run.wake("logger", event: event)
      run.deliver("logger", event: event)
      try run.acknowledged("logger", event)
    }
    await run.supervisor.stop()
  }

  @Test func `what it acknowledges of what it was handed is told apart, once for each event`() async throws {
    let run = try SupervisorRun()
    run.add(
      "a",
      #"""
      read -r launch; read -r one; read -r two; read -r again
      printf '%s\n' '{"ack":1}' '{"ack":1}' '{"ack":9}' '{"done":true}' '{"done":true}'
      exec sleep 1000
      """#)
    run.relaunch("a")
    for event in [1, 2, 2] { run.deliver("a", event: event) }
    for _ in 1...2 { try run.wait(for: .event(subscriber: "a", .done)) }
    let told = run.seen.compactMap { report -> String? in
      switch report {
      case .acknowledged("a", let event, _): "handed \(event)"
      case .event("a", .acknowledged(let event, _)): "\(event)"
      case _: nil
      }
    }
    #expect(told == ["handed 1", "1", "9", "handed 2"])
    run.terminate("a")
    _ = try run.end("a")
    await run.supervisor.stop()
  }

  @Test(arguments: SupervisorRun.Way.here)
  func `a kill by the kernel is an exit, and a relaunch works`(way: SupervisorRun.Way) async throws {
    let run = try SupervisorRun(way)
    run.add("logger", acknowledging)
    run.relaunch("logger")
    let first = try run.pid("logger")
    run.suspend("logger")
    _ = try run.suspension("logger")
    kill(first, SIGKILL)
    #expect(try run.exit("logger") == 128 + SIGKILL)
    run.relaunch("logger", event: 5)
    run.deliver("logger", event: 5)
    #expect(try run.pid("logger") != first)
    try run.acknowledged("logger", 5)
    await run.supervisor.stop()
  }

  @Test(arguments: SupervisorRun.Way.here)
  func `what a program leaves behind ends with it`(way: SupervisorRun.Way) async throws {
    let run = try SupervisorRun(way)
    run.add("parent", "sleep 1000 & sleep 1000 & exit 3")
    run.relaunch("parent")
    let leader = try run.pid("parent")
    #expect(try run.exit("parent") == 3)
    try SupervisorRun.until("its children have ended") {
      ProcessStatus.members(ofGroup: leader).allSatisfy { $0.status.state == "Z" }
    }
    await run.supervisor.stop()
  }

  @Test(.enabled(if: SupervisorRun.Way.here.contains(.freezer)))
  func `in a cgroup a process that leaves the group ends as well`() async throws {
    let run = try SupervisorRun(.freezer)
    run.add("daemon", "setsid sleep 1000 & echo $! > \(run.folder("pid")); wait")
    run.relaunch("daemon")
    _ = try run.pid("daemon")
    var child: pid_t?
    try SupervisorRun.until("it has started") {
      child = KernelFile.read(run.folder("pid")).flatMap { pid_t($0.filter(\.isNumber)) }
      return child.flatMap { ProcessStatus(of: $0)?.group == $0 } ?? false
    }
    run.terminate("daemon")
    _ = try run.end("daemon")
    let pid = try #require(child)
    try SupervisorRun.until("it has ended") { !SupervisorRun.isAlive(pid) }
    await run.supervisor.stop()
  }

  @Test(arguments: SupervisorRun.Way.here)
  func `a suspended program is ended without notice`(way: SupervisorRun.Way) async throws {
    let run = try SupervisorRun(way, graceMilliseconds: 100)
    run.add("logger", "trap 'touch \(run.folder("noticed"))' TERM; " + acknowledging)
    run.relaunch("logger")
    run.deliver("logger", event: 1)
    try run.acknowledged("logger", 1)
    run.suspend("logger")
    _ = try run.suspension("logger")
    run.terminate("logger")
    #expect(try run.end("logger") == 128 + SIGKILL)
    #expect(!FileManager.default.fileExists(atPath: run.folder("noticed")))
    // The next one runs: nothing of the suspension is left.
    run.relaunch("logger", event: 2)
    run.deliver("logger", event: 2)
    try run.acknowledged("logger", 2)
    await run.supervisor.stop()
  }

  @Test(arguments: SupervisorRun.Way.here)
  func `ten at once`(way: SupervisorRun.Way) async throws {
    let run = try SupervisorRun(way)
    let names = (0..<10).map { "logger \($0)/.." }
    for name in names { run.add(name, acknowledging) }
    for name in names {
      run.relaunch(name)
      run.deliver(name, event: 1)
    }
    for name in names { try run.acknowledgedInAnyOrder(name, 1) }
    for name in names { run.suspend(name) }
    for name in names { try run.suspendedInAnyOrder(name) }
    for name in names {
      run.wake(name, event: 2)
      run.deliver(name, event: 2)
    }
    for name in names { try run.acknowledgedInAnyOrder(name, 2) }
    await run.supervisor.stop()
    #expect(KernelFile.names(in: run.folder("run"), areDirectories: false) == [])
  }

  @Test func `a program starts clean, and knows why`() async throws {
    let run = try SupervisorRun(SupervisorRun.Way.here[0])
    let out = run.folder("out")
    run.add(
      "curious",
      """
      read -r launch
      { ls /proc/self/fd | wc -l; grep -E 'SigBlk|SigIgn' /proc/self/status | grep -v 0000000000000000
        echo "$LOCWATCH_CAUSE $LOCWATCH_EVENT_ID"; echo "$launch"; } > \(out)
      """)
    run.relaunch("curious", event: 17)
    #expect(try run.exit("curious") == 0)
    let lines = try #require(KernelFile.read(out)).split(separator: "\n").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    // The standard three, the channel of `LOCWATCH_FD`, and the one by which `ls` reads the directory.
    #expect(
      lines == [
        "5", "B4 17",
        #"{"v":1,"type":"launch","cause":"B4","kind":"region","event":17,"budget_s":10.000,"locked":false}"#,
      ])
    await run.supervisor.stop()
  }

  @Test func `a program that can't be started counts as one that exited`() async throws {
    let run = try SupervisorRun()
    for (name, command, status) in [
      ("missing", ["/no/such/program"], 127), ("directory", ["/tmp"], 126), ("none", [], 127),
    ] as [(String, [String], Int32)] {
      run.supervisor.add(Subscriber(name: name, command: command))
      run.relaunch(name)
      run.deliver(name, event: 1)
      #expect(try run.exit(name) == status)
    }
    await run.supervisor.stop()
  }

  @Test func `a start that is ordered while the last process ends waits for its end`() async throws {
    let run = try SupervisorRun(graceMilliseconds: 100)
    run.add("stubborn", "trap '' TERM; " + acknowledging)
    run.relaunch("stubborn", event: 1)
    run.deliver("stubborn", event: 1)
    let first = try run.pid("stubborn")
    try run.acknowledged("stubborn", 1)
    run.terminate("stubborn")
    run.relaunch("stubborn", event: 2)
    run.deliver("stubborn", event: 2)
    run.deliver("stubborn", event: 3)
    #expect(try run.end("stubborn") == 128 + SIGKILL)
    #expect(try run.pid("stubborn") != first)
    try run.acknowledged("stubborn", 2)
    try run.acknowledged("stubborn", 3)
    await run.supervisor.stop()
  }

  /// Starts "slow" and orders its end, which waits for a file, and calls it again meanwhile; the first process.
  private static func callWhileItEnds(
    _ run: SupervisorRun, _ style: Subscriber.Style, until file: String
  ) throws -> pid_t {
    run.add("slow", style: style, "trap '' TERM; while ! [ -e '\(file)' ]; do sleep 0.01; done")
    run.relaunch("slow", event: 1)
    run.deliver("slow", event: 1)
    let first = try run.pid("slow")
    run.terminate("slow")
    run.relaunch("slow", event: 2)
    run.deliver("slow", event: 2)
    return first
  }

  @Test(arguments: [Subscriber.Style.resident, .oneshot])
  func `K1 it tells how long a program that was called waited for the end of the last process`(
    style: Subscriber.Style
  ) async throws {
    let run = try SupervisorRun(graceMilliseconds: 60_000)
    let folder = TemporaryFolder()
    let first = try Self.callWhileItEnds(run, style, until: folder("end"))
    // At most as long as it is given to end.
    let most = try run.lateSeconds("slow")
    #expect(most > 0 && most <= 60, "\(most)")
    try run.settle()
    _ = folder.write("end", "")
    _ = try run.end("slow")
    #expect(try run.pid("slow") != first)
    await run.supervisor.stop()
  }

  @Test func `K1 a call that was taken back is no call that waited`() async throws {
    let run = try SupervisorRun(graceMilliseconds: 60_000)
    let folder = TemporaryFolder()
    let first = try Self.callWhileItEnds(run, .oneshot, until: folder("end"))
    func isLate(_ report: SupervisorReport) -> Bool {
      if case .event("slow", .begun) = report { true } else { false }
    }
    _ = try run.lateSeconds("slow")
    #expect(run.takeSeen(isLate))
    run.suspend("slow")
    try run.settle()
    _ = folder.write("end", "")
    _ = try run.end("slow")
    run.relaunch("slow", event: 2)
    run.deliver("slow", event: 2)
    #expect(try run.pid("slow") != first)
    #expect(!run.takeSeen(isLate))
    await run.supervisor.stop()
  }

  @Test(arguments: SupervisorRun.Way.here)
  func `one that replaces another starts when that has ended`(way: SupervisorRun.Way) async throws {
    // Enough for the second one to end by itself.
    let run = try SupervisorRun(way, graceMilliseconds: 3_000)
    run.add("same", "trap '' TERM; " + acknowledging)
    run.relaunch("same")
    run.deliver("same", event: 1)
    let first = try run.pid("same")
    try run.acknowledged("same", 1)
    run.add("same", acknowledging)
    run.relaunch("same", event: 2)
    run.deliver("same", event: 2)
    let second = try run.pid("same")
    #expect(!SupervisorRun.isAlive(first))
    try run.acknowledged("same", 2)
    run.supervisor.remove("same")
    #expect(try run.end("same") == 128 + SIGTERM)
    #expect(!SupervisorRun.isAlive(second))
    await run.supervisor.stop()
  }

  @Test func `the user starts a program, and answers reach it`() async throws {
    let run = try SupervisorRun()
    run.add(
      "asker",
      """
      read -r launch; case $launch in *'"cause":"user"'*) ;; *) exit 9 ;; esac
      echo '{"begin_task":"upload"}'
      read -r reply; [ "$reply" = '{"task":7,"remaining_s":30.000}' ] || exit 8
      echo '{"end_task":7}'; echo '{"state_of":"home"}'
      read -r reply; case $reply in *'"region":"home","state":"inside"'*) exit 0 ;; *) exit 7 ;; esac
      """)
    run.supervisor.userLaunch("asker")
    try run.wait(for: .event(subscriber: "asker", .beginTask(name: "upload")))
    run.supervisor.answer("asker", .task(token: 7, remainingSeconds: 30))
    try run.wait(for: .event(subscriber: "asker", .endTask(token: 7)))
    try run.wait(for: .request(subscriber: "asker", .stateOf(region: "home")))
    run.supervisor.answer("asker", .state(region: "home", .inside))
    #expect(try run.exit("asker") == 0)
    await run.supervisor.stop()
  }

  @Test func `K4 one that the user returns to is told how long it was suspended`() async throws {
    let run = try SupervisorRun()
    run.add(
      "sleeper",
      """
      read -r launch; echo '{"begin_task":"x"}'
      read -r launch; case $launch in *'"cause":"user"'*'"slept_s":600.000'*) exit 0 ;; *) exit 9 ;; esac
      """)
    run.supervisor.userLaunch("sleeper")
    try run.wait(for: .event(subscriber: "sleeper", .beginTask(name: "x")))
    run.suspend("sleeper")
    _ = try run.suspension("sleeper")
    run.supervisor.userLaunch("sleeper", UserLaunch(sleptSeconds: 600))
    #expect(try run.exit("sleeper") == 0)
    await run.supervisor.stop()
  }

  @Test func `A11 a process that the user starts is told what was kept for it`() async throws {
    let run = try SupervisorRun()
    run.add(
      "keeper",
      """
      read -r launch; case $launch in *'"cause":"user"'*'"restored":"page 7"'*) exit 0 ;; *) exit 9 ;; esac
      """)
    run.supervisor.userLaunch("keeper", UserLaunch(restored: "page 7"))
    #expect(try run.exit("keeper") == 0)
    await run.supervisor.stop()
  }

  @Test func `what belongs together is handed over before a program can say anything`() async throws {
    let run = try SupervisorRun()
    run.add("hasty", #"echo '{"done":true}'; exec sleep 1000"#)
    run.supervisor.together {
      run.relaunch("hasty")
      // As long as a busy machine may take between the two.
      Thread.sleep(forTimeInterval: 0.3)
      run.deliver("hasty", event: 1)
    }
    try run.acknowledged("hasty", 1)
    await run.supervisor.stop()
  }

  @Test func `a warning is told, and done acknowledges everything handed`() async throws {
    let run = try SupervisorRun()
    run.add(
      "quick",
      #"read a; read b; read c; read d; echo '{"done":true}'; [ "$d" = '{"v":1,"type":"warn","seconds":5.000,"reason":"exit"}' ]"#
    )
    run.relaunch("quick", event: 1)
    run.deliver("quick", event: 1)
    run.deliver("quick", event: 2)
    run.supervisor.perform(.warn(subscriber: "quick", Order.Warning(reason: .exit, seconds: 5)))
    try run.acknowledged("quick", 1)
    try run.acknowledged("quick", 2)
    #expect(try run.exit("quick") == 0)
    await run.supervisor.stop()
  }

  @Test func `a second supervisor of the same place is refused`() async throws {
    let run = try SupervisorRun()
    #expect(throws: Failure.self) { try SupervisorRun(folder: run.folder) }
    await run.supervisor.stop()
  }
}

extension SupervisorRun {
  func acknowledgedInAnyOrder(_ name: String, _ event: Int) throws {
    try inAnyOrder("ack \(event) of \(name)") {
      $0.isAcknowledgment(of: event, by: name)
    }
  }

  func suspendedInAnyOrder(_ name: String) throws {
    try inAnyOrder("suspension of \(name)") {
      if case .note(name, .suspended) = $0 { true } else { false }
    }
  }

  func noted(_ name: String, _ note: SupervisorNote) throws {
    try inAnyOrder("\(note) of \(name)") { $0 == .note(subscriber: name, note) }
  }

  private func inAnyOrder(_ what: String, _ fits: (SupervisorReport) -> Bool) throws {
    if takeSeen(fits) { return }
    _ = try wait(what) { fits($0) ? true : nil }
    _ = takeSeen(fits)
  }
}

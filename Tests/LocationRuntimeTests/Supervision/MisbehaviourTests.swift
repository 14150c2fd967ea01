import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// Programs that do what they should not: the supervisor stays well, and says what it saw.
@Suite(.serialized) struct MisbehaviourTests {
  @Test(arguments: SupervisorRun.Way.here)
  func `one that ignores SIGTERM is killed`(way: SupervisorRun.Way) async throws {
    let run = try SupervisorRun(way, graceMilliseconds: 50)
    run.add("deaf", "trap '' TERM; sh -c 'while :; do sleep 1000; done' & " + acknowledging)
    run.relaunch("deaf")
    run.deliver("deaf", event: 1)
    let leader = try run.pid("deaf")
    try run.acknowledged("deaf", 1)
    run.terminate("deaf")
    try run.wait(for: .note(subscriber: "deaf", .killed))
    #expect(try run.end("deaf") == 128 + SIGKILL)
    try SupervisorRun.until("its children have ended") {
      ProcessStatus.members(ofGroup: leader).allSatisfy { $0.status.state == "Z" }
    }
    await run.supervisor.stop()
  }

  @Test func `one that has left its cgroup is killed all the same`() async throws {
    // Only root may move itself to the root of the tree.
    guard SupervisorRun.Way.here.contains(.freezer), geteuid() == 0 else { return }
    let run = try SupervisorRun(.freezer, graceMilliseconds: 50)
    run.add(
      "runaway",
      #"""
      trap '' TERM
      root=$(while read -r _ _ _ _ place _ rest; do case $rest in *'- cgroup2 '*) echo $place;; esac; done < /proc/self/mountinfo)
      echo $$ > "$root/cgroup.procs" && : > \#(run.folder("left"))
      while :; do sleep 0.1; done
      """#)
    run.relaunch("runaway")
    let leader = try run.pid("runaway")
    try SupervisorRun.until("it has left") { KernelFile.read(run.folder("left")) != nil }
    run.terminate("runaway")
    #expect(try run.end("runaway") == 128 + SIGKILL)
    #expect(!SupervisorRun.isAlive(leader))
    await run.supervisor.stop()
  }

  @Test func `one that never answers can be ended`() async throws {
    let run = try SupervisorRun()
    run.add("mute", "exec sleep 1000")
    run.relaunch("mute")
    run.deliver("mute", event: 1)
    _ = try run.pid("mute")
    run.terminate("mute")
    #expect(try run.end("mute") == 128 + SIGTERM)
    await run.supervisor.stop()
  }

  @Test func `one that never reads holds so much and no more`() async throws {
    let run = try SupervisorRun()
    run.add("blind", "exec sleep 1000")
    run.add("other", acknowledging)
    run.relaunch("blind")
    let line = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000)
    for event in 1...10 {
      run.supervisor.perform(.deliver(subscriber: "blind", event: event, .region), recordLine: line)
    }
    try run.wait(for: .note(subscriber: "blind", .queueFull))
    run.relaunch("other", event: 2)
    run.deliver("other", event: 2)
    try run.acknowledged("other", 2)
    #expect(run.seen.filter { $0 == .note(subscriber: "blind", .queueFull) }.count == 1)
    await run.supervisor.stop()
  }

  @Test func `garbage is passed over and counted by doublings`() async throws {
    let run = try SupervisorRun()
    run.add(
      "garbler",
      #"head -c 4000 /dev/urandom | tr '\n' x; echo; for i in 1 2 3 4; do echo nonsense; done; echo '{"ack":3}'"#
    )
    run.relaunch("garbler")
    try run.wait(for: .note(subscriber: "garbler", .notUnderstood(lines: 4, last: "nonsense")))
    try run.acknowledged("garbler", 3)
    #expect(try run.exit("garbler") == 0)
    await run.supervisor.stop()
  }

  @Test func `a value that is none is refused each time, and a key that is none by doublings`() async throws {
    let run = try SupervisorRun()
    run.add(
      "talker",
      #"for i in 1 2 3 4 5; do echo '{"level":"info"}'; echo '{"start":"nonsense"}'; done; echo '{"ack":3}'"#)
    run.relaunch("talker")
    try run.acknowledged("talker", 3)
    func count(_ what: String) -> Int {
      run.seen.count { $0 == .request(subscriber: "talker", .invalid(what)) }
    }
    #expect(count("level") == 3, "the 1st, 2nd and 4th")
    #expect(count("start") == 5)
    #expect(try run.exit("talker") == 0)
    await run.supervisor.stop()
  }

  @Test func `a line of 100 MB is passed over`() async throws {
    let run = try SupervisorRun()
    run.add("talker", #"head -c 100000000 /dev/zero; echo; echo '{"ack":1}'"#)
    run.relaunch("talker")
    try run.wait(for: .note(subscriber: "talker", .lineTooLong(lines: 1)))
    try run.acknowledged("talker", 1)
    #expect(try run.exit("talker") == 0)
    await run.supervisor.stop()
  }

  @Test func `A11 only a line by which a text is kept may be longer than others`() async throws {
    let run = try SupervisorRun()
    let letters = "head -c 65536 /dev/zero | tr '\\0' A"
    run.add(
      "keeper",
      #"""
      { printf '{"preserve":"'; \#(letters) | sed 's/A/\\u0041/g'; echo '"}'
        printf '{"preserve":"'; \#(letters) | sed 's/A/\\u0041/g'; echo 'B"}'
        printf '{"ack":9'; \#(letters) | tr A ' '; echo '}'
        printf '{"preserve":"'; head -c 400000 /dev/zero | tr '\0' A; echo '"}'
        echo '{"ack":1}'; }
      """#)
    run.relaunch("keeper")
    try run.wait(
      for: .event(subscriber: "keeper", .preserve(text: String(repeating: "A", count: 65_536))))
    try run.wait(for: .request(subscriber: "keeper", .invalid("preserve")))
    try run.wait(for: .note(subscriber: "keeper", .lineTooLong(lines: 1)))
    try run.wait(for: .note(subscriber: "keeper", .lineTooLong(lines: 2)))
    try run.acknowledged("keeper", 1)
    #expect(try run.exit("keeper") == 0)
    await run.supervisor.stop()
  }

  @Test func `a flood waits in its own pipe while others are served`() async throws {
    let run = try SupervisorRun()
    run.add("flood", #"exec yes '{"begin_task":"x"}'"#)
    run.add("other", acknowledging)
    run.relaunch("flood")
    let pid = try run.pid("flood")
    // Nobody takes reports: it must come to rest, blocked in its write.
    try SupervisorRun.until("it waits") {
      KernelFile.read("/proc/\(pid)/wchan")?.contains("pipe") ?? false || ProcessStatus(of: pid)?.state == "S"
    }
    run.relaunch("other", event: 2)
    run.deliver("other", event: 2)
    try run.acknowledged("other", 2)
    #expect(run.pending.count <= 2 * SupervisorLimits.reports + SupervisorLimits.pieceBytes / 18)
    run.terminate("flood")
    _ = try run.end("flood")
    await run.supervisor.stop()
  }

  @Test func `standard error is read up to a share of each second`() {
    var share = SecondShare(mostBytes: 100)
    #expect(share.nextReading(at: 5_000) == nil)
    share.note(99, at: 5_000)
    #expect(share.nextReading(at: 5_001) == nil)
    share.note(70, at: 5_400)
    #expect(share.nextReading(at: 5_400) == 6_000 && share.nextReading(at: 5_999) == 6_000)
    #expect(share.nextReading(at: 6_000) == nil)
    share.note(99, at: 6_000)
    #expect(share.nextReading(at: 6_000) == nil, "a new second begins with nothing")
  }

  @Test func `answers come at a bounded rate, and none is lost`() async throws {
    let run = try SupervisorRun()
    let count = 3 * SupervisorLimits.answersPerSecond
    run.add("flood", #"i=0; while [ $i -lt \#(count) ]; do i=$((i+1)); echo "{\"end_task\":$i}"; done; cat"#)
    let start = ContinuousClock.now
    run.relaunch("flood")
    try run.wait(for: .event(subscriber: "flood", .endTask(token: count)))
    // Three seconds' worth takes at least two.
    #expect(ContinuousClock.now - start > .seconds(1.9))
    let tokens = run.seen.compactMap { report -> Int? in
      if case .event(subscriber: "flood", .endTask(let token)) = report { token } else { nil }
    }
    #expect(tokens == Array(1...count))
    run.terminate("flood")
    _ = try run.end("flood")
    await run.supervisor.stop()
  }

  @Test func `one that closes its input can't be told`() async throws {
    let run = try SupervisorRun()
    run.add("closer", #"exec 0<&-; echo '{"state_of":"x"}'; exec sleep 1000"#)
    run.relaunch("closer")
    try run.wait(for: .request(subscriber: "closer", .stateOf(region: "x")))
    // A program that is being started just then may hold the other end for a moment: the next write tells.
    var event = 0
    try SupervisorRun.until("a write fails") {
      event += 1
      run.deliver("closer", event: event)
      return run.hasCome(.note(subscriber: "closer", .closedInput))
    }
    run.terminate("closer")
    _ = try run.end("closer")
    await run.supervisor.stop()
  }

  @Test func `a oneshot need not read its event`() async throws {
    let run = try SupervisorRun()
    let (closed, end) = (run.folder("closed"), run.folder("end"))
    run.add(
      "once", style: .oneshot, "exec 0<&-; : > \(closed); until [ -e \(end) ]; do sleep 0.01; done")
    run.add("other", acknowledging)
    run.relaunch("once", event: 1)
    // More than a pipe takes: what is left can't be written.
    let line = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000)
    run.supervisor.perform(.deliver(subscriber: "once", event: 1, .region), recordLine: line)
    try SupervisorRun.until("it has closed its input") { KernelFile.read(closed) != nil }
    run.relaunch("other", event: 2)
    run.deliver("other", event: 2)
    try run.acknowledged("other", 2)
    _ = run.folder.write("end", "")
    try run.acknowledged("once", 1)
    #expect(!run.seen.contains(.note(subscriber: "once", .closedInput)))
    await run.supervisor.stop()
  }

  @Test func `one that closes its output can't answer`() async throws {
    let run = try SupervisorRun()
    run.add("closer", "exec sleep 1000 >&-")
    run.relaunch("closer")
    try run.wait(for: .note(subscriber: "closer", .closedOutput))
    run.terminate("closer")
    _ = try run.end("closer")
    await run.supervisor.stop()
  }

  @Test(arguments: SupervisorRun.Way.here)
  func `one that forks on and on is ended with all it forked`(way: SupervisorRun.Way) async throws {
    let run = try SupervisorRun(way)
    run.add(
      "forker",
      "while :; do sh -c 'exec sleep 1000' & n=$((n+1)); [ $n -lt 50 ] || break; done; " + acknowledging)
    run.relaunch("forker")
    run.deliver("forker", event: 1)
    let leader = try run.pid("forker")
    try run.acknowledged("forker", 1)
    #expect(ProcessStatus.members(ofGroup: leader).count > 50)
    run.suspend("forker")
    _ = try run.suspension("forker")
    run.terminate("forker")
    _ = try run.end("forker")
    try SupervisorRun.until("all have ended") {
      ProcessStatus.members(ofGroup: leader).allSatisfy { $0.status.state == "Z" }
    }
    await run.supervisor.stop()
  }
}

/// Programs that are started once for each event.
@Suite(.serialized) struct OneshotTests {
  @Test func `exit 0 acknowledges, one after the other`() async throws {
    let run = try SupervisorRun(SupervisorRun.Way.here[0])
    run.add(
      "once", style: .oneshot,
      #"cat >> \#(run.folder("out")); echo " $LOCWATCH_EVENT_ID" >> \#(run.folder("out"))"#)
    run.relaunch("once", event: 1)
    for event in 1...3 { run.deliver("once", event: event) }
    run.deliver("once", event: 2)  // known already
    for event in 1...3 { try run.acknowledged("once", event) }
    #expect(try run.exit("once") == 0)
    let text = (1...3).map { #"{"v":1,"id":\#($0),"type":"region.enter"}"# + "\n \($0)\n" }.joined()
    #expect(KernelFile.read(run.folder("out")) == text)
    await run.supervisor.stop()
    #expect(run.seen.filter { if case .event(_, .exited) = $0 { true } else { false } }.count == 1)
  }

  @Test func `A10 each is told what it is started for`() async throws {
    let run = try SupervisorRun()
    let out = run.folder("out")
    run.add(
      "once", style: .oneshot, #"echo "$LOCWATCH_EVENT_ID $LOCWATCH_CAUSE $LOCWATCH_KIND" >> \#(out)"#)
    run.relaunch("once", event: 1)
    run.deliver("once", event: 1)
    run.deliver("once", event: 2, Order.Cause(rule: .issue, kind: "issue"))
    for event in 1...2 { try run.acknowledged("once", event) }
    #expect(KernelFile.read(out) == "1 B4 region\n2 I5 issue\n")
    await run.supervisor.stop()
  }

  @Test func `another exit does not, and the events behind it wait`() async throws {
    let run = try SupervisorRun()
    run.add("failing", style: .oneshot, "[ $LOCWATCH_EVENT_ID = 1 ] || exit 3")
    run.relaunch("failing", event: 1)
    for event in 1...3 { run.deliver("failing", event: event) }
    try run.acknowledged("failing", 1)
    #expect(try run.exit("failing") == 3)
    await run.supervisor.stop()
    var rest: [SupervisorReport] = []
    run.supervisor.take(into: &rest)
    #expect(!rest.contains { if case .event(_, .acknowledged) = $0 { true } else { false } })
  }

  @Test func `what was ordered before its failure was known is not run before the event that failed`()
    async throws
  {
    let run = try SupervisorRun()
    let out = run.folder("out")
    run.add(
      "failing", style: .oneshot,
      #"echo "$LOCWATCH_EVENT_ID" >> \#(out); [ -e \#(run.folder("ok")) ] || exit 3"#)
    run.relaunch("failing", event: 1)
    run.deliver("failing", event: 1)
    #expect(try run.exit("failing") == 3)
    // The engine has not seen the exit when it orders this.
    run.deliver("failing", event: 2)
    _ = run.folder.write("ok", "")
    run.relaunch("failing", event: 1)
    for event in 1...2 { run.deliver("failing", event: event) }
    for event in 1...2 { try run.acknowledged("failing", event) }
    #expect(KernelFile.read(out) == "1\n1\n2\n")
    await run.supervisor.stop()
  }

  @Test func `D6 it reads which notification the user opened`() async throws {
    let run = try SupervisorRun()
    run.add("once", style: .oneshot, "cat > \(run.folder("out"))")
    var launch = Order.Launch(cause: .notificationOpened, kind: "notification", event: 7, budgetSeconds: 0)
    launch.notification = "tea"
    launch.data = #"{"x":1}"#
    run.supervisor.perform(.open(subscriber: "once", launch: launch))
    #expect(try run.exit("once") == 0)
    let text = KernelFile.read(run.folder("out")) ?? ""
    #expect(text.contains(#""notification":"tea","data":{"x":1}"#), "\(text)")
    await run.supervisor.stop()
  }

  /// Shell text that notes why it runs, and goes on when there is a file of that name.
  private static func gated(_ run: SupervisorRun) -> String {
    """
    why=$(cat); case $why in *'"notification"'*) why=opened ;; *) why=$LOCWATCH_KIND$LOCWATCH_EVENT_ID ;; esac
    echo $why >> '\(run.folder("out"))'
    while ! [ -s '\(run.folder(""))'$why ]; do sleep 0.01; done
    exit $(cat '\(run.folder(""))'$why)
    """
  }

  /// The user opens a notification.
  private static func open(_ run: SupervisorRun) {
    var launch = Order.Launch(cause: .notificationOpened, kind: "notification", event: 7, budgetSeconds: 0)
    launch.notification = "tea"
    run.supervisor.perform(.open(subscriber: "once", launch: launch))
  }

  @Test(arguments: [0, 3])
  func `what it is handed while it runs for the user comes when that process has ended`(status: Int)
    async throws
  {
    let run = try SupervisorRun()
    run.add("once", style: .oneshot, Self.gated(run))
    run.supervisor.userLaunch("once")
    _ = try run.pid("once")
    run.supervisor.userLaunch("once")
    for event in 1...2 { run.deliver("once", event: event) }
    try run.settle()
    _ = run.folder.write("user", "\(status)")
    for event in 1...2 {
      _ = run.folder.write("region\(event)", "0")
      try run.acknowledged("once", event)
    }
    #expect(try run.exit("once") == 0)
    #expect(KernelFile.read(run.folder("out")) == "user\nregion1\nregion2\n")
    #expect(run.seen.count { if case .event("once", .exited) = $0 { true } else { false } } == 1)
    await run.supervisor.stop()
  }

  @Test func `no process is started for an event that was acknowledged by hand while it waited`() async throws
  {
    let run = try SupervisorRun()
    run.add("once", style: .oneshot, Self.gated(run))
    run.relaunch("once", event: 1)
    for event in 1...3 { run.deliver("once", event: event) }
    _ = try run.pid("once")
    run.supervisor.withdraw(2, from: "once")
    try run.settle()
    for event in [1, 3] {
      _ = run.folder.write("region\(event)", "0")
      try run.acknowledged("once", event)
    }
    #expect(try run.exit("once") == 0)
    #expect(KernelFile.read(run.folder("out")) == "region1\nregion3\n")
    await run.supervisor.stop()
  }

  @Test func `B2 of updates that come while it runs it is started for the last`() async throws {
    let run = try SupervisorRun()
    run.add("once", style: .oneshot, Self.gated(run))
    run.supervisor.userLaunch("once")
    _ = try run.pid("once")
    for event in [1, 2, 4] {
      run.deliver("once", event: event, Order.Cause(rule: .standard, kind: "location"))
    }
    run.deliver("once", event: 5)
    try run.settle()
    _ = run.folder.write("user", "0")
    for (event, word) in [(4, "location4"), (5, "region5")] {
      _ = run.folder.write(word, "0")
      try run.acknowledged("once", event)
    }
    #expect(KernelFile.read(run.folder("out")) == "user\nlocation4\nregion5\n")
    await run.supervisor.stop()
  }

  @Test(arguments: [0, 3])
  func `D6 what the user opens while an event's process runs comes next`(status: Int32) async throws {
    let run = try SupervisorRun()
    run.add("once", style: .oneshot, Self.gated(run))
    run.relaunch("once", event: 1)
    for event in 1...2 { run.deliver("once", event: event) }
    _ = try run.pid("once")
    Self.open(run)
    try run.settle()
    _ = run.folder.write("region2", "0")
    _ = run.folder.write("region1", "\(status)")
    if status == 0 { try run.acknowledged("once", 1) }
    _ = try run.pid("once")
    _ = run.folder.write("opened", "0")
    if status == 0 { try run.acknowledged("once", 2) }
    #expect(try run.exit("once") == status)
    // An event that has failed is tried again by order; those behind it wait for that.
    #expect(KernelFile.read(run.folder("out")) == "region1\nopened\n" + (status == 0 ? "region2\n" : ""))
    // Only after the last of them there is nothing to suspend.
    let ends = run.seen.compactMap { if case .event("once", .finished(let end)) = $0 { end } else { nil } }
    #expect(ends.map(\.isFollowed) == (status == 0 ? [true, true, nil] : [true, nil]))
    await run.supervisor.stop()
  }

  @Test func `a launch by the user of one that still ends comes when it has ended`() async throws {
    let run = try SupervisorRun()
    let ready = run.folder("ready")
    run.add(
      "once", style: .oneshot,
      "[ -e \(ready) ] && exit 0; trap '' TERM; : > \(ready); while ! [ -e \(run.folder("end")) ]; do sleep 0.01; done"
    )
    run.supervisor.userLaunch("once")
    let first = try run.pid("once")
    try SupervisorRun.until("it runs") { KernelFile.read(ready) != nil }
    run.terminate("once")
    run.supervisor.userLaunch("once")
    try run.settle()
    _ = run.folder.write("end", "")
    _ = try run.end("once")
    #expect(try run.pid("once") != first)
    #expect(try run.exit("once") == 0)
    await run.supervisor.stop()
  }

  @Test(arguments: [Subscriber.Style.resident, .oneshot], [false, true])
  func `a launch by the user after an end that was not heard of is missed, and starts nothing`(
    style: Subscriber.Style, isOpening: Bool
  ) async throws {
    let run = try SupervisorRun()
    run.add("once", style: style, "while ! [ -e '\(run.folder("end"))' ]; do sleep 0.01; done; exit 3")
    run.supervisor.userLaunch("once")
    let first = try run.pid("once")
    _ = run.folder.write("end", "")
    try SupervisorRun.until("it is gone") { ProcessStatus(of: first) == nil }
    if isOpening { Self.open(run) } else { run.supervisor.userLaunch("once") }
    let missed = try run.wait("the miss") { if case .missed("once", let launch) = $0 { launch } else { nil } }
    #expect(missed.opened?.notification == (isOpening ? "tea" : nil))
    #expect(run.seen.contains(.event(subscriber: "once", .exited(status: 3))))
    // By now it is heard of.
    run.supervisor.userLaunch("once")
    #expect(try run.pid("once") != first)
    #expect(try run.exit("once") == 3)
    await run.supervisor.stop()
  }

  @Test func `one that does not read its event is started and acknowledges all the same`() async throws {
    let run = try SupervisorRun()
    run.add("careless", style: .oneshot, "exec 0<&-; exit 0")
    run.relaunch("careless", event: 1)
    run.deliver("careless", event: 1)
    try run.acknowledged("careless", 1)
    await run.supervisor.stop()
  }

  @Test func `one whose file does not open keeps no other waiting, and runs when it does`() async throws {
    let run = try SupervisorRun()
    let path = run.folder.write("slow", "#!/bin/sh\n" + acknowledging)
    #expect(unsafe chmod(path, 0o700) == 0)
    let lease = try Lease(on: path)
    run.supervisor.add(Subscriber(name: "slow", command: [path]))
    run.relaunch("slow")
    run.deliver("slow", event: 1)
    let pid = try run.pid("slow")
    try run.settle()
    #expect(KernelFile.read("/proc/\(pid)/cmdline")?.hasPrefix(path) == false, "the file is open")
    lease.end()
    try run.acknowledged("slow", 1)
    await run.supervisor.stop()
  }

  @Test(arguments: [Subscriber.Style.resident, .socket])
  func `what is wrong with a file that opens late is told in the words of one that opens at once`(
    style: Subscriber.Style
  ) async throws {
    let run = try SupervisorRun()
    let path = run.folder.write("slow", "#!/nowhere/sh\n")
    #expect(unsafe chmod(path, 0o700) == 0)
    var told: [SupervisorReport] = []
    for isLate in [false, true] {
      let name = isLate ? "late" : "now"
      let lease = isLate ? try Lease(on: path) : nil
      run.supervisor.add(Subscriber(name: name, command: [path], style: style))
      run.relaunch(name)
      if isLate { _ = try run.pid(name) }
      lease?.end()
      let reason = try run.wait("why it was not started") {
        if case .note(name, .startFailed(let reason)) = $0 { reason } else { nil }
      }
      #expect(reason.contains("/nowhere/sh"))
      told.append(.note(subscriber: "", .startFailed(reason: reason)))
      #expect(try run.exit(name) == 127)
    }
    #expect(told[0] == told[1])
    await run.supervisor.stop()
  }

  /// Until the debugger takes note of the end, or ends itself, our parent can't, and poll(2) tells of the end each time.
  @Test func `the end of one that a debugger traces is looked for once in a while`() throws {
    var start = try ProgramStart(command: ["sleep", "1000"], environment: [], hasOutput: false)
    let tracer = try Process.run(
      URL(fileURLWithPath: "/usr/bin/env"),
      arguments: [
        "python3", "-c",
        """
        import ctypes, sys, time
        seize = 0x4206
        call = ctypes.CDLL(None, use_errno=True).ptrace
        assert call(seize, \(start.pid), 0, 0) == 0, ctypes.get_errno()
        time.sleep(1000)
        """,
      ])
    defer { tracer.terminate() }
    try SupervisorRun.until("it is traced") {
      KernelFile.read("/proc/\(start.pid)/status")?.contains("TracerPid:\t\(tracer.processIdentifier)\n")
        == true
    }
    start.kill()
    try SupervisorRun.until("it has ended") { start.awaited.hasCome }
    #expect(start.awaited.watched(at: 0) != nil)
    #expect(start.awaited.reap(at: 0) == nil)
    #expect(start.awaited.watched(at: 1) == nil)
    let due = try #require(start.awaited.deadline(at: 1))
    #expect(start.awaited.watched(at: due) != nil)
    kill(tracer.processIdentifier, SIGKILL)
    var end: ProgramStart.End?
    try SupervisorRun.until("it is reaped") {
      end = start.awaited.reap(at: due)
      return end != nil
    }
    #expect(end?.status == 128 + SIGKILL)
  }
}

/// Keeps a file from being opened by anybody else, for /proc/sys/fs/lease-break-time seconds (fcntl(2)).
private final class Lease {
  private let file: Descriptor

  init(on path: String) throws {
    file = try #require(Descriptor.open(path, O_RDONLY))
    // Of fcntl.h, where they are for GNU alone. Who has a lease is told by a signal, here one that is ignored.
    let (setSignal, setLease): (Int32, Int32) = (10, 1_024)
    try #require(fcntl(file.number, setSignal, SIGURG) == 0)
    // What is forked meanwhile has the file open for a moment.
    try SupervisorRun.until("nobody else has it open") { fcntl(file.number, setLease, Int32(F_WRLCK)) == 0 }
  }

  func end() { _ = fcntl(file.number, 1_024, Int32(F_UNLCK)) }
}

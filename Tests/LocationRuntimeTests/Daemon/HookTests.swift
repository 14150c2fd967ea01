import Glibc
import LocationCore
import TestSupport
import Testing

@testable import LocationFormats
@testable import LocationRuntime

/// Hooks that do not end, and those that fail.
@Suite(.serialized) struct HookTests {
  /// Starts a child, notes its number, and waits for it.
  private static func hanging(_ folder: TemporaryFolder) -> [String] {
    ["/bin/sh", "-c", "sleep 1000 & echo $! >> '\(folder("children"))'; wait"]
  }

  private static func children(_ folder: TemporaryFolder) -> [pid_t] {
    (KernelFile.read(folder("children")) ?? "").split(separator: "\n").compactMap { pid_t($0) }
  }

  private static func living(_ folder: TemporaryFolder) -> Int {
    children(folder).count { SupervisorRun.isAlive($0) }
  }

  private static func request(_ number: Int, of subscriber: String = "a") -> NotifyHook.Request {
    NotifyHook.Request(
      LocalNotification.Content(title: "t"), of: subscriber, event: number, notification: "\(number)")
  }

  private static func notifyHook(_ script: String) -> NotifyHook {
    NotifyHook(["/bin/sh", "-c", script], environment: ["PATH=/usr/bin:/bin"])
  }

  /// Waits until one that runs has ended; what came of it.
  private static func outcomes(_ hook: inout NotifyHook, at seconds: Double) -> [NotifyHook.Outcome] {
    var polled = PollSet()
    hook.watch(&polled)
    polled.wait(atMost: Int32(TestPatience.seconds * 1_000))
    return hook.take(polled, at: Drive.instant(seconds))
  }

  @Test func `of notifications that wait for the user at most 32 do, with what they have started`() throws {
    let folder = TemporaryFolder()
    var hook = NotifyHook(Self.hanging(folder), environment: ["PATH=/usr/bin:/bin"])
    defer { hook.end() }
    for number in 1...40 {
      let outcomes = hook.show(Self.request(number), at: Drive.instant(0))
      #expect(outcomes.isEmpty)
    }
    try SupervisorRun.until("their children run") { Self.children(folder).count == 32 }
    // They have had their time to fail, so the others take the place of the oldest.
    #expect(hook.deadline == Drive.instant(NotifyHook.patienceSeconds))
    let outcomes = hook.take(PollSet(), at: Drive.instant(NotifyHook.patienceSeconds))
    #expect(outcomes == (1...32).map { .shown(subscriber: "a", event: $0) })
    try SupervisorRun.until("all have run") { Self.children(folder).count == 40 }
    try SupervisorRun.until("the oldest have ended") { Self.living(folder) == 32 }
    hook.end()
    try SupervisorRun.until("all have ended") { Self.living(folder) == 0 }
  }

  @Test func `one reads its line to the end, also where that is longer than a pipe holds`() throws {
    let folder = TemporaryFolder()
    var hook = Self.notifyHook(
      "while ! [ -e '\(folder("go"))' ]; do sleep 0.01; done; wc -lc > '\(folder("read"))'")
    defer { hook.end() }
    var content = LocalNotification.Content(title: "t")
    content.body = String(repeating: "x", count: 200_000)
    let request = NotifyHook.Request(content, of: "a", event: 1, notification: "1")
    let started = hook.show(request, at: Drive.instant(0))
    #expect(started.isEmpty)
    _ = folder.write("go", "")
    var outcomes: [NotifyHook.Outcome] = []
    try SupervisorRun.until("it has ended") {
      outcomes += Self.outcomes(&hook, at: 0)
      return !outcomes.isEmpty
    }
    #expect(outcomes == [.shown(subscriber: "a", event: 1)])
    let counts = (KernelFile.read(folder("read")) ?? "").split { $0 == " " || $0 == "\n" }.compactMap {
      Int($0)
    }
    #expect(counts.first == 1 && (counts.last ?? 0) > 200_000, "\(counts)")
  }

  @Test(arguments: [
    (0, true, false), (100, true, true), (65, true, false), (69, false, false), (1, false, false),
  ])
  func `D5 D6 a status says whether a notification was shown and opened`(
    status: Int, isDone: Bool, isOpened: Bool
  ) {
    var hook = Self.notifyHook("cat > /dev/null; exit \(status)")
    let started = hook.show(Self.request(1), at: Drive.instant(0))
    #expect(started.isEmpty)
    let outcomes = Self.outcomes(&hook, at: 0)
    #expect(outcomes.contains(.shown(subscriber: "a", event: 1)) == isDone)
    #expect(outcomes.contains(.opened(subscriber: "a", notification: "1")) == isOpened)
    #expect(hook.deadline == (isDone ? nil : Drive.instant(1)))
  }

  @Test func `D5 what was not shown is tried again at growing intervals, and all of it once one is shown`() {
    let folder = TemporaryFolder()
    var hook = Self.notifyHook("cat > /dev/null; test -e '\(folder("there"))'")
    for number in 1...2 {
      let started = hook.show(Self.request(number), at: Drive.instant(0))
      #expect(started.isEmpty)
      let outcomes = Self.outcomes(&hook, at: 0)
      // The log is told once.
      #expect(outcomes.count == (number == 1 ? 1 : 0))
    }
    for seconds in [1.0, 3, 7] {
      #expect(hook.deadline == Drive.instant(seconds))
      let started = hook.take(PollSet(), at: Drive.instant(seconds))
      let outcomes = Self.outcomes(&hook, at: seconds)
      #expect((started + outcomes).isEmpty)
    }
    _ = folder.write("there", "")
    _ = hook.take(PollSet(), at: Drive.instant(15))
    let first = Self.outcomes(&hook, at: 15)
    let second = Self.outcomes(&hook, at: 15)
    #expect(first + second == [2, 1].map { .shown(subscriber: "a", event: $0) })
    #expect(hook.deadline == nil)
  }

  @Test func `one that is never shown while others are is given up`() {
    var hook = Self.notifyHook("! grep -q '\"event\":1,'")
    _ = hook.show(Self.request(1), at: Drive.instant(0))
    _ = Self.outcomes(&hook, at: 0)
    for number in 2...6 {
      #expect(hook.deadline != nil)
      let seconds = Double(number)
      _ = hook.show(Self.request(number), at: Drive.instant(seconds))
      let shown = Self.outcomes(&hook, at: seconds)
      #expect(shown == [.shown(subscriber: "a", event: number)])
      let again = Self.outcomes(&hook, at: seconds)
      #expect(again.contains(.shown(subscriber: "a", event: 1)) == (number == 6))
    }
    #expect(hook.deadline == nil)
  }

  @Test func `of one subscriber the latest 128 wait`() {
    var hook = NotifyHook(["/nowhere/hook"], environment: ["PATH=/usr/bin:/bin"])
    for number in 1...140 { _ = hook.show(Self.request(number), at: Drive.instant(0)) }
    hook.hook = ["/bin/sh", "-c", "cat > /dev/null"]
    var outcomes = hook.take(PollSet(), at: Drive.instant(1))
    while hook.deadline != nil { outcomes += Self.outcomes(&hook, at: 1) }
    #expect(outcomes.count == 128)
    #expect(outcomes.contains(.shown(subscriber: "a", event: 13)))
  }

  @Test func `what waits of a subscriber is forgotten with it`() {
    var hook = Self.notifyHook("cat > /dev/null; exit 1")
    _ = hook.show(Self.request(1), at: Drive.instant(0))
    _ = Self.outcomes(&hook, at: 0)
    hook.forget("a")
    #expect(hook.deadline == nil)
  }

  @Test func `a hook that is taken out of the settings while it runs is told of and tried again`() {
    let folder = TemporaryFolder()
    var hook = Self.notifyHook(
      "cat > /dev/null; while ! [ -e '\(folder("go"))' ]; do sleep 0.01; done; exit 1")
    _ = hook.show(Self.request(1), at: Drive.instant(0))
    hook.hook = []
    _ = folder.write("go", "")
    #expect(Self.outcomes(&hook, at: 0).contains { "\($0)".contains("/bin/sh ended with status 1") })
    #expect(hook.deadline == nil)
    let idle = hook.take(PollSet(), at: Drive.instant(60))
    #expect(idle.isEmpty)
    hook.hook = ["/bin/sh", "-c", "cat > /dev/null"]
    _ = hook.take(PollSet(), at: Drive.instant(60))
    #expect(Self.outcomes(&hook, at: 60) == [.shown(subscriber: "a", event: 1)])
  }

  @Test func `a hook of the receiver that is taken out of the settings while it runs is told of`() throws {
    let folder = TemporaryFolder()
    var hook = ReceiverHook(
      ["/bin/sh", "-c", "while ! [ -e '\(folder("go"))' ]; do sleep 0.01; done; exit 3"],
      environment: ["PATH=/usr/bin:/bin"])
    #expect(hook.turn(on: true, at: Drive.instant(0)) == nil)
    #expect(hook.turn(on: false, at: Drive.instant(0)) == nil)
    hook.command = []
    _ = folder.write("go", "")
    var trouble: String?
    try SupervisorRun.until("it has ended") {
      trouble = hook.look(at: Drive.instant(0))
      return hook.readable < 0
    }
    #expect(trouble?.contains("/bin/sh ended with status 3") == true)
  }

  @Test func `a hook of the receiver that hangs ends with the daemon, with what it has started`() throws {
    let folder = TemporaryFolder()
    var hook = ReceiverHook(Self.hanging(folder), environment: ["PATH=/usr/bin:/bin"])
    let trouble = hook.turn(on: true, at: Drive.instant(0))
    #expect(trouble == nil)
    try SupervisorRun.until("its child runs") { Self.children(folder).count == 1 }
    hook.end()
    try SupervisorRun.until("it has ended") { Self.living(folder) == 0 }
    let readable = hook.readable
    #expect(readable == -1)
  }

  @Test func `what a killed daemon has left of its hooks is ended by the next`() throws {
    let folder = TemporaryFolder()
    var supervision = SupervisorConfiguration(runDirectory: folder("run"))
    supervision.usesCgroups = false
    var site: SupervisorSite? = try SupervisorSite(supervision)
    let notes = HookNotes(runDirectory: supervision.runDirectory)
    let environment = ["PATH=/usr/bin:/bin"]
    var notifier = NotifyHook(Self.hanging(folder), environment: environment, notes: notes)
    _ = notifier.show(Self.request(1), at: Drive.instant(0))
    var receiver = ReceiverHook(["/bin/sh", "-c", "sleep 600"], environment: environment, notes: notes)
    _ = receiver.turn(on: true, at: Drive.instant(0))
    try SupervisorRun.until("its child runs") { Self.children(folder).count == 1 }
    site = nil
    site = try SupervisorSite(supervision)
    site?.reclaim()
    try SupervisorRun.until("they have ended") {
      guard receiver.look(at: Drive.instant(1)) == nil else { return true }
      return receiver.readable < 0
    }
    try SupervisorRun.until("its child has ended") { Self.living(folder) == 0 }
    #expect(KernelFile.names(in: supervision.runDirectory, areDirectories: false).isEmpty)
  }

  @Test func `D5 a service that takes only so many at once gets all of them`() {
    let folder = TemporaryFolder()
    // It takes as many as there are files in a folder, each of which one uses up.
    var hook = Self.notifyHook(
      "cat > /dev/null; for file in '\(folder.path)'/*; do rm \"$file\" 2>/dev/null && exit 0; done; exit 1")
    for number in 1...12 {
      _ = hook.show(Self.request(number), at: Drive.instant(0))
      _ = Self.outcomes(&hook, at: 0)
    }
    var shown: Set<Int> = []
    for second in 1...60 {
      for place in 0..<(second == 1 ? 4 : 1) { _ = folder.write("\(second)-\(place)", "") }
      let seconds = Double(second)
      var outcomes = hook.take(PollSet(), at: Drive.instant(seconds))
      while hook.runs { outcomes += Self.outcomes(&hook, at: seconds) }
      for case .shown(_, let event) in outcomes { shown.insert(event) }
      #expect(!outcomes.contains { if case .trouble = $0 { true } else { false } })
    }
    #expect(shown == Set(1...12))
    #expect(hook.deadline == nil)
  }

  @Test func `what waits for room is no reason to wake`() throws {
    let folder = TemporaryFolder()
    var hook = Self.notifyHook("cat > /dev/null; test -e '\(folder("slow"))' && sleep 600; exit 1")
    defer { hook.end() }
    _ = hook.show(Self.request(1), at: Drive.instant(0))
    _ = Self.outcomes(&hook, at: 0)
    _ = folder.write("slow", "")
    for number in 2...40 { _ = hook.show(Self.request(number), at: Drive.instant(0.5)) }
    // The patience with those that run, and not the next try at 1 s, for which there is no room.
    #expect(hook.deadline == Drive.instant(0.5 + NotifyHook.patienceSeconds))
  }

  @Test func `what waits is tried in turn by program`() {
    let folder = TemporaryFolder()
    var hook = Self.notifyHook("cat > /dev/null; test -e '\(folder("there"))'")
    for number in 1...8 {
      _ = hook.show(Self.request(number, of: number == 8 ? "b" : "a"), at: Drive.instant(0))
      _ = Self.outcomes(&hook, at: 0)
    }
    _ = folder.write("there", "")
    var shown: [Int] = []
    var outcomes = hook.take(PollSet(), at: Drive.instant(1))
    while hook.runs { outcomes += Self.outcomes(&hook, at: 1) }
    for case .shown(_, let event) in outcomes { shown.append(event) }
    #expect(shown.count == 8 && (shown.firstIndex(of: 8) ?? 8) < 3, "\(shown)")
  }
}

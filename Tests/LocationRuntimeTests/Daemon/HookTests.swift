import Glibc
import LocationCore
import TestSupport
import Testing

@testable import LocationFormats
@testable import LocationRuntime

/// Hooks that do not end.
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

  @Test func `of notifications that wait for the user at most 32 do, with what they have started`() throws {
    let folder = TemporaryFolder()
    var hook = NotifyHook(Self.hanging(folder), environment: ["PATH=/usr/bin:/bin"])
    defer { hook.end() }
    for number in 1...40 {
      let (isStarted, trouble) = hook.show(
        LocalNotification.Content(title: "t"), of: "a", event: number, notification: "\(number)")
      #expect(isStarted && trouble == nil)
      try SupervisorRun.until("its child runs") { Self.children(folder).count == number }
    }
    try SupervisorRun.until("the oldest have ended") { Self.living(folder) == 32 }
    hook.end()
    try SupervisorRun.until("all have ended") { Self.living(folder) == 0 }
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
}

import Foundation
import LocationCore
import TestSupport
import Testing

@testable import LocationRuntime

/// Locks that a suspended program would keep from others (rule K3).
@Suite(.serialized) struct HeldLockTests {
  @Test func `a descriptor's information names its locks, and leases are none`() {
    let text = """
      pos:\t0
      flags:\t0100002
      lock:\t1: POSIX  ADVISORY  WRITE 12 fe:00:34 0 EOF
      lock:\t2: FLOCK  ADVISORY  READ 12 fe:00:34 0 EOF
      lock:\t3: OFDLCK ADVISORY  WRITE -1 fe:00:34 0 EOF
      lock:\t4: LEASE  ACTIVE    WRITE 12 fe:00:34 0 EOF
      lock:
      """
    #expect(HeldLock.kinds(fdinfo: text) == ["POSIX", "FLOCK", "OFDLCK"])
    #expect(HeldLock.kinds(fdinfo: "") == [])
  }

  /// How a program locks a file, as shell text that goes on when it has.
  private static let ways: [(kind: String, script: String)] = [
    ("FLOCK", "exec 9>FILE; flock 9"),
    // Only a child has it open when the program is suspended.
    ("FLOCK", "(exec 9>FILE; flock 9; exec sleep 1000) & while flock -n FILE true; do :; done"),
    (
      "POSIX",
      "python3 -c 'import fcntl,time; f=open(\"FILE\",\"w\"); fcntl.lockf(f,fcntl.LOCK_EX); open(\"FILE.ready\",\"w\"); time.sleep(1000)' & while ! [ -e FILE.ready ]; do sleep 0.01; done"
    ),
  ]

  @Test(arguments: SupervisorRun.Way.here, [0, 1, 2])
  func `a lock on a file of others is told when the program is suspended, with process and path`(
    way: SupervisorRun.Way, index: Int
  ) async throws {
    let (kind, script) = Self.ways[index]
    guard index != 2 || FileManager.default.isExecutableFile(atPath: "/usr/bin/python3") else { return }
    let run = try SupervisorRun(way)
    let file = run.folder("shared.db")
    run.add("holder", script.replacing("FILE", with: file) + "; " + acknowledging)
    run.relaunch("holder")
    run.deliver("holder", event: 1)
    let leader = try run.pid("holder")
    try run.acknowledged("holder", 1)
    run.suspend("holder")
    let locks = try run.wait("the lock") { if case .held("holder", let locks) = $0 { locks } else { nil } }
    #expect(!locks.isEmpty)
    #expect(locks.allSatisfy { $0.kind == kind && $0.path == file }, "\(locks)")
    #expect(locks.allSatisfy { ProcessStatus(of: $0.pid)?.group == leader })
    // The engine's side ends it: the lock is free.
    run.terminate("holder")
    _ = try run.end("holder")
    let check = try await Command.status("/usr/bin/flock", ["-w", "250", file, "true"])
    #expect(check == 0)
    await run.supervisor.stop()
  }

  @Test(arguments: SupervisorRun.Way.here)
  func `K3 of very many descriptors only the first are looked at`(way: SupervisorRun.Way) async throws {
    let own = OpenDescriptor.list(of: [getpid()], atMost: 2)
    #expect(own.found.count == 2 && !own.areAll)
    let run = try SupervisorRun(way)
    // Each child has the lock's descriptor, and all others.
    let many = """
      exec 9>\(run.folder("shared.db")); flock 9
      for ((fd = 10; fd < 250; fd++)); do eval "exec $fd</dev/null"; done
      for ((k = 0; k < 20; k++)); do sleep 1000 & done
      \(acknowledging)
      """
    run.supervisor.add(Subscriber(name: "many", command: ["/bin/bash", "-c", many]))
    run.relaunch("many")
    run.deliver("many", event: 1)
    try run.acknowledged("many", 1)
    run.suspend("many")
    try run.wait(for: .note(subscriber: "many", .manyDescriptors(seen: SupervisorLimits.descriptors)))
    let locks = try run.wait("the lock") { if case .held("many", let locks) = $0 { locks } else { nil } }
    #expect(locks.count < 20, "\(locks)")
    run.terminate("many")
    _ = try run.end("many")
    await run.supervisor.stop()
  }

  @Test(arguments: SupervisorRun.Way.here)
  func `its own files, files without a name, and none at all are no matter`(way: SupervisorRun.Way)
    async throws
  {
    let run = try SupervisorRun(way)
    try FileManager.default.createDirectory(atPath: run.folder("own"), withIntermediateDirectories: true)
    // The directory that a program is in is its own.
    let shell = run.folder("own/sh")
    try FileManager.default.createSymbolicLink(atPath: shell, withDestinationPath: "/bin/sh")
    let script = """
      exec 9>\(run.folder("own/db")); flock 9; exec 8>\(run.folder("gone")); flock 8; rm \(run.folder("gone"));
      """
    run.supervisor.add(Subscriber(name: "tidy", command: [shell, "-c", script + acknowledging]))
    run.add("plain", acknowledging)
    // So is that of its manifest, also where it is named by a link.
    try FileManager.default.createDirectory(atPath: run.folder("data"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: run.folder("link"), withDestinationPath: run.folder("data"))
    let keeping = "exec 9>\(run.folder("data/db")); flock 9; " + acknowledging
    var keeper = Subscriber(name: "keeper", command: ["/bin/sh", "-c", keeping])
    keeper.directory = run.folder("link")
    run.supervisor.add(keeper)
    // And the one that it has where its manifest names none.
    let own = run.folder("files/homely")
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    run.add("homely", "exec 9>\(own)/db; flock 9; " + acknowledging)
    for (event, name) in [(1, "tidy"), (2, "plain"), (3, "keeper"), (4, "homely")] {
      run.relaunch(name, event: event)
      run.deliver(name, event: event)
      try run.acknowledged(name, event)
      run.suspend(name)
      _ = try run.suspension(name)
      run.supervisor.measure(name)
      _ = try run.wait("usage") { if case .usage(name, _) = $0 { true } else { nil } }
    }
    #expect(!run.seen.contains { if case .held = $0 { true } else { false } })
    await run.supervisor.stop()
  }
}

/// A command that a test runs to its end.
enum Command {
  static func status(_ path: String, _ arguments: [String]) async throws -> Int32? {
    try await LiveProcess(path, arguments).finish()
  }
}

import Foundation
import LocationCore
import TestSupport
import Testing

@testable import LocationRuntime

/// What is found of a supervisor that was killed.
@Suite(.serialized) struct ReclaimTests {
  @Test(arguments: SupervisorRun.Way.here)
  func `programs of a supervisor that was killed are ended by the next`(way: SupervisorRun.Way) async throws {
    let folder = TemporaryFolder()
    let configuration = SupervisorRun.configuration(way, folder)
    let started = try leftBehind(by: configuration, way, "left/1")
    let leader = started.pid
    try SupervisorRun.until("its child runs") { ProcessStatus.members(ofGroup: leader).count == 2 }

    let supervisor = try Supervisor(configuration)
    try SupervisorRun.until("it has ended") { started.reap() != nil }
    try SupervisorRun.until("its child has ended") {
      ProcessStatus.members(ofGroup: leader).allSatisfy { $0.status.state == "Z" }
    }
    await supervisor.stop()
    #expect(KernelFile.names(in: configuration.runDirectory, areDirectories: false) == [])
  }

  /// Rule A3: it runs no code, neither before nor while it is ended.
  @Test(arguments: SupervisorRun.Way.here)
  func `A3 what was suspended does not run again to be ended`(way: SupervisorRun.Way) async throws {
    let folder = TemporaryFolder()
    let count = folder.write("count", "")
    func size() -> Int? { StatePath.status(count).map { Int($0.st_size) } }
    let configuration = SupervisorRun.configuration(way, folder)
    let started = try leftBehind(
      by: configuration, way, "left", "(while :; do echo; done >> \(count)) & wait")
    let sizeThen = size()
    let supervisor = try Supervisor(configuration)
    try SupervisorRun.until("it has ended") { started.reap() != nil }
    await supervisor.stop()
    #expect(size() == sizeThen)
  }

  /// What is there when a supervisor was killed with a program suspended.
  private func leftBehind(
    by configuration: SupervisorConfiguration, _ way: SupervisorRun.Way, _ name: String,
    _ script: String = "sleep 1000 & wait"
  ) throws -> ProgramStart {
    let site = try SupervisorSite(configuration)
    let cgroup = try site.cgroups.map { try Cgroup(path: $0.path(of: name)) }
    let start = try site.start(
      Subscriber(name: name, command: ["/bin/sh", "-c", script]), environment: site.environment,
      hasOutput: true, cgroup: cgroup)
    try SupervisorRun.until("its child runs") { ProcessStatus.members(ofGroup: start.pid).count >= 2 }
    #expect((cgroup.map { ProcessTree.cgroup($0) } ?? .group(start.pid)).suspend())
    try SupervisorRun.until("it is suspended") {
      cgroup?.isFrozen ?? ProcessStatus.members(ofGroup: start.pid).allSatisfy { $0.status.state == "T" }
    }
    return start
  }

  @Test func `a process that only has the number of a noted one is left alone`() async throws {
    let folder = TemporaryFolder()
    let start = try ProgramStart(
      command: ["/bin/sleep", "1000"], environment: [], hasOutput: false, cgroup: nil
    ) { _ in }
    let status = try #require(ProcessStatus(of: start.pid))
    let configuration = SupervisorRun.configuration(.stopSignal, folder)
    try FileManager.default.createDirectory(
      atPath: configuration.runDirectory, withIntermediateDirectories: true)
    let others = [
      RunFile(pid: start.pid, start: status.start - 1, boot: ProcessStatus.boot, cgroup: nil),
      RunFile(pid: start.pid, start: status.start, boot: "another", cgroup: nil),
    ]
    for (index, other) in others.enumerated() {
      let path = "\(configuration.runDirectory)/\(index).run"
      #expect(KernelFile.write(path, other.text, create: true) == 0)
    }
    #expect(KernelFile.write("\(configuration.runDirectory)/cut.run", "12 3", create: true) == 0)
    let supervisor = try Supervisor(configuration)
    #expect(SupervisorRun.isAlive(start.pid))
    await supervisor.stop()
    kill(start.pid, SIGKILL)
    try SupervisorRun.until("it has ended") { start.reap() != nil }
  }

  @Test func `a program whose start can't be noted does not run, unless its cgroup tells of it`() throws {
    for way in SupervisorRun.Way.here {
      let folder = TemporaryFolder()
      let configuration = SupervisorRun.configuration(way, folder)
      let site = try SupervisorSite(configuration)
      let cgroup = try site.cgroups.map { try Cgroup(path: $0.path(of: "new")) }
      try #require(unsafe mkdir("\(configuration.runDirectory)/new.run", 0o700) == 0)
      let program = Subscriber(name: "new", command: ["/bin/sh", "-c", "echo ran > \(folder("ran"))"])
      func start() throws(ProgramStart.Refusal) -> ProgramStart {
        try site.start(program, environment: site.environment, hasOutput: false, cgroup: cgroup)
      }
      if cgroup == nil {
        let refusal = #expect(throws: ProgramStart.Refusal.self) { try start() }
        #expect(refusal?.text == "its start can't be noted: Is a directory")
        #expect(KernelFile.read(folder("ran")) == nil)
      } else {
        let started = try start()
        try SupervisorRun.until("it has ended") { started.reap() != nil }
        #expect(KernelFile.read(folder("ran")) == "ran\n")
      }
      cgroup?.remove()
      site.close()
    }
  }

  @Test func `a lock that a child of a killed daemon has is waited for, one that is kept is not had`() throws
  {
    let folder = TemporaryFolder()
    var killed = Descriptor.open(folder.path, O_RDONLY | O_DIRECTORY)
    let next = try #require(Descriptor.open(folder.path, O_RDONLY | O_DIRECTORY))
    let another = try #require(Descriptor.open(folder.path, O_RDONLY | O_DIRECTORY))
    try #require(killed?.lock() == true)
    var pauses = 0
    let hasNext = next.lock {
      pauses += 1
      if pauses == 3 { killed = nil }
      // What another test forks in this moment has it too.
      StateLock.pauseShortly()
    }
    #expect(hasNext)
    #expect(pauses >= 3)
    let hasAnother = another.lock {}
    #expect(!hasAnother)
  }

  @Test func `a program is noted also after the run directory was removed`() throws {
    let folder = TemporaryFolder()
    let configuration = SupervisorRun.configuration(.stopSignal, folder)
    let site = try SupervisorSite(configuration)
    try #require(unsafe rmdir(configuration.runDirectory) == 0)
    let start = try site.start(
      Subscriber(name: "new", command: ["/bin/sleep", "1000"]), environment: site.environment,
      hasOutput: false, cgroup: nil)
    #expect(KernelFile.names(in: configuration.runDirectory, areDirectories: false) == ["new.run"])
    start.end()
  }

  @Test(arguments: SupervisorRun.Way.here)
  func `nothing of a program has run when its start is noted`(way: SupervisorRun.Way) async throws {
    let folder = TemporaryFolder()
    let site = try SupervisorSite(SupervisorRun.configuration(way, folder))
    let cgroup = try site.cgroups.map { try Cgroup(path: $0.path(of: "new")) }
    let own = try #require(KernelFile.target("/proc/self/exe"))
    let start = try ProgramStart(
      command: ["/bin/sh", "-c", "echo ran > \(folder("ran")); exec sleep 1000"],
      environment: site.environment, hasOutput: false, cgroup: cgroup
    ) { pid in
      #expect(SupervisorRun.isAlive(pid))
      #expect(KernelFile.target("/proc/\(pid)/exe") == own)
      if let cgroup { #expect(cgroup.pids == [pid]) }
    }
    try SupervisorRun.until("it runs") { KernelFile.read(folder("ran")) == "ran\n" }
    // The loader of the next program opens its libraries there for a moment.
    try SupervisorRun.until("the gate is closed") { KernelFile.target("/proc/\(start.pid)/fd/3") == nil }
    (cgroup.map { ProcessTree.cgroup($0) } ?? .group(start.pid)).end()
    try SupervisorRun.until("it has ended") { start.reap() != nil }
    cgroup?.remove()
    site.close()
  }

  @Test(.enabled(if: SupervisorRun.Way.here.contains(.freezer)))
  func `nothing is left in the cgroup file system`() async throws {
    let run = try SupervisorRun(.freezer)
    guard case .freezer(let path) = run.supervisor.method else { return #expect(Bool(false)) }
    run.add("logger", acknowledging)
    run.relaunch("logger")
    run.deliver("logger", event: 1)
    try run.acknowledged("logger", 1)
    #expect(KernelFile.names(in: path, areDirectories: true) == ["logger"])
    await run.supervisor.stop()
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}

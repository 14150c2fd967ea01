import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// What is left of programs when the daemon is killed: nothing, once it is back.
@Suite struct OrphanTests {
  @Test(arguments: DaemonRun.Rights.here)
  func `killed between making a process and noting it the daemon leaves no program`(rights: DaemonRun.Rights)
    async throws
  {
    let run = try DaemonRun(rights)
    try await run.add("gap", #"echo $$ > "$D/ran"; exec sleep 1000 2> /dev/null"#)
    try run.start(run.settings())
    // Who writes the note waits for a reader of this pipe: the daemon stands still in the gap.
    let note = run.state + ".run/gap.run"
    try #require(unsafe mkfifo(note, 0o666) == 0)
    try #require(unsafe chmod(note, 0o666) == 0)
    run.move(0, second: 0)
    var held: Int32?
    try await run.wait("the process that is held") {
      held = children(of: run.process?.pid ?? 0).first
      return held != nil
    }
    #expect(await run.end(SIGKILL) == 137)
    let pid = try #require(held)
    try await run.wait("its end") { !DaemonRun.isAlive(pid) }
    #expect(!FileManager.default.fileExists(atPath: run.folder("ran")))

    unsafe unlink(note)
    try run.start(run.settings())
    for second in 1...3 { run.move(0, second: second) }
    let ran = try await run.waitForFile("ran")
    #expect(Int32(ran.dropLast()).map(DaemonRun.isAlive) == true)
    #expect(await run.end() == 0)
  }

  @Test func `a daemon on a copy of the state folder leaves the programs of the other alone`() async throws {
    let run = try DaemonRun()
    try await run.add("keep", #"echo $$ > "$D/ran"; exec sleep 1000 > /dev/null 2>&1"#)
    try run.start(run.settings())
    run.move(0, second: 0)
    let pid = try #require(Int32(try await run.waitForFile("ran").dropLast()))
    let copy = run.folder("copy")
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    for ending in ["", "-wal", ".run"] where FileManager.default.fileExists(atPath: run.state + ending) {
      let name = URL(fileURLWithPath: run.state + ending).lastPathComponent
      let copying = try await Binary.run(
        ["-r", run.state + ending, "\(copy)/\(name)"], executable: "/bin/cp")
      // Sockets and pipes can't be copied; notes can.
      #expect(copying.status <= 1)
    }
    let state = "\(copy)/\(URL(fileURLWithPath: run.state).lastPathComponent)"
    #expect(FileManager.default.fileExists(atPath: "\(state).run/keep.run"))
    let other = try LiveProcess(
      Binary.path, ["run", "--state", state, "--source", "nmea:/dev/null"])
    try await run.wait("the other daemon") { other.stderr.contains("watching 0 regions") }
    #expect(DaemonRun.isAlive(pid))
    other.signal(SIGTERM)
    #expect(await other.finish() == 0)
    #expect(DaemonRun.isAlive(pid))
    #expect(await run.end() == 0)
  }

  @Test(arguments: DaemonRun.Rights.here)
  func `killed while programs run and sleep the daemon ends them when it is back`(rights: DaemonRun.Rights)
    async throws
  {
    let run = try DaemonRun(rights)
    let forever = "exec sleep 1000 > /dev/null 2>&1"
    try await run.add("awake", #"sh -c '\#(forever)' & echo $$ $! > "$D/awake"; \#(forever)"#)
    try await run.add("asleep", #"sh -c '\#(forever)' & echo $$ $! > "$D/asleep"; serve; \#(forever)"#)
    try run.start(run.settings())
    run.move(0, second: 0)
    let pids = try await (run.waitForFile("awake") + run.waitForFile("asleep")).split { " \n".contains($0) }
      .compactMap { Int32($0) }
    #expect(pids.count == 4)
    try await run.waitFor("asleep", .suspended)
    #expect(try run.state(of: "awake") == .background)
    #expect(await run.end(SIGKILL) == 137)
    // A stopped process group that has lost its parent is hung up by the kernel (setpgid(2)); what is frozen is not.
    let mustBeThere = rights == .own && SuspensionProbe.look()[1].state == .yes ? pids[...] : pids[..<2]
    #expect(mustBeThere.allSatisfy(DaemonRun.isAlive))
    try run.start(run.settings())
    try await run.wait("their end") { !pids.contains(where: DaemonRun.isAlive) }
    #expect(await run.end() == 0)
  }
}

/// The processes that another has started, and that have not ended.
func children(of parent: Int32) -> [Int32] {
  KernelFile.names(in: "/proc", areDirectories: true).compactMap { Int32($0) }.filter { pid in
    guard let text = KernelFile.read("/proc/\(pid)/stat"), let end = text.lastIndex(of: ")") else {
      return false
    }
    let fields = text[end...].split(separator: " ")
    return fields.count > 2 && Int32(fields[2]) == parent && fields[1] != "Z"
  }
}

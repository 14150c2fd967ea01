import Foundation
import TestSupport
import Testing

@testable import LocationRuntime

/// Programs that run as another user, and within limits.
@Suite struct ConfinementTests {
  private static let isRoot = geteuid() == 0

  @Test(.enabled(if: isRoot)) func `a program runs as its user, without new privileges`() async throws {
    let run = try DaemonRun()
    let told = TemporaryFolder()
    #expect(unsafe chmod(told.path, 0o777) == 0 && chmod(run.folder.path, 0o755) == 0)
    try await run.add(
      "one",
      #"cp /proc/self/status '\#(told.path)/status'; tr '\0' '\n' < /proc/self/environ > '\#(told.path)/environment'; cat /proc/self/stat > '\#(told.path)/stat'; ulimit -n > '\#(told.path)/files'; exec sleep 1000"#,
      manifest: "services: [significant-change]\nuser: nobody\ngroup: daemon\nnofile: 64\ntasks_max: 100")
    // What a daemon has that somebody started at a terminal.
    try run.start(
      run.settings(),
      through: ["/usr/bin/env", "HOME=/root", "USER=root", "XDG_RUNTIME_DIR=/run/user/0", "KEPT=1"])
    run.move(0, second: 0)
    var files = ""
    try await run.wait("the program") {
      files = KernelFile.read(told("files")) ?? ""
      return !files.isEmpty
    }
    #expect(files == "64\n")
    let status = (KernelFile.read(told("status")) ?? "").split(separator: "\n")
    func value(_ key: String) -> [Substring] {
      status.first { $0.hasPrefix(key + ":") }?.split(separator: "\t").dropFirst().map { $0 } ?? []
    }
    let nobody = unsafe getpwnam("nobody").pointee.pw_uid
    let daemon = unsafe getgrnam("daemon").pointee.gr_gid
    #expect(value("Uid") == Array(repeating: "\(nobody)", count: 4))
    #expect(value("Gid") == Array(repeating: "\(daemon)", count: 4))
    #expect(value("NoNewPrivs") == ["1"])
    #expect(value("CapEff").first.map { $0.allSatisfy { $0 == "0" } } == true)
    #expect(!(value("Groups").joined(separator: " ").split(separator: " ").contains("0")))
    let home = unsafe String(cString: getpwnam("nobody").pointee.pw_dir)
    let environment = (KernelFile.read(told("environment")) ?? "").split(separator: "\n")
    func entries(_ key: String) -> [Substring] { environment.filter { $0.hasPrefix(key) } }
    #expect(entries("HOME=") == ["HOME=\(home)"] && entries("USER=") == ["USER=nobody"])
    #expect(entries("XDG_").isEmpty && entries("KEPT=") == ["KEPT=1"], "\(environment)")
    // Process, name, state, parent, group, session, terminal (proc(5)): a session of its own has none.
    let stat = (KernelFile.read(told("stat")) ?? "").split(separator: " ")
    #expect(stat.count > 6 && stat[4] == stat[5] && stat[6] == "0", "\(stat)")
    #expect(await run.end() == 0)
  }

  @Test(.enabled(if: isRoot)) func `a user that is not there is told, and nothing runs`() async throws {
    let run = try DaemonRun()
    let added = try await run.add(
      "one", #"touch "$D/ran""#, manifest: "services: [significant-change]\nuser: nobody-of-that-name")
    #expect(added.stderr.contains(#"one: there is no user "nobody-of-that-name""#), "\(added.stderr)")
    try run.start(run.settings())
    run.move(0, second: 0)
    try await run.wait("the log") {
      run.process?.stderr.contains(#"one: can't be started: there is no user "nobody-of-that-name""#) == true
    }
    let launched = try await run.command(["subscribers", "launch", "one"])
    #expect(launched.status == 66, "\(launched)")
    let text = #"locwatch: there is no user "nobody-of-that-name"; make it, or change the manifest"#
    #expect(launched.stderr == text + "\n", "\(launched.stderr)")
    #expect(!FileManager.default.fileExists(atPath: run.folder("ran")))
    #expect(await run.end() == 0)
  }

  @Test(.enabled(if: isRoot)) func `a program that its user may not run is told with both`() async throws {
    let run = try DaemonRun()
    #expect(unsafe chmod(run.folder.path, 0o755) == 0)
    let program = run.folder.write("program", "#!/bin/sh\n")
    #expect(unsafe chmod(program, 0o700) == 0)
    let manifest = run.folder.write(
      "a.yaml", "name: one\ncommand: [\(program)]\nservices: [significant-change]\nuser: nobody\n")
    #expect(try await run.command(["subscribers", "add", manifest]).status == 0)
    try run.start(run.settings())
    run.move(0, second: 0)
    let text = "one: can't be started: user nobody may not run \(program): Permission denied"
    try await run.wait("the log") { run.process?.stderr.contains(text) == true }
    #expect(await run.end() == 0)
  }

  @Test(.enabled(if: isRoot), arguments: ["daemon", "root"])
  func `a user who can't connect to the socket is told of`(group: String) async throws {
    let run = try DaemonRun.started()
    let added = try await run.add(
      "one", style: "socket", "exit 0", manifest: "services: [regions]\nuser: nobody\ngroup: \(group)")
    let isTold = added.stderr.contains("one: user nobody can't connect to \(run.state).subscribers")
    #expect(isTold == (group == "daemon"), "\(added.stderr)")
    #expect(await run.end() == 0)
    try run.start()
    try await run.wait("the log") { run.process?.stderr.contains("locwatch: fixes from") == true }
    #expect(await run.end() == 0)
    #expect(run.process?.stderr.contains("one: user nobody can't connect") == (group == "daemon"))
  }

  @Test func `a group needs a user`() async throws {
    let folder = TemporaryFolder()
    let manifest = folder.write("a.yaml", "name: a\ncommand: [/bin/true]\ngroup: daemon\n")
    let added = try await Binary.run(["subscribers", "add", manifest, "--state", folder("s.db")])
    #expect(added.status == 65 && added.stderr.contains("has no meaning without `user`"), "\(added.stderr)")
  }

  @Test func `a program of style socket needs no command`() async throws {
    let folder = TemporaryFolder()
    let manifest = folder.write("a.yaml", "name: a\nstyle: socket\n")
    let added = try await Binary.run(["subscribers", "add", manifest, "--state", folder("s.db")])
    #expect(added.status == 0, "\(added.stderr)")
  }
}

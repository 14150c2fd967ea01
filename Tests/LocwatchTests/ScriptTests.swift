import Foundation
import TestSupport
import Testing

/// What the scripts do before they build anything.
struct ScriptTests {
  private static let scripts = [
    "check-policy", "demo", "demo-fleet", "fleet-test", "package", "package-fleet", "simulate", "test",
    "test-guest",
    "test-kills", "test-package",
  ]

  @Test(arguments: scripts)
  func `a script says what it is for`(name: String) async throws {
    let run = try await Binary.run(["--help"], executable: PackageRoot.file("scripts/\(name)"))
    #expect(run.status == 0, "\(run.stderr)")
    let text = try String(contentsOfFile: PackageRoot.file("scripts/\(name)"), encoding: .utf8)
    let comment = text.split(separator: "\n").dropFirst().prefix { $0.hasPrefix("#") }
    #expect(run.stdout.split(separator: "\n").first.map { "# " + $0 } == comment.first.map(String.init))
    #expect(run.stdout.split(separator: "\n").count <= comment.count)
  }

  @Test(arguments: scripts)
  func `a script refuses options that it does not have`(name: String) async throws {
    let run = try await Binary.run(["--bogus"], executable: PackageRoot.file("scripts/\(name)"))
    #expect(run.status == 64)
    #expect(
      run.stderr == "scripts/\(name): no option --bogus; scripts/\(name) --help tells what there is\n",
      "\(run)")
  }

  @Test func `a package that is not there is told as such`() async throws {
    let run = try await Binary.run(["nope.deb"], executable: PackageRoot.file("scripts/test-package"))
    #expect(run.status == 66)
    #expect(
      run.stderr == "scripts/test-package: there is no package nope.deb; scripts/package makes one\n",
      "\(run)")
  }

  /// An `objdump` that finds a library stands for the real one.
  @Test(arguments: [
    ("libc.so.6", 0, ""),
    (
      "libswiftCore.so", 70,
      "x: PROGRAM needs Swift's runtime; link the program with --static-swift-stdlib\n"
    ),
  ])
  func `a program that needs Swift's runtime is not packed`(
    library: String, status: Int32, message: String
  ) async throws {
    let folder = TemporaryFolder()
    let tool = folder.write("objdump", "#!/bin/sh\necho '  NEEDED               \(library)'\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: tool)
    let path = "\(folder.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    let run = try await Binary.run(
      ["-c", ". scripts/lib/prepare.sh; program=x; require_static \(tool)"], environment: ["PATH": path],
      executable: "/bin/bash")
    #expect(run.status == status)
    #expect(run.stderr == message.replacingOccurrences(of: "PROGRAM", with: tool))
  }

  @Test func `a program that is not there is not packed`() async throws {
    let run = try await Binary.run(
      ["-c", ". scripts/lib/prepare.sh; program=x; require_static /nope"], executable: "/bin/bash")
    #expect(run.status == 66)
    #expect(run.stderr == "x: there is no program /nope\n")
  }

  /// What a script kills at its end is the program itself, not a shell that runs it.
  @Test func `a program in the background is the process that the scripts of the fleet know`() async throws {
    let script = ". scripts/lib/cluster.sh; LOCWATCH_FLEET=/bin/sh; start_fleet -c 'echo $$'; wait"
    let run = try await Binary.run(
      ["-c", "\(script); echo $fleet_pid; echo ${children[*]}"], executable: "/bin/bash")
    #expect(run.status == 0)
    let processes = run.stdout.split(separator: "\n")
    #expect(processes.count == 3 && Set(processes).count == 1, "\(run)")
  }
}

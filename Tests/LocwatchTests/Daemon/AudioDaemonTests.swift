import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// Section F from the outside: Examples/jukebox.py, a real PipeWire with a sink that nobody hears, and playerctl.
@Suite(.enabled(if: SoundServer.isHere && hasPython, "no PipeWire here"), .serialized)
struct AudioDaemonTests {
  private static func start(_ run: DaemonRun, _ server: SoundServer, _ files: [String]) async throws {
    let program = PackageRoot.file("Examples/jukebox.py")
    let words = files.map { "'\($0)'" }.joined(separator: " ")
    try await run.add("a", "exec '\(program)' \(words)", manifest: "services: []\nmodes: [audio]")
    try run.start(run.settings(), through: ["/usr/bin/env"] + server.environment)
    run.move(0, second: 0)
    try await run.waitForFixes(1)
    try await run.wait("its program") { try run.shown("a") != nil }
    #expect(try await run.command(["subscribers", "launch", "a"]).status == 0)
    try await run.wait("the session") { try run.shown("a")?.audio.map(\.state) == [.sounding] }
    #expect(try await run.command(["subscribers", "background", "a"]).status == 0)
  }

  @Test func `F1 F3 F5 sound holds off suspension, silence ends that, and a key wakes it`() async throws {
    let run = try DaemonRun()
    let server = try SoundServer(run.folder)
    let loud = try SoundServer.sound(run.folder, "loud.wav")
    let silent = try SoundServer.sound(run.folder, "silent.wav", isSilent: true)
    try await Self.start(run, server, [loud, silent])
    try await run.wait("the stream") {
      try await !server.run(["pactl", "list", "short", "sink-inputs"]).isEmpty
    }
    // Long enough for it to be measured: that it is as loud as was supposed is told to nobody.
    try await Task.sleep(for: .seconds(4))
    // An hour by the fixes.
    for second in 1...36 { run.move(0, second: 100 * second) }
    try await run.waitForFixes(37)
    #expect(try run.state(of: "a") == .background)
    #expect(try await server.run(["playerctl", "-p", "locwatch.a", "status"]) == "Playing\n")
    #expect(try await !run.decisions("a").contains("warn F3 audio_silent"))

    // The next file has no sound.
    #expect(try await server.run(["playerctl", "-p", "locwatch.a", "next"]) == "")
    try await run.wait("its session") { try run.shown("a")?.audio.last?.token == 2 }
    try await run.wait("its quiet") { try run.shown("a")?.session.modes.audio?.isQuiet == true }
    #expect(try run.state(of: "a") == .background)
    var second = 4_000
    try await run.wait("silence") {
      run.move(0, second: second)
      second += 20
      return try run.state(of: "a") == .suspended
    }
    let decisions = try await run.decisions("a")
    #expect(decisions.contains("warn F3 audio_silent"))
    #expect(decisions.contains("suspend A2 audio_silent"))

    #expect(try await server.run(["playerctl", "-p", "locwatch.a", "previous"]) == "")
    try await run.wait("the wake") { try await run.decisions("a").contains("wake F5 audio_command") }
    try await run.wait("another session") { try run.shown("a")?.audio.last?.state == .sounding }
    // Until it is heard it is as quiet as the one before.
    try await run.wait("its sound") { try run.shown("a")?.session.modes.audio?.isQuiet == false }
    run.move(0, second: second + 3_600)
    #expect(try run.state(of: "a") == .background)
    #expect(await run.end() == 0)
  }

  @Test func `F3 the program that tells of streams is started again when it has ended`() async throws {
    let run = try DaemonRun()
    let server = try SoundServer(run.folder)
    try await Self.start(run, server, [try SoundServer.sound(run.folder, "loud.wav")])
    let daemon = try #require(run.process?.pid)
    func listener() -> Substring? {
      let children = KernelFile.read("/proc/\(daemon)/task/\(daemon)/children") ?? ""
      return children.split(separator: " ").first { KernelFile.read("/proc/\($0)/comm") == "pw-dump\n" }
    }
    try await run.wait("it runs") { listener() != nil }
    let first = try #require(listener().flatMap { pid_t($0) })
    kill(first, SIGKILL)
    try await run.wait("another runs") { listener().map { $0 != "\(first)" } ?? false }
    #expect(await run.end() == 0)
  }

  /// A daemon whose programs the user has started, one after the other, and which play or record.
  private static func sounding(_ kind: String, _ names: [String] = ["a"]) async throws -> DaemonRun {
    let run = try DaemonRun()
    for name in names {
      try await run.add(
        name, #"echo '{"begin_audio":{"kind":"\#(kind)"}}'"# + "\nserve",
        manifest: "services: []\nmodes: [audio]")
    }
    try await run.startWithFix()
    for (place, name) in names.enumerated() {
      try await run.wait("its program") { try run.shown(name) != nil }
      #expect(try await run.command(["subscribers", "launch", name]).status == 0)
      try await run.wait("the answer") {
        run.log.count { $0.line == #"{"audio":1}"# } == place + 1
      }
    }
    return run
  }

  @Test func `F4 a call that is reported interrupts what sounds, and its end gives it back`() async throws {
    let run = try await Self.sounding("play")
    for (value, line) in [
      ("begin", #"{"v":1,"type":"audio_interrupted","audio":1}"#),
      ("end", #"{"v":1,"type":"audio_resumed","audio":1,"should_resume":true}"#),
    ] {
      #expect(try run.ask(#"{"do":"interrupt","value":"\#(value)"}"#).contains(#""ok":true"#))
      try await run.wait(line) { run.log.contains { $0.line == line } }
    }
    #expect(try run.state(of: "a") == .active)
    let again = try run.ask(#"{"do":"interrupt","value":"end","subscriber":"a"}"#)
    #expect(again.contains("refused by rule A1"), "it is over already: \(again)")
    #expect(await run.end() == 0)
  }

  @Test func `F4 the end of a call is none for whose session another program interrupts`() async throws {
    let run = try await Self.sounding("play", ["a", "b"])
    #expect(try await run.command(["subscribers", "background", "a"]).status == 0)
    for value in ["begin", "end"] {
      #expect(try run.ask(#"{"do":"interrupt","value":"\#(value)"}"#).contains(#""ok":true"#))
    }
    try await run.wait("the end") { try await run.decisions("b").contains("hold F4 audio_resumed") }
    let decisions = try await run.decisions("a")
    #expect(decisions.contains("warn F4 audio_interrupted"))
    #expect(!decisions.contains("refuse A1 illegal_move"))
    #expect(await run.end() == 0)
  }

  @Test func `F6 the user takes the microphone away`() async throws {
    let run = try await Self.sounding("record")
    #expect(try await run.command(["subscribers", "microphone", "a", "deny"]).status == 0)
    try await run.wait("the end") {
      run.log.contains { $0.line.contains(#""type":"audio_ended","audio":1"#) }
    }
    let show = try await run.command(["subscribers", "show", "a"])
    #expect(!show.stdout.contains("sounding"), "\(show.stdout)")
    #expect(await run.end() == 0)
  }
}

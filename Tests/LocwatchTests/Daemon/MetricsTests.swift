import Foundation
import TestSupport
import Testing

/// What Prometheus reads of a real daemon.
@Suite struct MetricsTests {
  /// Prometheus's own check (Debian's package prometheus).
  private static let promtool = "/usr/bin/promtool"

  @Test func `metrics are printed, written to a file, and what promtool asks for`() async throws {
    let run = try DaemonRun()
    #expect(try await run.command(["regions", "add", "home", "--circle", "40.0,11.5,300"]).status == 0)
    let added = try await run.command(["outlets", "add", "a", "--webhook", "https://127.0.0.1:1/"])
    #expect(added.status == 0, "\(added.stderr)")
    try run.start(["--metrics", run.folder("locwatch.prom")])
    for second in 0..<30 { run.gpsd.say(ScriptedGPSD.report(second: second, latitude: 40)) }
    try await run.waitForFixes(30)
    let shown = try await run.command(["metrics"])
    #expect(shown.status == 0, "\(shown.stderr)")
    for line in [
      #"locwatch_fixes_total{result="accepted"} 30"#, "locwatch_up 1", "locwatch_regions 1",
      #"locwatch_region_inside{region="home"} 1"#, #"locwatch_outlet_disabled{outlet="a"} 0"#,
    ] {
      #expect(shown.stdout.contains(line + "\n"), "\(line)")
    }
    let open = try await run.command(["metrics", "--format", "openmetrics"])
    #expect(open.stdout.hasSuffix("# EOF\n"))
    try await run.wait("the file") {
      let text = try? String(contentsOfFile: run.folder("locwatch.prom"), encoding: .utf8)
      return text?.contains("locwatch_up 1\n") == true
    }
    #expect(await run.end() == 0)
    #expect(try await run.command(["metrics"]).stdout.contains("locwatch_up 0\n"))
    // Whoever reads the file is told that nobody runs any more.
    let last = try String(contentsOfFile: run.folder("locwatch.prom"), encoding: .utf8)
    #expect(last.contains("locwatch_up 0\n"), "\(last)")
    guard FileManager.default.isExecutableFile(atPath: Self.promtool) else { return }
    let checked = try await Binary.run(["check", "metrics"], stdin: shown.stdout, executable: Self.promtool)
    #expect(checked.status == 0, "\(checked.stderr)")
  }

  @Test func `a pipe in the place of the draft does not stop the daemon`() async throws {
    let run = try DaemonRun()
    let path = run.folder("locwatch.prom")
    #expect(unsafe mkfifo(path + ".new", 0o666) == 0)
    try run.start(["--metrics", path])
    run.gpsd.say(ScriptedGPSD.report(second: 0, latitude: 40))
    try await run.wait("the file") {
      (try? String(contentsOfFile: path, encoding: .utf8))?.contains("locwatch_up 1\n") == true
    }
    #expect(await run.end() == 0)
    // In the place of the file it is kept: it, or a device such as /dev/full, is not to be replaced.
    let pipe = run.folder("pipe")
    #expect(unsafe mkfifo(pipe, 0o666) == 0)
    try run.start(["--metrics", pipe], expectsConnection: false)
    #expect(await run.process?.finish() == 73)
    #expect(run.process?.stderr.contains("is no plain file") == true)
  }

  @Test func `the file tells the last thing that happened, though nothing follows`() async throws {
    let run = try DaemonRun()
    let path = run.folder("locwatch.prom")
    try run.start(["--metrics", path])
    // At once: a gpsd that is silent for a minute is connected to anew, and then these would be lost. The file is
    // written when the daemon has found gpsd, and not for each of them.
    for second in 0..<3 { run.gpsd.say(ScriptedGPSD.report(second: second, latitude: 40)) }
    // Nobody wakes the daemon any more.
    try await run.wait("the fixes") {
      (try? String(contentsOfFile: path, encoding: .utf8))?.contains(
        "locwatch_fixes_total{result=\"accepted\"} 3\n") == true
    }
    #expect(await run.end() == 0)
  }

  @Test func `Prometheus may scrape the server of the page, with its token`() async throws {
    let run = try DaemonRun()
    #expect(try await run.command(["regions", "add", "home", "--circle", "40.0,11.5,300"]).status == 0)
    let server = try await WebServer.start(run)
    #expect(try await server.ask("GET", "/api/metrics", token: "wrong").status == 401)
    let plain = try await server.ask("GET", "/api/metrics")
    #expect(plain.status == 200 && plain.body.contains("locwatch_regions 1\n"), "\(plain)")
    let open = try await server.ask(
      "GET", "/api/metrics", more: "Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
    // The reader ends each line once more.
    #expect(open.body.hasSuffix("# EOF\n\n"), "\(open)")
    server.process.signal(SIGTERM)
    #expect(await server.process.finish() == 0)
  }
}

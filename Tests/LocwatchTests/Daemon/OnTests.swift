import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationRuntime

/// `locwatch on`, from the outside.
@Suite struct OnTests {
  private static let track = "Tracks/commute-with-stops.gpx"
  private static let home = ["--circle", "52.5164,13.3760,150"]

  /// A script that writes what it finds to files of the test's folder.
  private func script(_ folder: TemporaryFolder, _ more: String = "") -> String {
    let path = folder.write(
      "note.sh",
      """
      #!/bin/sh
      D='\(folder.path)'
      env | grep '^LOCWATCH_' | sort > "$D/env.new"
      cat > "$D/record"
      echo run >> "$D/runs"
      mv "$D/env.new" "$D/env"
      \(more)
      """)
    try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }

  private func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

  private func variables(_ folder: TemporaryFolder) -> [String: String] {
    let lines = text(folder("env")).split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1) }
    return Dictionary(uniqueKeysWithValues: lines.map { (String($0[0]), $0.count > 1 ? String($0[1]) : "") })
  }

  // MARK: With a daemon

  @Test func `a command runs when the device leaves and enters, and finds what happened`() async throws {
    let run = try DaemonRun()
    // Until it is executed, the child has the name of the script.
    let child = "sleep 100 & while ! grep -q sleep /proc/$!/comm; do :; done"
    let note = script(run.folder, child)
    let added = try await run.command(
      ["on", "enter,exit", "home", "--circle", "40,11.5,100"], then: [note, "one two"])
    #expect(added.status == 0, "\(added.stderr)")
    #expect(added.stdout.contains("enter-exit-home: when this device enters home, or leaves home, it runs"))
    #expect(added.stdout.contains("no daemon runs on \(run.state)"))
    #expect(added.stdout.contains("locwatch run --state \(run.state)"))

    try run.start()
    for second in 0..<10 { run.gpsd.say(ScriptedGPSD.report(second: second, latitude: 40)) }
    for second in 60..<70 { run.gpsd.say(ScriptedGPSD.report(second: second, latitude: 40.01)) }
    _ = try await run.waitForFile("env")
    var found = variables(run.folder)
    #expect(found["LOCWATCH_EVENT"] == "exit")
    #expect(found["LOCWATCH_REGION"] == "home")
    #expect(found["LOCWATCH_TIME"]?.hasPrefix("2026-05-04T06:31:0") == true, "\(found)")
    #expect(found["LOCWATCH_LAT"] == "40.0100000")
    #expect(found["LOCWATCH_LON"] == "11.5000000")
    #expect(found["LOCWATCH_ACCURACY"].flatMap { Double($0) }.map { $0 > 0 } == true)
    #expect(
      found["LOCWATCH_DWELL_S"].flatMap { Double($0) }.map { (59...65).contains($0) } == true, "\(found)")
    let record = text(run.folder("record"))
    #expect(record.contains(#""type":"region.exit""#) && record.hasSuffix("}\n"), "\(record)")

    // What it leaves behind is named, and the event is done.
    try await run.wait("the children in the log") {
      run.process?.stderr.contains("ended and left processes running, which were killed: sleep (") ?? false
    }
    try FileManager.default.removeItem(atPath: run.folder("env"))
    for second in 130..<140 { run.gpsd.say(ScriptedGPSD.report(second: second, latitude: 40)) }
    _ = try await run.waitForFile("env")
    found = variables(run.folder)
    #expect(found["LOCWATCH_EVENT"] == "enter")
    #expect(found["LOCWATCH_DWELL_S"] == nil)
    #expect(text(run.folder("runs")) == "run\nrun\n")

    // A running daemon is told at once.
    let moved = try await run.command(["on", "move"], then: [note])
    #expect(moved.stdout.contains("the daemon has it (process \(run.process?.pid ?? 0)"), "\(moved.stdout)")
    let listed = try await run.command(["on", "list", "--format", "ndjson"])
    #expect(listed.stdout.split(separator: "\n").count == 2)
    #expect(listed.stdout.contains(#"{"name":"move","events":["move"],"command":["\#(note)"]}"#))
    let removed = try await run.command(["on", "remove", "enter-exit-home"])
    #expect(
      removed.stdout == "removed enter-exit-home\nremoved region home, which was made for it\n", "\(removed)")
    #expect(try await run.command(["regions", "list", "--format", "ndjson"]).stdout == "")
    #expect(await run.end() == 0)
  }

  @Test func `a dwell that the command itself makes due runs it`() async throws {
    let run = try DaemonRun()
    #expect(try await run.command(["regions", "add", "home", "--circle", "40,11.5,100"]).status == 0)
    try run.start()
    for second in 0..<10 { run.gpsd.say(ScriptedGPSD.report(second: second, latitude: 40)) }
    for second in 60..<70 { run.gpsd.say(ScriptedGPSD.report(second: second, latitude: 40)) }
    try await run.waitForFixes(20)
    let added = try await run.command(["on", "dwell", "home", "20s"], then: [script(run.folder, ""), "x"])
    #expect(added.status == 0, "\(added.stderr)")
    run.gpsd.say(ScriptedGPSD.report(second: 70, latitude: 40))
    _ = try await run.waitForFile("env")
    #expect(variables(run.folder)["LOCWATCH_EVENT"] == "dwell")
    #expect(await run.end() == 0)
  }

  @Test func `who removes the command of a dwell is told what its region goes on reporting`() async throws {
    let run = try DaemonRun()
    let note = script(run.folder)
    #expect(try await run.command(["regions", "add", "home", "--circle", "40,11.5,100"]).status == 0)
    for words in [["dwell", "home", "2m"], ["dwell,exit", "home"]] {
      let added = try await run.command(["on"] + words, then: [note])
      #expect(added.status == 0, "\(added.stderr)")
    }
    let first = try await run.command(["on", "remove", "dwell-home"])
    #expect(first.stdout == "removed dwell-home\n" && !first.stderr.contains("still reports"), "\(first)")
    let last = try await run.command(["on", "remove", "--all"])
    #expect(last.stderr.contains("region home still reports a dwell after 2 min"), "\(last)")
  }

  @Test func `hours and cooldown decide the same live and in a replay of what reached the daemon`()
    async throws
  {
    let run = try DaemonRun()
    let note = script(run.folder)
    // The fixes are of a Monday, 06:30 UTC and later: 08:30 in Berlin.
    for options in [
      ["--between", "08:00-08:35", "--time-zone", "Europe/Berlin"],
      ["--days", "tue-sun", "--time-zone", "UTC"],
      ["--cooldown", "10m"],
    ] {
      let added = try await run.command(
        ["on", "exit", "home", "--circle", "40,11.5,100"] + options, then: [note])
      #expect(added.status == 0, "\(added.stderr)")
    }
    let recording = run.folder("drive.journal")
    try run.start(["--record", recording])
    for (second, latitude) in [(0, 40.0), (60, 40.01), (120, 40), (400, 40.01), (500, 40), (1_000, 40.01)] {
      for step in 0..<10 { run.gpsd.say(ScriptedGPSD.report(second: second + step, latitude: latitude)) }
    }
    try await run.waitForFixes(60)
    var live: [String] = []
    try await run.wait("all exits") {
      live = try await run.events().filter { $0.contains(#""type":"decision""#) }.map { String($0) }
      return try await run.events().count { $0.contains(#""type":"region.exit""#) } == 3
    }
    #expect(await run.end() == 0)
    live = try await run.events().filter {
      $0.contains(#""reason":"outside_hours""#) || $0.contains(#""reason":"cooldown""#)
    }
    .map { String($0) }
    // exit-home: 06:36:40 and later are outside its hours; exit-home-2: never; exit-home-3: the second is too soon.
    func count(_ name: String, _ reason: String) -> Int {
      live.count {
        $0.contains(#""subscriber":"\#(name)","action":"drop""#) && $0.contains(#""reason":"\#(reason)""#)
      }
    }
    #expect(count("exit-home", "outside_hours") == 2, "\(live)")
    #expect(count("exit-home-2", "outside_hours") == 3, "\(live)")
    #expect(count("exit-home-3", "cooldown") == 1, "\(live)")
    let replayed = try await DaemonRun.replay(recording).filter {
      $0.contains(#""reason":"outside_hours""#) || $0.contains(#""reason":"cooldown""#)
    }
    #expect(replayed.map { String($0) } == live)
  }

  @Test func `a program that fails is told with its status and its last words`() async throws {
    let run = try DaemonRun()
    let note = script(run.folder, "echo first >&2; echo 'cp: no such file' >&2; echo >&2; exit 3")
    let region = ["--circle", "40,11.5,100"]
    #expect(try await run.command(["on", "exit", "home"] + region, then: [note]).status == 0)
    let manifest = run.folder.write(
      "m.yaml", "name: lost\ncommand: [/nowhere/program]\nservices: [regions]\nregions: [hom]\n")
    let added = try await run.command(["subscribers", "add", manifest])
    #expect(added.stderr.contains("warning: lost: /nowhere/program: no such program; check its path"))
    #expect(added.stderr.contains("warning: lost: no region is called \"hom\"; did you mean home?"))
    let vain = run.folder.write(
      "v.yaml", "name: vain\ncommand: [/bin/true]\nservices: [regions]\nregions: [home]\nevents: [dwell]\n")
    let words = "vain waits for dwell, which none of its regions reports; add it to the --notify of one"
    #expect(try await run.command(["subscribers", "add", vain]).stderr.contains("warning: \(words)\n"))

    try run.start()
    // Its last line.
    try await run.wait("the greeting") { run.process?.stderr.contains(words) ?? false }
    let said = run.process?.stderr ?? ""
    #expect(said.contains("state in \(run.state)"), "\(said)")
    #expect(said.contains("watching 1 region (home) for 3 programs (exit-home, lost, vain)"), "\(said)")
    #expect(said.contains("lost: no region is called \"hom\""), "\(said)")
    #expect(said.contains("lost: /nowhere/program: no such program"), "\(said)")
    for second in 0..<10 { run.gpsd.say(ScriptedGPSD.report(second: second, latitude: 40)) }
    for second in 60..<70 { run.gpsd.say(ScriptedGPSD.report(second: second, latitude: 40.01)) }
    try await run.wait("the end of the program") {
      try await run.events().contains { $0.contains(#""type":"program.end""#) }
    }
    let end = try await run.events().first { $0.contains(#""type":"program.end""#) } ?? ""
    #expect(end.contains(#""subscriber":"exit-home","event":"#), "\(end)")
    #expect(end.contains(#""status":3,"#) && end.contains(#""stderr":"cp: no such file""#), "\(end)")
    let status = try await run.command(["status"])
    #expect(status.stdout.contains("last ended with status 3: cp: no such file"), "\(status.stdout)")
    #expect(status.stdout.contains("state       \(run.state)"), "\(status.stdout)")
    let shown = try await run.command(["subscribers", "show", "exit-home", "--format", "text"])
    #expect(shown.stdout.contains("ended with status 3: cp: no such file"), "\(shown.stdout)")
    // The daemon's log has all of it.
    #expect(run.process?.stderr.contains("first\ncp: no such file\n") == true)
    #expect(await run.end() == 0)
    let missing = try await Binary.run(["events", "--state", run.folder("other.db")])
    #expect(missing.stderr.contains("there is no state file \(run.folder("other.db")) yet"), "\(missing)")
  }

  @Test func `what was stored reaches a slow daemon, and a repeated command tells it again`() async throws {
    let run = try DaemonRun()
    let words = ["on", "exit", "home", "--circle", "40,11.5,100"]
    #expect(try await run.command(words, then: ["true"]).status == 0)
    try run.start()
    for second in 0..<3 { run.gpsd.say(ScriptedGPSD.report(second: second, latitude: 40)) }
    try await run.waitForFixes(3)
    let database = try StateDatabase.open(path: run.state)
    let (rule, region) = (try #require(try database.subscribers().first?.subscriber), try database.regions())
    func hasBoth() throws -> Bool? {
      let seat = DaemonSeat(state: run.state)
      let has = try run.ask(#"{"do":"status"}"#).contains("exit-home")
      return try seat.regionStates(["home"]).isEmpty != has ? has : nil
    }
    try await run.wait("rule and region") { try hasBoth() == true }

    // The daemon can't answer: both are removed, and nobody waits until it has heard of it.
    run.process?.signal(SIGSTOP)
    _ = try database.removeSubscriber(rule.name)
    _ = try database.remove(.ids(["home"]))
    #expect(throws: Failure.self) {
      try DaemonSeat(state: run.state, answerSeconds: 0.1).note([
        .regions(["home"]), .subscribers([rule.name]),
      ])
    }
    run.process?.signal(SIGCONT)
    try await run.wait("neither of them") { try hasBoth() == false }

    // As a command leaves it that is interrupted before it tells the daemon anything.
    _ = try database.put([region], changing: false)
    try database.put(rule, replacing: false)
    let again = try await run.command(words, then: ["true"])
    #expect(again.stdout.hasPrefix("exit-home: it is there already\nthe daemon has it (process "), "\(again)")
    #expect(try hasBoth() == true)
    #expect(await run.end() == 0)
  }

  // MARK: Without one

  @Test func `a dry run on a track says when the command would have run, and stores nothing`() async throws {
    let folder = TemporaryFolder()
    let run = try await Binary.run(
      ["on", "exit", "home", "--dry-run", "--track", Self.track, "--state", folder("s.db")] + Self.home
        + ["--", "true"])
    #expect(run.status == 0, "\(run.stderr)")
    #expect(run.stdout.contains("  left home after 4 min 19 s"), "\(run.stdout)")
    #expect(run.stdout.contains("it would have run 1 time; "), "\(run.stdout)")
    #expect(!FileManager.default.fileExists(atPath: folder("s.db")))
    let part =
      ["on", "exit", "home", "--dry-run", "--track", Self.track, "--state", folder("s.db")] + Self.home
    let zone = ["TZ": "CET-1CEST,M3.5.0,M10.5.0/3"]
    let local = try await Binary.run(part + ["--", "true"], environment: zone)
    #expect(
      local.stdout.contains(/\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(CET-1CEST.*\)  left home/), "\(local.stdout)")
    let utc = try await Binary.run(part + ["--utc", "--", "true"], environment: zone)
    #expect(utc.stdout.contains(/\n\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.000Z  left home/), "\(utc.stdout)")
    // All times of a line are local, also those that the record brings.
    let stay = try await Binary.run(
      ["on", "arrive", "--dry-run", "--track", Self.track, "--state", folder("s.db"), "--", "true"],
      environment: zone)
    #expect(stay.stdout.contains("since 08:47:38"), "\(stay.stdout)")
    let late = try await Binary.run(
      [
        "on", "exit", "home", "--between", "20:00-22:00", "--time-zone", "UTC", "--dry-run", "--track",
        Self.track,
      ]
        + ["--state", folder("s.db")] + Self.home + ["--", "true"])
    #expect(
      late.stdout.contains("it would have run 0 times; 1 × not, because it wants events at other hours"))
    let west = try await Binary.run(
      ["on", "exit", "home", "--days", "mon", "--time-zone", "UTC+1", "--dry-run"] + Self.home
        + ["--state", folder("s.db"), "--", "true"])
    #expect(west.stdout.contains("UTC+1 is behind UTC, as POSIX has it; UTC-1 is ahead of it\n"), "\(west)")
  }

  @Test func `a dry run puts a track into the order of time, and says so`() async throws {
    let folder = TemporaryFolder()
    let rows = (0..<100).reversed().map { "\(1_777_615_200 + 10 * $0),\(48 + 0.0002 * Double($0)),11" }
    let track = folder.write("a.csv", "time,lat,lon\n" + rows.joined(separator: "\n") + "\n")
    let run = try await Binary.run([
      "on", "enter", "z", "--circle", "48.01,11,200", "--dry-run", "--track", track, "--state",
      folder("s.db"), "--", "true",
    ])
    #expect(
      run.stdout.hasSuffix(
        "it would have run 1 time; 100 of 100 fixes believed\n"
          + "note: points stood with the newest first; put into the order of time\n"), "\(run)")
  }

  @Test func `how long a dwell takes is said, also where nothing was`() async throws {
    let folder = TemporaryFolder()
    let state = ["--state", folder("s.db")]
    for (words, text) in [
      (["dwell", "home"] + Self.home, "stayed in home for 5 min, it runs"),
      (
        ["dwell,exit", "gate", "90s", "--circle", "48,11,50"],
        "leaves gate, or has stayed in gate for 1 min 30 s"
      ),
      (["dwell", "home", "gate"], "stayed in home for 5 min or gate for 1 min 30 s, it runs"),
    ] {
      let added = try await Binary.run(["on"] + words + state + ["--", "true"])
      #expect(added.stdout.contains(text), "\(added)")
    }
    let list = try await Binary.run(["on", "list", "--format", "text"] + state)
    #expect(list.stdout.contains("has stayed in home for 5 min or gate for 1 min 30 s  "), "\(list)")
  }

  @Test(arguments: [("no-such.gpx", "no-such.gpx: no such file"), ("Tracks", "Tracks: is a directory")])
  func `a dry run on what is no track prints nothing`(track: String, text: String) async throws {
    let folder = TemporaryFolder()
    let run = try await Binary.run(
      ["on", "exit", "home", "--dry-run", "--track", track, "--state", folder("s.db")] + Self.home
        + ["--", "true"])
    #expect(run.status == 66 && run.stdout.isEmpty, "\(run)")
    #expect(run.stderr.hasPrefix("locwatch: \(text)"), "\(run)")
  }

  @Test func `a test runs the command with a made-up event and ends with its status`() async throws {
    let folder = TemporaryFolder()
    let state = ["--state", folder("s.db")]
    let note = script(folder, "exit 3")
    let added = try await Binary.run(
      ["on", "dwell", "home", "10m", "--max-time", "1m"] + Self.home + state + ["--", note])
    #expect(added.status == 0, "\(added.stderr)")
    #expect(added.stdout.contains("dwell-home: when this device has stayed in home for 10 min, it runs"))
    for words in [["home", "dwell"], ["dwell", "home"], ["dwell-home"]] {
      let run = try await Binary.run(["on", "test"] + words + state)
      #expect(run.status == 3)
      #expect(run.stderr.contains("running \(note) for a made-up dwell"), "\(run.stderr)")
      #expect(run.stderr.contains("it ended with status 3"), "\(run.stderr)")
      let found = variables(folder)
      #expect(found["LOCWATCH_EVENT"] == "dwell")
      #expect(found["LOCWATCH_REGION"] == "home")
      #expect(found["LOCWATCH_LAT"] == "52.5164000")
      #expect(found["LOCWATCH_DWELL_S"] == "600.000")
      #expect(found["LOCWATCH_CAUSE"] == "B4" && found["LOCWATCH_KIND"] == "region")
      #expect(found["LOCWATCH_EVENT_ID"] == "0")
      #expect(text(folder("record")).contains(#""type":"region.dwell""#))
      #expect(text(folder("record")).contains(#""edge_m":-"#))
    }
    let gone = try await Binary.run(["on", "exit", "home"] + state + ["--", note])
    #expect(gone.status == 0, "\(gone.stderr)")
    #expect(try await Binary.run(["on", "test", "home", "exit"] + state).status == 3)
    let record = text(folder("record"))
    #expect(record.contains(#""edge_m":"#) && !record.contains(#""edge_m":-"#), "\(record)")
    let none = try await Binary.run(["on", "test", "home", "enter"] + state)
    #expect(none.status == 1)
    #expect(none.stderr.contains("no command runs for enter of home; locwatch on list lists what does"))
  }

  @Test(arguments: [
    (["on", "entr", "home", "--", "true"], 64, "no event is called \"entr\"; did you mean enter?"),
    (["on", "enter", "hom", "--", "true"], 1, "no region is called \"hom\"; did you mean home?"),
    (["on", "enter", "10m", "--", "true"], 1, "no region is called \"10m\"; only dwell takes a time"),
    (["on", "dwell", "10", "m", "--", "true"], 1, "no region is called \"10\"; a time is written 90s, 10m"),
    (
      ["on", "dwell,exit", "10m", "home", "--", "true"], 1,
      "no region is called \"10m\"; the time stands last: locwatch on exit,dwell home 10m -- COMMAND"
    ),
    (["on", "enter", "--", "true"], 64, "no region is named; name one (home), or add --circle or --here"),
    (
      ["on", "enter", "home"], 64,
      "no command is given; write it after --, like locwatch on enter home -- notify-send Home"
    ),
    (
      ["on", "enter", "work", "--circle", "48,11,100", "echo", "hi"], 64,
      "no command is given; write it after --, like locwatch on enter work … -- notify-send Home"
    ),
    (
      ["on", "enter", "home", "--", "no-such-program"], 66,
      "no program \"no-such-program\" in PATH; install it"
    ),
    (["on", "move", "home", "--", "true"], 64, "move is not about a region, but home was given"),
    (
      ["on", "dwell", "home", "0", "--", "true"], 64,
      "a dwell takes some time, not 0; write such as 10m, or enter for the arrival itself"
    ),
    (
      ["on", "move", "--circle", "1,2,30", "--", "true"], 64, "move is not about a region; leave out --circle"
    ),
    (
      ["on", "enter", "home", "--here", "100m", "--", "true"], 1, "no fix is known here yet; run locwatch run"
    ),
    (
      ["on", "enter", "home", "--circle", "1,2,30", "--", "true"], 73,
      "there is another region \"home\" already"
    ),
    (
      ["on", "enter", "home", "--between", "25-6", "--", "true"], 64,
      "\"25-6\" is no span of hours; write 22:00-06:00"
    ),
    (
      ["on", "enter", "home", "--days", "mon-fun", "--", "true"], 64, "\"mon-fun\" names no days of the week"
    ),
    (
      ["on", "enter", "home", "--cooldown", "soon", "--", "true"], 64,
      "\"soon\" is no duration; write 90s, 10m"
    ),
    (
      ["on", "enter", "home", "--days", "mon", "--time-zone", "Mars", "--", "true"], 64,
      "\"Mars\" is no time zone"
    ),
    (["on", "remove", "enter-hme"], 1, "no command is called \"enter-hme\"; did you mean enter-home?"),
    (["on", "test", "hom", "enter"], 1, "no command runs for enter of hom; did you mean home?"),
    (
      ["on", "enter", "home", "--name", "two", "--", "true"], 73,
      "\"enter-home\" does the same already; leave out --name, or locwatch on remove enter-home"
    ),
  ])
  func `a mistake is told with its remedy`(words: [String], status: Int32, text: String) async throws {
    let folder = TemporaryFolder()
    let state = ["--state", folder("s.db")]
    let added = try await Binary.run(["on", "enter", "home"] + Self.home + state + ["--", "true"])
    #expect(added.status == 0, "\(added.stderr)")
    let place = words.firstIndex(of: "--") ?? words.endIndex
    let run = try await Binary.run(Array(words[..<place]) + state + Array(words[place...]))
    #expect(run.status == status, "\(run.stderr)")
    #expect(run.stderr.contains("locwatch: \(text)"), "\(run.stderr)")
  }

  @Test func `what is there already is not added twice, and a region reports what is asked of it`()
    async throws
  {
    let folder = TemporaryFolder()
    let state = ["--state", folder("s.db")]
    let region = try await Binary.run(
      ["regions", "add", "gate", "--circle", "48,11,50", "--notify", "enter"] + state)
    #expect(region.status == 0)
    let first = try await Binary.run(["on", "exit", "gate"] + state + ["--", "true"])
    #expect(
      first.stdout.contains("gate reports exit from now on, to everybody who subscribes to it"), "\(first)")
    let again = try await Binary.run(["on", "exit", "gate"] + state + ["--", "true"])
    #expect(again.stdout.hasPrefix("exit-gate: it is there already\n"))
    let twice = try await Binary.run(["on", "exit", "gate", "gate"] + state + ["--", "true"])
    #expect(twice.stdout.hasPrefix("exit-gate: it is there already\n"), "\(twice)")
    // Somebody has taken from the region what the command waits for.
    let changed = try await Binary.run(
      ["regions", "add", "gate", "--circle", "48,11,50", "--notify", "enter", "--replace"] + state)
    #expect(changed.stderr.contains("exit-gate waits for exit"), "\(changed)")
    let mended = try await Binary.run(["on", "exit", "gate"] + state + ["--", "true"])
    #expect(
      mended.stdout.hasPrefix("exit-gate: it is there already\nregion gate: circle, 50 m around "),
      "\(mended)")
    let other = try await Binary.run(["on", "exit", "gate"] + state + ["--", "false"])
    #expect(other.stdout.hasPrefix("exit-gate-2: "))
    // To Swift these two arguments are the same text; to a program they are two.
    let spellings = ["caf\u{e9}", "cafe\u{301}"]
    for (spelling, name) in zip(spellings, ["exit-gate-3", "exit-gate-4"]) {
      let spelled = try await Binary.run(["on", "exit", "gate"] + state + ["--", "true", spelling])
      #expect(spelled.stdout.hasPrefix("\(name): "), "\(spelled)")
    }
    // A region that was there before stays.
    let removed = try await Binary.run(["on", "remove", "--all"] + state)
    #expect(removed.stdout == (["", "-2", "-3", "-4"].map { "removed exit-gate\($0)\n" }).joined())
    #expect(
      try await Binary.run(["regions", "show", "gate"] + state).stdout.contains(#""notify":["enter","exit"]"#)
    )
  }

  @Test func `a region that an outlet names stays when its last command goes`() async throws {
    let folder = TemporaryFolder()
    let state = ["--state", folder("s.db")]
    for (kind, kept) in [("exit", true), ("enter", false)] {
      #expect(try await Binary.run(["on", kind, "home"] + Self.home + state + ["--", "true"]).status == 0)
      let outlet = try await Binary.run(
        kept
          ? ["outlets", "add", "door", "--webhook", "http://127.0.0.1:9/hook", "--region", "home"] + state
          : ["outlets", "remove", "door"] + state)
      #expect(outlet.status == 0, "\(outlet)")
      let removed = try await Binary.run(["on", "remove", "\(kind)-home"] + state)
      let goes = kept ? "" : "removed region home, which was made for it\n"
      #expect(removed.stdout == "removed \(kind)-home\n\(goes)", "\(removed)")
    }
  }

  @Test func `regions that no removed command names stay`() async throws {
    let folder = TemporaryFolder()
    let state = ["--state", folder("s.db")]
    let tagged = try await Binary.run(
      ["regions", "add", "boat", "--circle", "48,11,50", "--tag", "on"] + state)
    #expect(tagged.status == 0, "\(tagged)")
    #expect(try await Binary.run(["on", "exit", "home"] + Self.home + state + ["--", "true"]).status == 0)
    let removed = try await Binary.run(["on", "remove", "--all"] + state)
    #expect(removed.stdout == "removed exit-home\nremoved region home, which was made for it\n", "\(removed)")
    let left = try await Binary.run(["regions", "list"] + state)
    #expect(left.stdout.contains("boat"), "\(left)")
  }

  /// A systemctl that notes what it is asked, and ends with a status; the variable PATH with which it is found.
  private static func systemctl(in folder: TemporaryFolder, status: Int = 0) async throws -> String {
    let bin = folder("bin")
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
    // A shell writes it: a fork of another thread may hold the descriptor of a file that this process writes, and then
    // the file can't be executed.
    let lines = "#!/bin/sh\necho \"$@\" > \"%s/asked\"\nexit \(status)\n"
    let made = try await Binary.run(
      ["-c", "printf '\(lines)' '\(folder.path)' > '\(bin)/systemctl' && chmod 755 '\(bin)/systemctl'"],
      executable: "/bin/sh")
    #expect(made.status == 0, "\(made.stderr)")
    return "\(bin):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
  }

  @Test func `--start beside a daemon that runs asks systemd for the next one alone`() async throws {
    let run = try DaemonRun()
    let state = run.folder("locwatch/locwatch.db")
    // The later of two counts.
    try run.start(["--state", state])
    let path = try await Self.systemctl(in: run.folder, status: 1)
    let on = try await Binary.run(
      ["on", "move", "--start", "--", "true"], environment: ["PATH": path, "XDG_STATE_HOME": run.folder.path])
    #expect(on.status == 69 && on.stdout.contains("the daemon has it (process "), "\(on)")
    let user = getuid() == 0 ? "" : "--user "
    #expect(
      on.stderr.hasPrefix("locwatch: systemctl \(user)enable locwatch ended with status 1; process "), "\(on)"
    )
    #expect(on.stderr.hasSuffix("runs on, but nothing starts the next one\n"), "\(on)")
    #expect(await run.end() == 0)
  }

  @Test func `--start has systemd start the unit of this user`() async throws {
    let folder = TemporaryFolder()
    let path = try await Self.systemctl(in: folder)
    let run = try await Binary.run(
      ["on", "move", "--start", "--", "true"],
      environment: ["PATH": path, "XDG_STATE_HOME": folder.path])
    #expect(run.status == 0, "\(run.stderr)")
    let asked = (getuid() == 0 ? "" : "--user ") + "enable --now locwatch\n"
    #expect(text(folder("asked")) == asked)
    let elsewhere = try await Binary.run(["on", "move", "--start", "--state", folder("o.db"), "--", "true"])
    #expect(elsewhere.status == 64)
    #expect(elsewhere.stderr.contains("--start starts a daemon on the usual state file, not on"))
  }
}

extension DaemonRun {
  /// A command on the same state file that has another command behind it.
  fileprivate func command(_ arguments: [String], then behind: [String]) async throws -> Binary.Result {
    try await Binary.run(arguments + ["--state", state, "--"] + behind)
  }
}

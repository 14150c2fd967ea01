import Foundation
import TestSupport
import Testing

@testable import LocationFormats
@testable import locwatch

/// What is said of a command line that is mistyped, and the forms of its values.
@Suite struct CommandLineTests {
  @Test(arguments: [
    (["replya", "x.gpx"], "no command is called \"replya\"; did you mean locwatch replay?"),
    (["regions", "lst"], "no command is called \"regions lst\"; did you mean locwatch regions list?"),
    (
      ["subscribers", "qit", "a"],
      "no command is called \"subscribers qit\"; did you mean locwatch subscribers quit?"
    ),
    (["config", "xyzzy"], "no command is called \"config xyzzy\"; there is show, check"),
    (["xyzzy"], "no command is called \"xyzzy\"; locwatch --help lists them"),
    (["help", "xyzzy"], "no command is called \"xyzzy\"; locwatch --help lists them"),
    (["help", "power", "shw"], "no command is called \"power shw\"; did you mean locwatch power show?"),
    (["transfers", "lst"], "no command is called \"transfers lst\"; did you mean locwatch transfers list?"),
  ])
  func `a mistyped command suggests the nearest`(words: [String], text: String) async throws {
    let run = try await Binary.run(words)
    #expect(run.status == 64)
    #expect(run.stderr == "locwatch: \(text)\n")
  }

  @Test(arguments: ["regions", "subscribers", "notifications", "transfers", "outlets"])
  func `a command of lists lists`(command: String) async throws {
    let folder = TemporaryFolder()
    let state = ["--state", folder("s.db")]
    let manifest = folder.write("m.yaml", "name: logger\ncommand: [/bin/cat]\nservices: [regions]\n")
    #expect(try await Binary.run(["subscribers", "add", manifest] + state).status == 0)
    let short = try await Binary.run([command, "--format", "ndjson"] + state)
    let long = try await Binary.run([command, "list", "--format", "ndjson"] + state)
    #expect(short.status == 0 && short.stdoutBytes == long.stdoutBytes, "\(short)")
    #expect(short.stdout.contains("logger") == (command == "subscribers"), "\(short)")
  }

  @Test(arguments: ["text", "ndjson"])
  func `the list says which outlets are for too many regions`(format: String) async throws {
    let folder = TemporaryFolder()
    let state = ["--state", folder("s.db")]
    let rows = (0..<51).map { "r\($0),41,\(10 + $0),100" }
    let file = folder.write("many.csv", "id,lat,lon,radius_m\n" + rows.joined(separator: "\n") + "\n")
    for words in [
      ["regions", "import", file], ["outlets", "add", "boat", "--mqtt", "mqtts://example.net"],
      ["outlets", "add", "some", "--mqtt", "mqtts://example.net", "--region", "r1"],
      ["outlets", "add", "hook", "--webhook", "https://example.net/"],
    ] {
      let run = try await Binary.run(words + state)
      #expect(run.status == 0, "\(run)")
    }
    let list = try await Binary.run(["outlets", "list", "--format", format] + state)
    #expect(list.status == 0)
    #expect(
      list.stderr.hasPrefix("locwatch: warning: boat: 51 regions are more than 50: none is sent"), "\(list)")
    #expect(list.stderr.split(separator: "\n").count == 1, "\(list)")
  }

  @Test func `what an option of regions does nothing for is told`() async throws {
    let folder = TemporaryFolder()
    let state = ["--state", folder("s.db")]
    let point = folder.write(
      "p.geojson",
      #"{"type":"Feature","properties":{"radius_m":50},"geometry":{"type":"Point","coordinates":[11,48]}}"#)
    for (words, text) in [
      (["--geojson", point, "--buffer", "50m"], "no line, so --buffer has no use; leave it out"),
      (["--circle", "48,11,99", "--tag", ""], "--name and --tag need a word"),
      (["--circle", "48,11,99", "--name", ""], "--name and --tag need a word"),
    ] {
      let run = try await Binary.run(["regions", "add", "home"] + words + state)
      #expect(run.status == 64 && run.stderr.contains(text), "\(run)")
    }
    #expect(try await Binary.run(["regions", "add", "home", "--circle", "48,11,99"] + state).status == 0)
    let none = try await Binary.run(["regions", "export", "--tag", "work"] + state)
    #expect(none.status == 0 && none.stderr == "locwatch: warning: no region has the tag \"work\"\n")
  }

  @Test(arguments: [
    "regions list", "regions check", "regions near 48,11", "power", "outlets", "transfers", "notifications",
  ])
  func `a state file that is not there is told of`(words: String) async throws {
    let folder = TemporaryFolder()
    let run = try await Binary.run(
      words.split(separator: " ").map(String.init) + ["--state", folder("none.db")])
    #expect(run.status == 0 && run.stderr.contains("no state file \(folder("none.db")) yet"), "\(run)")
  }

  @Test func `nothing is exported of a state file that is not there`() async throws {
    let folder = TemporaryFolder()
    let run = try await Binary.run([
      "regions", "export", "-o", folder("backup.geojson"), "--state", folder("none.db"),
    ])
    #expect(run.status == 1 && run.stderr.contains("there is no state file yet"), "\(run)")
    #expect(!FileManager.default.fileExists(atPath: folder("backup.geojson")))
  }

  @Test func `the name of a track moves no cursor`() async throws {
    let folder = TemporaryFolder()
    let line = #"{"time":"2026-05-01T06:00:00Z","lat":48,"lon":11,"acc_m":5}"# + "\n"
    let tracks = [folder.write("a.ndjson", line), folder.write("b\u{1B}[31m.ndjson", line)]
    let run = try await Binary.run(["replay"] + tracks + ["--format", "text"])
    #expect(run.status == 0 && run.stdout.contains("b?[31m.ndjson"), "\(run)")
    #expect(!run.stdout.contains("\u{1B}"))
  }

  @Test func `a map that is asked for is drawn in a pipe too`() async throws {
    let folder = TemporaryFolder()
    let state = ["--state", folder("s.db")]
    let added = try await Binary.run(["regions", "add", "home", "--circle", "48,11,99"] + state)
    #expect(added.status == 0, "\(added)")
    let drawn = try await Binary.run(["regions", "show", "home", "--map"] + state)
    let text = try await Binary.run(["regions", "show", "home", "--format", "text"] + state)
    #expect(drawn.stdout.hasPrefix(text.stdout) && drawn.stdout.count > text.stdout.count, "\(drawn)")
    let both = try await Binary.run(["regions", "show", "home", "--map", "--format", "ndjson"] + state)
    #expect(both.status == 64 && both.stderr.contains("--map and --format ndjson exclude each other"))
  }

  @Test(arguments: [
    ["regions", "move", "a", "48,11"], ["regions", "rename", "a", "b"], ["regions", "edit", "a"],
    ["regions", "remove", "a"], ["regions", "export"], ["regions", "locate", "/dev/null"],
    ["subscribers", "add", "none.yaml"], ["subscribers", "remove", "a"], ["subscribers", "launch", "a"],
    ["subscribers", "foreground", "a"], ["subscribers", "background", "a"], ["subscribers", "quit", "a"],
    ["subscribers", "microphone", "a", "deny"], ["subscribers", "accessory", "a", "off"],
    ["subscribers", "bluetooth", "a", "deny"], ["subscribers", "notifications", "a", "deny"],
  ])
  func `regions and subscribers take --format for all that they do`(words: [String]) async throws {
    let folder = TemporaryFolder()
    let state = ["--state", folder("s.db")]
    let plain = try await Binary.run(words + state)
    for format in ["text", "ndjson"] {
      let run = try await Binary.run(words + state + ["--format", format])
      #expect(run.status == plain.status && run.stderr == plain.stderr, "\(run)")
    }
    let other = try await Binary.run(words + state + ["--format", "csv"])
    #expect(other.status == 64 && other.stderr.contains("--format"), "\(other)")
  }

  @Test func `a region that is changed is told as NDJSON`() async throws {
    let folder = TemporaryFolder()
    let rest = ["--state", folder("s.db"), "--format", "ndjson"]
    let added = try await Binary.run(["regions", "add", "a", "--circle", "48,11,99"] + rest)
    #expect(added.status == 0, "\(added)")
    let moved = try await Binary.run(["regions", "move", "a", "48,12,99"] + rest)
    #expect(moved.stdout == added.stdout.replacing("11.0000000", with: "12.0000000"), "\(moved)")
    let renamed = try await Binary.run(["regions", "rename", "a", "b"] + rest)
    #expect(renamed.stdout == moved.stdout.replacing(#""id":"a""#, with: #""id":"b""#), "\(renamed)")
  }

  @Test func `notifications are listed of all, and denied by either command`() async throws {
    let folder = TemporaryFolder()
    let state = ["--state", folder("s.db")]
    let manifest = folder.write("m.yaml", "name: logger\ncommand: [/bin/cat]\nservices: [regions]\n")
    #expect(try await Binary.run(["subscribers", "add", manifest] + state).status == 0)
    for words in [["subscribers", "notifications", "logger", "deny"], ["notifications", "deny", "logger"]] {
      let run = try await Binary.run(words + state)
      #expect(run.status == 0 && run.stderr.isEmpty, "\(run)")
    }
    let unknown = try await Binary.run(["subscribers", "notifications", "nobody", "allow"] + state)
    #expect(unknown.status == 1, "\(unknown)")
    let list = try await Binary.run(["notifications"] + state)
    #expect(list.stderr == "locwatch: the subscribers have no notifications scheduled\n", "\(list)")
  }

  @Test func `--config and --state stand before a command or after it`() async throws {
    let folder = TemporaryFolder()
    let state = ["--state", folder("s.db")]
    let config = ["--config", folder.write("c.yaml", "fix: {gap_s: 60}\n")]
    let added = try await Binary.run(state + ["regions", "add", "home", "--circle", "48,11,99"])
    #expect(added.status == 0, "\(added)")
    let list = ["regions", "list", "--format", "ndjson"]
    for words in [state + list, list + state, config + list + ["--state=\(folder("s.db"))"]] {
      #expect(try await Binary.run(words).stdout.contains(#""id":"home""#), "\(words)")
    }
    for words in [config + ["config", "show"], ["config", "show"] + config + state] {
      #expect(try await Binary.run(words).stdout.contains("\(folder("c.yaml")):1 "), "\(words)")
    }
    // Without a use for them.
    let plain = try await Binary.run(["power", "profiles"])
    #expect(try await Binary.run(config + ["power", "profiles"] + state).stdoutBytes == plain.stdoutBytes)
    let missing = try await Binary.run(["--config", folder("none.yaml"), "power", "profiles"])
    #expect(missing.status == 66 && missing.stdout.isEmpty, "\(missing)")
    #expect(missing.stderr == "locwatch: \(folder("none.yaml")): no such file; check the path\n")
    let mistyped = try await Binary.run(state + ["regoins", "list"])
    #expect(
      mistyped.status == 64 && mistyped.stderr.contains("did you mean locwatch regions?"), "\(mistyped)")
  }

  @Test func `--config and --state after -- belong to the command that is run`() {
    let options = GlobalOptions(in: ["--state=a", "on", "move", "--state", "b", "--", "x", "--config", "c"])
    #expect(options.state == "b" && options.config == nil)
    #expect(options.others == ["on", "move", "--", "x", "--config", "c"])
  }

  @Test(arguments: ["replay Tracks/tunnel.gpx", "explain --track Tracks/tunnel.gpx", "config show"])
  func `without file descriptors a command says so and ends`(words: String) async throws {
    for limit in [5, 8, 10] {
      let script = "ulimit -n \(limit); exec \"$0\" \(words)"
      let run = try await Binary.run(["-c", script, Binary.path], executable: "/bin/sh")
      #expect(run.status == 75, "\(limit) \(run)")
      let text = "fewer than 8 file descriptors are left; raise LimitNOFILE= or ulimit -n"
      #expect(run.stderr == "locwatch: \(text)\n")
    }
  }

  @Test(arguments: [
    "power plan rpi4-ublox-m8 --step-j 3.6", "synth Tracks/tunnel.synth.yaml -o $1/t.gpx", "power profiles",
    "replay Tracks/tunnel.gpx", "compare Tracks/tunnel.gpx", "regions near 48,11 --regions $1/r.geojson",
    "", "--help", "--version", "regions near --help",
  ])
  func `what can't be printed is an error`(words: String) async throws {
    let folder = TemporaryFolder()
    let place = #"{"type":"Feature","id":"a","properties":{"radius_m":99},"#
    _ = folder.write("r.geojson", place + #""geometry":{"type":"Point","coordinates":[11,48]}}"#)
    let run = try await Binary.run(
      ["-c", "exec \"$0\" \(words) >/dev/full", Binary.path, folder.path], executable: "/bin/sh")
    #expect(run.status == 74, "\(run)")
    #expect(
      run.stderr == "locwatch: <stdout>: can't be written: No space left on device; make room and try again\n"
    )
  }

  @Test(arguments: ["none/r.html", ".", "t.ndjson/r.html"])
  func `a report that can't be written is refused before the replay`(report: String) async throws {
    let folder = TemporaryFolder()
    let fix = #"{"time":"2026-05-01T06:00:00Z","lat":48,"lon":11,"acc_m":5}"# + "\n"
    let run = try await Binary.run(["replay", folder.write("t.ndjson", fix), "--report", folder(report)])
    #expect(run.status == 73, "\(run)")
    #expect(run.stdout.isEmpty)
    #expect(run.stderr.hasPrefix("locwatch: \(folder(report)): can't be created: "), "\(run.stderr)")
  }

  @Test(arguments: [
    "regions import /dev/zero", "regions import /dev/urandom", "regions add x --geojson /dev/zero",
    "replay Tracks/tunnel.gpx -r /dev/zero", "replay /dev/zero", "replay --batch /dev/zero",
    "replay Tracks/tunnel.gpx --config /dev/zero",
    "regions locate /dev/zero -r Tracks/tunnel.regions.geojson", "push x --data @/dev/zero",
    "power calibrate /dev/zero --log /dev/zero -o -", "power show /dev/zero",
  ])
  func `what never ends is refused`(words: String) async throws {
    let folder = TemporaryFolder()
    let run = try await Binary.run(
      words.split(separator: " ").map(String.init) + ["--state", folder("s.db")])
    #expect(run.status == 65 || run.status == 78, "\(run)")
    #expect(run.stderr.split(separator: "\n").count == 1, "\(run.stderr)")
  }

  @Test func `standard input is read once, and a folder is no file`() async throws {
    let fix = #"{"time":"2026-05-01T06:00:00Z","lat":48,"lon":11,"acc_m":5}"# + "\n"
    let place =
      #"{"type":"Feature","id":"a","properties":{"radius_m":99},"geometry":{"type":"Point","coordinates":[11,48]}}"#
    for (words, input) in [(["compare", "-", "-"], fix), (["replay", "-", "-r", "-"], place)] {
      let run = try await Binary.run(words, stdin: input)
      #expect(run.status == 64, "\(run)")
      #expect(run.stderr.contains("can be read only once"), "\(run)")
    }
    for words in [
      ["replay", "Tracks"], ["replay", "Tracks/tunnel.gpx", "-r", "Tracks"], ["synth", "Tracks", "-o", "-"],
      ["watch", "--source", "mqtt:owntracks/a/b", "--source-secrets", "Tracks"],
    ] {
      let run = try await Binary.run(words)
      #expect(run.status == 66, "\(run)")
      #expect(run.stderr == "locwatch: Tracks: is a directory; name a file in it\n")
    }
    let folder = TemporaryFolder()
    let served = try await Binary.run(
      ["serve", "--listen", "0", "--token", "Tracks", "--state", folder("s.db")])
    #expect(served.status == 66 && served.stderr.contains("Tracks: is a directory"), "\(served)")
  }

  @Test func `what is printed to a closed stream goes nowhere else`() async throws {
    let folder = TemporaryFolder()
    let report = folder("r.html")
    for words in ["replay Tracks/tunnel.gpx --report \(report)", "power profiles", "config show"] {
      let script = "exec \"$0\" \(words) >&-"
      let run = try await Binary.run(["-c", script, Binary.path], executable: "/bin/sh")
      #expect(run.status == 74, "\(run)")
      #expect(run.stderr == "locwatch: <stdout>: can't be written: it is closed\n", "\(words)")
    }
    #expect(!FileManager.default.fileExists(atPath: report))
    let input = try await Binary.run(["-c", "exec \"$0\" replay - <&-", Binary.path], executable: "/bin/sh")
    #expect(input.status == 74 && input.stderr.contains("<stdin>: can't read it"), "\(input)")
  }

  @Test(arguments: [
    ("replay a.gpx --bogus", "unknown option '--bogus' (did you mean '--jobs'?); see locwatch replay --help"),
    ("replay --bogus", "unknown option '--bogus'; see locwatch replay --help"),
    (
      "compare --regoins a",
      "unknown option '--regoins' (did you mean '--regions'?); see locwatch compare --help"
    ),
    ("on remove --al", "unknown option '--al' (did you mean '--all'?); see locwatch on remove --help"),
    ("regions near --bogus", "unknown option '--bogus'; see locwatch regions near --help"),
    ("regions remove -q", "unknown option '-q'; see locwatch regions remove --help"),
    ("replay", "give a track, or - for standard input; see locwatch replay --help"),
    ("regions check --radius 50m", "--radius needs a file; see locwatch regions check --help"),
    ("serve --host=", "missing value for '--host <name>'; see locwatch serve --help"),
    ("serve --attribution me", "--attribution needs --tiles; see locwatch serve --help"),
    ("outlets add a --webhook https://a.b --key k", "--key needs --certificate; see locwatch outlets add"),
    (
      "outlets add a --mqtt mqtts://a.b --source c",
      "--format, --template and --source are for --webhook; see locwatch outlets add"
    ),
    ("regions add", "missing expected argument '<id>'; see locwatch regions add --help"),
    ("replay a.gpx --speed 1e-300", "--speed needs a factor of at least 0.001, or max; see locwatch replay"),
    ("replay a.gpx --speed 0", "--speed needs a factor of at least 0.001, or max; see locwatch replay"),
    ("replay a.gpx --speed=-1", "--speed needs a factor of at least 0.001, or max; see locwatch replay"),
    ("replay a.gpx --speed inf", "--speed needs a factor of at least 0.001, or max; see locwatch replay"),
    (
      "replay a.gpx --interval 200d",
      "--interval needs a time above 0, at most 10,000,000 s; see locwatch replay"
    ),
    ("watch -x 0", "-x needs a time above 0; see locwatch watch"),
    (
      "watch -x 20000d",
      "the value '20000d' is invalid for '-x <duration>': \"20000d\" is too long; write at most"
    ),
    (
      "regions import a --radius 0",
      "the value '0' is invalid for '--radius <distance>': \"0\" is out of range; write a distance above 0"
    ),
    ("replay a.gpx --speed fast", "the value 'fast' is invalid for '--speed <factor>'; see locwatch replay"),
  ])
  func `what is wrong with the arguments is told in one line`(words: String, text: String) async throws {
    let run = try await Binary.run(words.split(separator: " ").map { String($0) })
    #expect(run.status == 64 && run.stdout.isEmpty, "\(run)")
    #expect(run.stderr.hasPrefix("locwatch: \(text)"), "\(run.stderr)")
    #expect(run.stderr.split(separator: "\n").count == 1 && run.stderr.hasSuffix("--help\n"), "\(run.stderr)")
  }

  @Test(arguments: [
    (["run", "--source", ""], "--source names no source; name one, or leave the option out"),
    (["on", "move", "--name", "", "--", "true"], "--name \"\" is no name; write another, or leave it out"),
    (["replay", "Tracks/tunnel.gpx", "-r", ""], "\"\": no such file; check the path"),
    (
      ["replay", "Tracks/tunnel.gpx", "--report", "r.html", "--tiles", "none.mbtiles"],
      "none.mbtiles: no such file; check the path"
    ),
    (
      ["watch", "-n", "-1"],
      "missing value for '-n <n>'; a value that begins with - is written as -n=-1"
    ),
    (["ack", "-5"], "missing expected argument '<id>'; -5 is taken for an option; write it after --"),
    (["capabilities", "--gpsd", ""], "--gpsd names no address; name one, or leave the option out"),
    (
      ["power", "validate", "a.gpx", "--log", "l", "--begins", "-5"],
      "missing value for '--begins <seconds>'; a value that begins with - is written as --begins=-5"
    ),
  ])
  func `values that name nothing are told before anything is done`(words: [String], text: String) async throws
  {
    let folder = TemporaryFolder()
    let run = try await Binary.run(["--state", folder("s.db")] + words)
    #expect([64, 66].contains(run.status) && run.stdout.isEmpty, "\(run)")
    #expect(run.stderr == "locwatch: \(text)\n")
    #expect(!FileManager.default.fileExists(atPath: folder("s.db")))
  }

  @Test(arguments: ["replay", "explain --track", "replay Tracks/tunnel.gpx --report", "regions show", ""])
  func `an argument that is not UTF-8 is refused, not read as another`(words: String) async throws {
    let script = "exec \"$0\" \(words) \"$(printf 'a\\377\\303.gpx')\""
    let run = try await Binary.run(["-c", script, Binary.path], executable: "/bin/sh")
    #expect(run.status == 64, "\(run)")
    let number = words.split(separator: " ").count + 1
    #expect(
      run.stderr
        == "locwatch: argument \(number), a\\xFF\\xC3.gpx, is not UTF-8; rename the file, or write the word as UTF-8\n"
    )
  }

  @Test func `energy that nobody in particular caused is explained`() async throws {
    let track = ["Tracks/commute-with-stops.gpx", "--no-programs"]
    let replay = try await Binary.run(["replay", "--format", "ndjson"] + track)
    let line = try #require(
      replay.stdout.split(separator: "\n").last { $0.contains(#""subscriber":"shared""#) })
    let id = try #require(try JSONTree(Array(line.utf8))["id"]?.integer)
    let run = try await Binary.run(["explain", "--event", "\(id)", "--track"] + track)
    #expect(run.status == 0, "\(run.stderr)")
  }

  @Test(arguments: [
    ([], "nothing says when the notification is shown; give one of at, wall, after, now and region"),
    (["--now", "--after", "10"], "after and now exclude each other; give one of"),
    (["--wall", "2026-13-01T00:00"], "wall: \"2026-13-01T00:00\" is no time of the clock; write it as"),
    (
      ["--after", "10", "--repeat", "fortnight"],
      "repeat: \"fortnight\" is no unit to repeat by; write one of minute, "
    ),
    (["--region", "home", "--on", "leave"], "on: \"leave\" is no event of a region; write enter or exit"),
    (["--after", "10", "--each-time"], "--on and --each-time need --region"),
    (["--region", "home", "--repeat", "day"], "--region and --repeat exclude each other; give --each-time"),
  ])
  func `a notification that is none names what is wrong`(words: [String], text: String) async throws {
    let folder = TemporaryFolder()
    let run = try await Binary.run(
      ["notifications", "add", "a", "--title", "T", "--state", folder("s.db")] + words)
    #expect(run.status == 64, "\(run)")
    #expect(run.stderr.hasPrefix("locwatch: \(text)"), "\(run.stderr)")
  }

  @Test(arguments: [("UTC", "a name such as Europe/Berlin"), ("Asia/Tokyo", "UTC")])
  func `hours need a time zone, for which two are named`(own: String, other: String) async throws {
    let folder = TemporaryFolder()
    let manifest = folder.write(
      "a.yaml", "name: a\ncommand: [/bin/true]\nservices: [regions]\nbetween: 08:00-09:00\n")
    let added = try await Binary.run(
      ["TZ=\(own)", Binary.path, "subscribers", "add", manifest, "--state", folder("s.db")],
      executable: "/usr/bin/env")
    #expect(added.status == 65)
    #expect(added.stderr.contains("add time_zone: \(own), as here, or \(other)\n"), "\(added.stderr)")
  }

  @Test(arguments: [
    ["notifications", "list"], ["transfers", "list"], ["subscribers", "quit"], ["notifications", "allow"],
  ])
  func `a subscriber that is not there is told as such, also without a daemon`(words: [String]) async throws {
    let folder = TemporaryFolder()
    let state = folder("s.db")
    let added = try await Binary.run(["regions", "add", "a", "--circle", "48,11,99", "--state", state])
    #expect(added.status == 0, "\(added)")
    let run = try await Binary.run(words + ["nobody", "--state", state])
    #expect(run.status == 1, "\(run)")
    let text = "no subscriber is called \"nobody\"; locwatch subscribers list lists them"
    #expect(run.stderr == "locwatch: \(text)\n")
  }

  @Test func `what is not there can't be cancelled, also without a daemon`() async throws {
    let folder = TemporaryFolder()
    let state = ["--state", folder("s.db")]
    let manifest = folder.write("a.yaml", "name: a\ncommand: [/bin/true]\n")
    #expect(try await Binary.run(["subscribers", "add", manifest] + state).status == 0)
    let transfer = try await Binary.run(["transfers", "cancel", "a", "77"] + state)
    let none = "locwatch: a has no transfer 77; locwatch transfers list a lists what it has\n"
    #expect(transfer.status == 1 && transfer.stderr == none, "\(transfer)")
    let other = folder.write("b.yaml", "name: logger\ncommand: [/bin/true]\n")
    #expect(try await Binary.run(["subscribers", "add", other] + state).status == 0)
    let mistyped = try await Binary.run(["notifications", "list", "loger"] + state)
    let words = "no subscriber is called \"loger\"; did you mean logger?"
    #expect(mistyped.stderr == "locwatch: \(words)\n", "\(mistyped)")
    let cancel = ["notifications", "cancel", "a", "tea"] + state
    let unknown = try await Binary.run(cancel)
    #expect(unknown.status == 1 && unknown.stderr.contains("no such notification"), "\(unknown)")
    let tea = ["notifications", "add", "a", "--title", "Tea", "--id", "tea", "--after", "10m"]
    #expect(try await Binary.run(tea + state).status == 0)
    let known = try await Binary.run(cancel)
    #expect(
      known.status == 0 && known.stderr == "locwatch: tea will be cancelled when locwatch run starts\n",
      "\(known)")
    // The list tells what the next daemon will do.
    let nameless = ["notifications", "add", "a", "--title", "Up", "--after", "10m"]
    #expect(try await Binary.run(nameless + state).status == 0)
    let list = try await Binary.run(["notifications", "list", "a"] + state)
    let waiting = [
      "tea of a will be scheduled", "tea of a will be cancelled", #""Up" of a will be scheduled"#,
    ]
    let lines = waiting.map { "locwatch: \($0) when locwatch run starts\n" }
    #expect(list.stderr == "locwatch: a has no notifications scheduled\n" + lines.joined(), "\(list)")
  }

  @Test func `a folder is no program, and a track no recording`() async throws {
    let folder = TemporaryFolder()
    let rule = try await Binary.run(["on", "move", "--state", folder("s.db"), "--", folder.path])
    #expect(rule.status == 77 && rule.stderr.contains("is a folder, no program"), "\(rule)")
    let track = try await Binary.run(["explain", "Tracks/tunnel.gpx"])
    #expect(track.status == 65)
    #expect(track.stderr.contains("locwatch explain --track Tracks/tunnel.gpx explains a track"), "\(track)")
  }

  @Test func `an event of a replay without programs is explained by its id`() async throws {
    let track = "Tracks/commute-with-stops"
    let replay = try await Binary.run(
      ["replay", track + ".gpx", "-r", track + ".regions.geojson", "--no-programs", "--format", "ndjson"])
    #expect(replay.status == 0, "\(replay.stderr)")
    let enter = try #require(replay.stdout.split(separator: "\n").first { $0.contains("region.enter") })
    let id = try #require(enter.split(separator: ",").first { $0.hasPrefix("\"id\":") })
    let number = String(id.dropFirst("\"id\":".count))
    let explain = ["explain", "--track", track + ".gpx", "-r", track + ".regions.geojson", "--json"]
    let run = try await Binary.run(explain + ["--no-programs", "--event", number])
    #expect(run.status == 0 && run.stdout.contains("\"event\":{\(id),\"type\":\"region.enter\""), "\(run)")
    #expect(run.stdout.contains("\"subscribers\":[]"), "\(run)")
    for words in [["explain", "--no-programs"], explain + ["--no-programs", "--subscriber", "replay"]] {
      let refused = try await Binary.run(words)
      #expect(refused.status == 64 && refused.stderr.contains("--no-programs"), "\(refused)")
    }
  }

  @Test func `of an event of a track it is told what came before it`() async throws {
    let track = "Tracks/commute-with-stops"
    let options = ["-r", track + ".regions.geojson"]
    let replay = try await Binary.run(["replay", track + ".gpx", "--format", "ndjson"] + options)
    let lines = try replay.stdout.split(separator: "\n").map { try JSONTree(Array($0.utf8)) }
    let events = lines.filter { $0["region"] == .string("bakery") && $0["type"] != .string("decision") }
    let dwell = try #require(events.firstIndex { $0["type"] == .string("region.dwell") })
    let id = try #require(events[dwell]["id"]?.integer)
    let decision = lines.last { $0["type"] == .string("decision") && ($0["id"]?.integer ?? 0) < id }
    let run = try await Binary.run(
      ["explain", "--track", track + ".gpx", "--json", "--event", "\(id)"] + options)
    let told = try JSONTree(Array(run.stdout.utf8))
    func last(_ list: String) -> JSONTree? {
      guard case .array(let all) = told[list] else { return nil }
      return all.first?["last"]?["id"]
    }
    #expect(last("regions") == events[dwell - 1]["id"], "\(run)")
    #expect(last("subscribers") != nil && last("subscribers") == decision?["id"], "\(run)")
  }

  @Test func `an outlet that names what is not there is added with a warning`() async throws {
    let folder = TemporaryFolder()
    let add = ["outlets", "add", "a", "--webhook", "https://example.net/hook", "--state", folder("s.db")]
    let none = try await Binary.run(add + ["--types", ""])
    #expect(none.status == 64 && none.stderr.contains("--types names no type"), "\(none)")
    let added = try await Binary.run(add + ["--region", "home", "--secrets", folder("none.yaml")])
    #expect(added.status == 0, "\(added)")
    #expect(added.stderr.contains("warning: no region is called \"home\""), "\(added.stderr)")
    #expect(added.stderr.contains("warning: \(folder("none.yaml")): No such file"), "\(added.stderr)")
    let broker = ["outlets", "add", "b", "--mqtt", "mqtts://example.net", "--state", folder("s.db")]
    let unread = try await Binary.run(
      broker + ["--authority", folder.path, "--certificate", folder("none.pem"), "--key", folder("s.db")])
    #expect(unread.status == 0, "\(unread)")
    #expect(unread.stderr.contains("warning: \(folder.path): is a directory"), "\(unread.stderr)")
    #expect(unread.stderr.contains("warning: \(folder("none.pem")): no such file"), "\(unread.stderr)")
    #expect(unread.stderr.contains("\(folder("s.db")) holds no private key in PEM"), "\(unread.stderr)")
    #expect(unread.stderr.split(separator: "\n").count == 4, "\(unread.stderr)")
    for (option, text) in [("--source", "--source need a value"), ("--authority", "--source need a value")] {
      let run = try await Binary.run(add + [option, ""])
      #expect(run.status == 64 && run.stderr.contains(text), "\(run)")
    }
    let odd = try await Binary.run(
      ["outlets", "add", "a\nb", "--webhook", "https://example.net/", "--state", folder("s.db")])
    #expect(odd.status == 64 && odd.stderr.contains("no control characters"), "\(odd)")
  }

  @Test func `no command writes over what it reads`() async throws {
    let folder = TemporaryFolder()
    let line = #"{"time":"2026-05-01T06:00:00Z","lat":48,"lon":11,"acc_m":5}"# + "\n"
    let track = folder.write("a.ndjson", line)
    let state = folder("s.db")
    let added = try await Binary.run(["regions", "add", "home", "--circle", "48,11,100", "--state", state])
    #expect(added.status == 0, "\(added)")
    // The same file by another name.
    try FileManager.default.createSymbolicLink(atPath: folder("link"), withDestinationPath: state)
    for words in [
      ["replay", track, "--report", track], ["regions", "export", "-o", state, "--state", state],
      ["journal", "-o", folder("link"), "--state", state], ["synth", track, "-o", track],
      ["run", "--record", folder("link"), "--state", state], ["watch", "-r", track, "--record", track],
    ] {
      let run = try await Binary.run(words)
      #expect(run.status == 64, "\(words) \(run)")
      #expect(run.stderr.contains("this command reads it, and writing would empty it"), "\(run.stderr)")
    }
    // No daemon has run, so there is no journal to be written.
    let journal = try await Binary.run(["journal", "-o", track, "--state", state])
    #expect(journal.status == 1 && journal.stderr.contains("it has no journal yet"), "\(journal)")
    #expect(try await Binary.run(["regions", "show", "home", "--state", state]).status == 0)
    #expect(try String(contentsOfFile: track, encoding: .utf8) == line)
  }

  @Test func `times of day and durations are read as people write them`() async throws {
    let folder = TemporaryFolder()
    let added = try await Binary.run([
      "regions", "add", "home", "--circle", "48,11,0.1km", "--dwell", "10m", "--exit-delay", "1m30s",
      "--state", folder("s.db"), "--format", "ndjson",
    ])
    #expect(added.status == 0, "\(added.stderr)")
    #expect(
      added.stdout.contains(#""dwell_s":600"#) && added.stdout.contains(#""exit_delay_s":90"#), "\(added)")
    let shown = try await Binary.run(["regions", "show", "home", "--state", folder("s.db")])
    #expect(shown.stdout.contains(#""radius_m":100"#), "\(shown)")
    let wrong = try await Binary.run(["regions", "add", "x", "--circle", "48,11,9", "--dwell", "soon"])
    #expect(wrong.status == 64 && wrong.stderr.contains("write 90s, 10m, 1h30m or 2d"), "\(wrong)")
    let track = "Tracks/commute-with-stops.gpx"
    let part = ["replay", track, "--format", "ndjson", "--from"]
    let utc = try await Binary.run(part + ["2026-05-04T06:40:00Z"])
    let local = try await Binary.run(
      part + ["2026-05-04 08:40"], environment: ["TZ": "CET-1CEST,M3.5.0,M10.5.0/3"])
    let asked = try await Binary.run(
      part + ["2026-05-04 06:40", "--utc"], environment: ["TZ": "CET-1CEST,M3.5.0,M10.5.0/3"])
    #expect(utc.status == 0 && utc.stdout == local.stdout && utc.stdout == asked.stdout)
    let text = try await Binary.run(
      ["replay", track, "--format", "text"], environment: ["TZ": "CET-1CEST,M3.5.0,M10.5.0/3"])
    #expect(text.stdout.hasPrefix("2026-05-04 (UTC)\n"), "\(text)")
    let none = try await Binary.run(part + ["noon"])
    #expect(none.status == 64 && none.stderr.contains("\"noon\" is no time; write"), "\(none)")
  }

  @Test func `subscribers show tells what a manifest says beside the defaults`() async throws {
    let folder = TemporaryFolder()
    let manifest = folder.write(
      "a.yaml",
      """
      name: a
      command: [/bin/true]
      modes: [fetch]
      distance_filter_m: 50
      desired_accuracy: 100m
      fetch_interval_s: 1800
      background_delivery: false
      between: 22:00-06:00
      time_zone: UTC
      cooldown_s: 60
      nofile: 64

      """)
    let state = ["--state", folder("s.db")]
    let added = try await Binary.run(["subscribers", "add", manifest] + state)
    #expect(added.status == 0, "\(added)")
    let json = try await Binary.run(["subscribers", "show", "a", "--format", "ndjson"] + state)
    for member in [
      #""between":"22:00-06:00","time_zone":"UTC","cooldown_s":60"#,
      #""distance_filter_m":50,"desired_accuracy":"100m","fetch_interval_s":1800"#,
      #""background_delivery":false,"nofile":64"#,
    ] {
      #expect(json.stdout.contains(member), "\(json)")
    }
    #expect(!json.stdout.contains("activity") && !json.stdout.contains("metered"), "\(json)")
    let text = try await Binary.run(["subscribers", "show", "a", "--format", "text"] + state)
    for row in [/distance_filter_m +50/, /between +22:00-06:00/, /nofile +64/] {
      #expect(text.stdout.contains(row), "\(text)")
    }
  }

  @Test func `distances and speeds are told in the units asked for, records in metres`() async throws {
    let replay = ["replay", "Tracks/tunnel.gpx", "-r", "Tracks/tunnel.regions.geojson", "--explain"]
    func text(_ more: [String], _ variables: [String: String] = [:]) async throws -> String {
      let run = try await Binary.run(replay + ["--format", "text"] + more, environment: variables)
      #expect(run.status == 0, "\(run.stderr)")
      return run.stdout
    }
    #expect(try await text([]).contains(" km/h"))
    let imperial = try await text(["--units", "imperial"])
    #expect(imperial.contains(" mph") && imperial.contains(" ft") && imperial.contains(" mi in"))
    let nautical = try await text([], ["LOCWATCH_UNITS": "nautical"])
    #expect(nautical.contains(" kn") && nautical.contains(" nmi in"))
    #expect(try await text(["--units", "imperial"], ["LOCWATCH_UNITS": "nautical"]) == imperial)
    let plain = try await Binary.run(replay + ["--format", "ndjson"])
    let asked = try await Binary.run(replay + ["--format", "ndjson", "--units", "imperial"])
    #expect(plain.stdoutBytes == asked.stdoutBytes)
    let wrong = try await Binary.run(replay, environment: ["LOCWATCH_UNITS": "furlongs"])
    #expect(wrong.status == 64)
    #expect(
      wrong.stderr
        == "locwatch: LOCWATCH_UNITS is \"furlongs\"; set it to metric, imperial or nautical\n")
  }

  @Test func `without a manifest a text leaves out what each event led to`() async throws {
    let replay = ["replay", "Tracks/tunnel.gpx", "--format"]
    let text = try await Binary.run(replay + ["text"])
    #expect(text.stdout.contains("moved") && !text.stdout.contains("woken"))
    #expect(try await Binary.run(replay + ["ndjson"]).stdout.contains(#""action":"wake""#))
    let manifest = TemporaryFolder()
    let file = manifest.write("a.yaml", "name: a\nservices: [significant-change]\nauthorization: always\n")
    let named = try await Binary.run(replay + ["text", "--subscriber", file])
    #expect(named.stdout.contains("woken in the background"))
  }

  @Test func `events and explanations are told in local time, unless UTC is asked for`() async throws {
    let recording = [
      "explain", "Examples/incident.journal", "--at", "2026-05-01T06:01:12Z", "--format", "text",
    ]
    let zone = ["TZ": "CET-1CEST,M3.5.0,M10.5.0/3"]
    let local = try await Binary.run(recording, environment: zone)
    #expect(local.stdout.hasPrefix("2026-05-01 08:01:12 (CET-1CEST,M3.5.0,M10.5.0/3)\n"), "\(local)")
    let utc = try await Binary.run(recording + ["--utc"], environment: zone)
    #expect(utc.stdout.hasPrefix("2026-05-01T06:01:12.000Z\n"), "\(utc)")
  }

  @Test(arguments: [["power", "profiles"], ["power", "show", "rpi4-ublox-m8"], ["config", "show"]])
  func `--json and --format ndjson are the same`(words: [String]) async throws {
    let json = try await Binary.run(words + ["--json"])
    #expect(json.status == 0 && json.stdout.hasPrefix("{"))
    #expect(try await Binary.run(words + ["--format", "ndjson"]).stdout == json.stdout)
    #expect(
      try await Binary.run(words + ["--format", "text"]).stdout == (try await Binary.run(words)).stdout)
    #expect(try await Binary.run(words + ["--json", "--format", "text"]).status == 64)
  }
}

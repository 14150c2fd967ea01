import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationRuntime

/// Regions that are changed from the terminal.
@Suite struct RegionsChangeTests {
  private let folder = TemporaryFolder()

  private func run(_ words: [String], environment: [String: String] = [:]) async throws -> Binary.Result {
    try await Binary.run(words + ["--state", folder("s.db")], environment: environment)
  }

  private func add() async throws {
    let added = try await run([
      "regions", "add", "home", "--circle", "48.1,11.5,120", "--name", "Home", "--notify", "enter",
    ])
    #expect(added.status == 0, "\(added.stderr)")
  }

  @Test func `move changes the circle and nothing else`() async throws {
    try await add()
    let moved = try await run(["regions", "move", "home", "-33.8,151.2,0.2km"])
    #expect(moved.stdout == "home: circle, 200 m around -33.80000, 151.20000\n", "\(moved)")
    let wider = try await run(["regions", "move", "home", "--radius", "300m"])
    #expect(wider.stdout == "home: circle, 300 m around -33.80000, 151.20000\n", "\(wider)")
    let feet = try await run(
      ["regions", "move", "home", "--radius", "200m"], environment: ["LOCWATCH_UNITS": "imperial"])
    #expect(feet.stdout == "home: circle, 656 ft around -33.80000, 151.20000\n", "\(feet)")
    let shown = try await run(["regions", "show", "home"])
    #expect(shown.stdout.contains(#""name":"Home""#) && shown.stdout.contains(#""notify":["enter"]"#))
    let last = try await Binary.run([
      "regions", "move", "home", "--state", folder("s.db"), "--", "-33.8,151.2,0.2km",
    ])
    #expect(last.stdout == moved.stdout, "\(last)")
    let here = try await run(["regions", "move", "home", "--here"])
    #expect(here.status == 1 && here.stderr.contains("no fix is known here yet"), "\(here)")
    #expect(here.stderr.hasSuffix("or give the place as LAT,LON\n"), "\(here)")
  }

  /// A region that is put where the device was hours ago is no region around it.
  @Test func `a place that is taken from the last fix comes with its age`() async throws {
    let daemon = try DaemonRun.started()
    daemon.gpsd.say(ScriptedGPSD.report(second: 0, latitude: 48.1))
    try await daemon.waitForFixes(1)
    let added = try await daemon.command(["regions", "add", "here", "--here", "100m"])
    #expect(added.status == 0 && added.stderr.contains("locwatch: the last fix is "), "\(added)")
    let moved = try await daemon.command(["regions", "move", "here", "--here"])
    #expect(moved.status == 0 && moved.stderr.contains("locwatch: the last fix is "), "\(moved)")
  }

  @Test func `rename takes the programs along`() async throws {
    try await add()
    #expect(
      try await Binary.run(["on", "enter", "home", "--state", folder("s.db"), "--", "true"]).status == 0)
    let renamed = try await run(["regions", "rename", "home", "flat"])
    #expect(renamed.stdout == "enter-home names it flat\nrenamed home to flat\n", "\(renamed)")
    #expect(try await run(["on", "list", "--format", "ndjson"]).stdout.contains(#""regions":["flat"]"#))
    let gone = try await run(["regions", "show", "home"])
    #expect(gone.status == 1)
    let taken = try await run(["regions", "rename", "flat", "flat"])
    #expect(taken.status == 73, "\(taken)")
  }

  /// What waits for an outlet is counted by SQLite, which compares bytes.
  @Test func `an outlet names a region as the state file does, in whatever way it is typed`() async throws {
    #expect(try await run(["regions", "add", "caf\u{E9}", "--circle", "48.1,11.5,120"]).status == 0)
    let added = try await run([
      "outlets", "add", "door", "--webhook", "http://127.0.0.1:9/hook", "--region", "cafe\u{301}",
    ])
    #expect(added.status == 0, "\(added)")
    let database = try #require(try StateDatabase.openToRead(path: folder("s.db")))
    let regions = try database.outletSettings().flatMap { $0.regions ?? [] }
    #expect(regions.map { Array($0.utf8) } == [Array("caf\u{E9}".utf8)])
  }

  @Test func `rename takes programs and outlets along, or changes nothing, before it says so`() async throws {
    try await add()
    for kind in ["enter", "exit"] {
      let rule = ["on", kind, "home", "--state", folder("s.db"), "--", "true"]
      #expect(try await Binary.run(rule).status == 0)
    }
    let outlet = ["outlets", "add", "door", "--webhook", "http://127.0.0.1:9/hook", "--region", "home"]
    #expect(try await run(outlet).status == 0)
    func named() throws -> [[String]?] {
      let database = try #require(try StateDatabase.openToRead(path: folder("s.db")))
      return try database.subscribers().map(\.subscriber.regions) + database.outletSettings().map(\.regions)
    }
    // What can't be said was done all the same.
    let unsaid = try await Binary.run(
      ["-c", "\"$0\" regions rename home flat --state \"$1\" > /dev/full", Binary.path, folder("s.db")],
      executable: "/bin/sh")
    #expect(unsaid.status == 74, "\(unsaid)")
    #expect(try named() == [["flat"], ["flat"], ["flat"]])
    #expect(try await run(["regions", "add", "work", "--circle", "48.1,11.5,120"]).status == 0)
    #expect(try await run(["regions", "rename", "flat", "work"]).status == 73)
    #expect(try named() == [["flat"], ["flat"], ["flat"]])
    let renamed = try await run(["regions", "rename", "flat", "home"])
    #expect(
      renamed.stdout
        == "enter-home names it home\nexit-home names it home\noutlet door names it home\nrenamed flat to home\n",
      "\(renamed)")
    let removed = try await run(["regions", "remove", "home"])
    #expect(
      removed.stderr.contains("outlet door waits for region \"home\", which is not there"), "\(removed)")
  }

  @Test func `a command that waits in vain is told where its region changes`() async throws {
    let rule = [
      "on", "dwell", "home", "5m", "--circle", "48.1,11.5,120", "--state", folder("s.db"), "--", "true",
    ]
    #expect(try await Binary.run(rule).status == 0)
    let replaced = try await run(["regions", "add", "home", "--circle", "48.1,11.5,150", "--replace"])
    #expect(
      replaced.status == 0
        && replaced.stderr.contains("waits for dwell, which region \"home\" does not report"), "\(replaced)")
    let removed = try await run(["regions", "remove", "home"])
    #expect(
      removed.status == 0 && removed.stderr.contains("waits for region \"home\", which is not there"),
      "\(removed)")
  }

  @Test func `an accent may be written in one way only`() async throws {
    let (one, two) = ("Caf\u{E9}", "Cafe\u{301}")
    #expect(try await run(["regions", "add", one, "--circle", "48.1,11.5,120"]).status == 0)
    for command in [
      ["add", two, "--circle", "48.1,11.5,120"], ["add", two, "--circle", "48.1,11.5,120", "--replace"],
    ] {
      let second = try await run(["regions"] + command)
      #expect(second.status == 73 && second.stderr.contains("other bytes"), "\(second)")
    }
    try await add()
    #expect(try await run(["regions", "rename", "home", two]).status == 73)
    #expect(try await run(["regions", "list"]).status == 0)
  }

  @Test func `of two changes at the same time one fails, and none is undone`() async throws {
    for round in 0..<10 {
      let id = "place-\(round)"
      #expect(try await run(["regions", "add", id, "--circle", "48.1,11.5,120"]).status == 0)
      async let one = run(["regions", "rename", id, "\(id)-a"])
      async let other = run(["regions", "rename", id, "\(id)-b"])
      let statuses = try await [one.status, other.status]
      #expect(statuses.filter { $0 == 0 }.count == 1, "\(statuses)")
      let listed = try await run(["regions", "list", "--format", "ndjson"])
      #expect(listed.stdout.matches(of: /"id":"place-/).count == round + 1, "\(listed.stdout)")
    }
    // While the editor is open, another command moves and then removes it.
    try await add()
    let state = folder("s.db")
    for command in ["move home 48.5,11.5", "remove home"] {
      let editor = "\(Binary.path) regions \(command) --state \(state) && sed -i s/120/150/"
      let edited = try await run(["regions", "edit", "home"], environment: ["EDITOR": editor])
      #expect(edited.status == 75 && edited.stderr.contains("meanwhile"), "\(edited)")
      #expect(edited.stderr.contains("the text is kept in "), "\(edited)")
      if let path = edited.stderr.split(separator: " ").last.map({ $0.filter { !$0.isNewline } }) {
        try? FileManager.default.removeItem(atPath: path)
      }
    }
    #expect(try await run(["regions", "show", "home"]).status == 1)
  }

  @Test func `edit stores what an editor leaves, and keeps what is wrong`() async throws {
    try await add()
    let good = try await run(["regions", "edit", "home"], environment: ["EDITOR": "sed -i s/120/150/"])
    #expect(good.stdout == "changed home: circle, 150 m around 48.10000, 11.50000\n", "\(good)")
    let same = try await run(["regions", "edit", "home"], environment: ["EDITOR": "true"])
    #expect(same.stderr == "locwatch: nothing was changed\n", "\(same)")
    let feet = try await run(
      ["regions", "edit", "home"],
      environment: ["EDITOR": "sed -i s/150/200/", "LOCWATCH_UNITS": "imperial"])
    #expect(feet.stdout == "changed home: circle, 656 ft around 48.10000, 11.50000\n", "\(feet)")
    let other = try await run(["regions", "edit", "home"], environment: ["EDITOR": "sed -i s/home/away/"])
    #expect(other.status == 65 && other.stderr.contains("then locwatch regions rename home away"), "\(other)")
    if let path = other.stderr.split(separator: " ").last.map({ $0.filter { !$0.isNewline } }) {
      try? FileManager.default.removeItem(atPath: path)
    }
    for change in [["move", "home", "--radius", "5"], ["move", "home", "--radius", "200"]] {
      let moved = try await run(["regions"] + change)
      let isSmall = change.last == "5"
      #expect(moved.status == 0 && moved.stderr.contains("is below 24 m") == isSmall, "\(moved)")
    }
    let twice = try await run(["regions", "move", "home", "3,4,200", "--radius", "50"])
    #expect(twice.status == 64 && twice.stderr.contains("give the radius once"), "\(twice)")
    let bad = try await run(["regions", "edit", "home"], environment: ["EDITOR": "sed -i s/200/-1/"])
    #expect(bad.status == 65 && bad.stderr.contains("the text is kept in "), "\(bad)")
    if let path = bad.stderr.split(separator: " ").last.map({ $0.filter { !$0.isNewline } }) {
      #expect(FileManager.default.fileExists(atPath: path))
      try? FileManager.default.removeItem(atPath: path)
    }
    let empty = TemporaryFolder()
    for (editor, words) in [
      ("false", "nothing was changed"), ("sed -i s/200/210/ \"$1\" && false", "is kept in"),
    ] {
      let failed = try await run(
        ["regions", "edit", "home"], environment: ["EDITOR": editor, "TMPDIR": empty("")])
      #expect(failed.status == 69 && failed.stderr.contains("the editor \"\(editor)\" failed"), "\(failed)")
      #expect(failed.stderr.contains(words), "\(failed)")
      let isKept = try !FileManager.default.contentsOfDirectory(atPath: empty("")).isEmpty
      #expect(isKept == (words == "is kept in"))
    }
    let removed = try await run(["regions", "edit", "home"], environment: ["EDITOR": "rm"])
    #expect(removed.status == 66 && removed.stderr.contains("nothing was changed"), "\(removed)")
    #expect(!removed.stderr.contains("is kept"), "\(removed)")
  }

  @Test func `VISUAL comes before EDITOR, unless it is empty`() async throws {
    try await add()
    let failed = try await run(
      ["regions", "edit", "home"], environment: ["VISUAL": "false", "EDITOR": "true"])
    #expect(failed.status == 69 && failed.stderr.contains("name another in VISUAL"), "\(failed)")
    let empty = try await run(["regions", "edit", "home"], environment: ["VISUAL": "", "EDITOR": "true"])
    #expect(empty.status == 0 && empty.stderr == "locwatch: nothing was changed\n", "\(empty)")
  }

  @Test func `polygons and corridors are added from the command line, and drawn`() async throws {
    let yard = try await run([
      "regions", "add", "yard", "--polygon", "48.1,11.5 48.1,11.6 48.2,11.6", "--format", "text",
    ])
    #expect(yard.stdout.contains("polygon, 3 corners"), "\(yard)")
    let way = try await run([
      "regions", "add", "way", "--line", "-33.8,151.2 -33.9,151.3", "--buffer", "50m", "--format", "text",
    ])
    #expect(way.stdout.contains("corridor, 50 m to each side"), "\(way)")
    let map = try await run(["regions", "show", "yard", "--map", "--format", "text"])
    let dots = map.stdout.unicodeScalars.count(where: { (0x2801...0x28FF).contains($0.value) })
    #expect(dots > 40 && map.stdout.contains("├─"), "\(map.stdout)")
    #expect(map.stdout.split(separator: "\n").allSatisfy { $0.count <= 80 })
    let flat = try await run(["regions", "show", "yard", "--format", "text"])
    #expect(map.stdout.hasPrefix(flat.stdout))
    let wrong = try await run(["regions", "add", "x", "--polygon", "48.1,11.5 48.2,11.5"])
    #expect(wrong.status == 64 && wrong.stderr.contains("at least three corners"), "\(wrong)")
    let bow = try await run(["regions", "add", "x", "--polygon", "48,11 48.1,11.1 48.1,11 48,11.1"])
    #expect(
      bow.status == 64
        && bow.stderr.contains("--polygon: not a valid outline: Self-intersection at 48.05,11.05;"), "\(bow)")
    let commas = try await run(["regions", "add", "x", "--line", "48,1;11,5 48,2;11,6", "--buffer", "50m"])
    #expect(commas.status == 64 && commas.stderr.contains("\"48,1;11,5\" is no place"), "\(commas)")
  }
}

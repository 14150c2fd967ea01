import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import locwatch

/// `locwatch regions` as a user runs it.
@Suite struct RegionsCommandTests {
  private let folder = TemporaryFolder()

  private func regions(_ arguments: String..., stdin: String = "") async throws -> Binary.Result {
    try await Binary.run(
      ["regions"] + arguments, stdin: stdin, environment: ["XDG_STATE_HOME": folder("state")])
  }

  private func failure(_ arguments: String..., stdin: String = "") async throws -> String {
    let run = try await Binary.run(
      ["regions"] + arguments, stdin: stdin, environment: ["XDG_STATE_HOME": folder("state")])
    #expect(run.stdout == "")
    return "\(run.status) \(run.stderr)"
  }

  static let two = """
    {"type":"FeatureCollection","features":[
    {"type":"Feature","id":"home","properties":{"name":"Home","radius_m":120,"owner":{"n":1.50}},"geometry":{"type":"Point","coordinates":[11.5754,48.1371]}},
    {"type":"Feature","id":"office","properties":{"radius_m":80,"tags":["work"]},"geometry":{"type":"Point","coordinates":[11.56,48.14]}}
    ]}

    """

  @Test(arguments: Locwatch.configuration.subcommands.map { $0.configuration.commandName ?? "?" })
  func `a region may be called as a command is`(name: String) async throws {
    let state = folder("named.db")
    let run = try await Binary.run(["regions", "add", name, "--circle", "48,11,100", "--state", state])
    #expect(run.status == 0 && FileManager.default.fileExists(atPath: state), "\(run)")
  }

  @Test func `a file whose places are all swapped is found by the machine's time zone`() async throws {
    let file = folder.write(
      "swapped.geojson",
      #"{"type":"Feature","id":"home","properties":{"radius_m":100},"geometry":{"type":"Point","coordinates":[48.1,11.5]}}"#
    )
    func check(_ zone: String) async throws -> Binary.Result {
      try await Binary.run(
        ["regions", "check", file, "--state", folder("none.db"), "--format", "text"],
        environment: ["TZ": zone])
    }
    let found = try await check("Europe/Berlin")
    #expect(found.status == 1 && found.stdout.contains("swapped?"), "\(found)")
    let rule = [
      "on", "enter", "swapped", "--circle", "11.5,48.1,150", "--state", folder("on.db"), "--", "true",
    ]
    let added = try await Binary.run(rule, environment: ["TZ": "Europe/Berlin"])
    #expect(added.status == 0 && added.stdout.contains("swapped?"), "\(added)")
    #expect(try await check("Africa/Mogadishu").status == 0)
    #expect(try await check("UTC").status == 0)
  }

  @Test func `adds, lists, shows and removes`() async throws {
    let added = try await regions(
      "add", "home", "--circle", "48.1371,11.5754,120", "--name", "Home", "--tag", "own", "--notify",
      "enter,exit,dwell", "--dwell", "300", "--exit-delay", "60", "--max-latency", "900", "--initial", "event"
    )
    #expect(added.status == 0, "\(added.stderr)")
    let record =
      #"{"id":"home","name":"Home","shape":"circle","lat":48.1371000,"lon":11.5754000,"radius_m":120.00,"#
      + #""notify":["enter","exit","dwell"],"dwell_s":300.000,"exit_delay_s":60.000,"max_latency_s":900.000,"#
      + #""initial":"event","tags":["own"]"#
    #expect(added.stdout == record + "}\n")
    #expect(try await regions("list").stdout == record + "}\n")
    #expect(try await regions("list", "--tag", "own").stdout == record + "}\n")
    #expect(try await regions("list", "--tag", "other").stdout == "")
    #expect(try await regions("show", "home").stdout == record + #","state":"unknown"}"# + "\n")
    #expect(
      try await regions("list", "--format", "text").stdout == """
        ID    NAME  SHAPE                                    NOTIFY                          TAGS
        home  Home  circle, 120 m around 48.13710, 11.57540  enter, exit, dwell after 5 min  own

        """)
    #expect(try await regions("remove", "home").status == 0)
    #expect(try await regions("list").stdout == "")
  }

  @Test func `a time of dwelling needs its event`() async throws {
    let circle = ["--circle", "48.1371,11.5754,120"]
    for (notify, status) in [("enter", 64), ("enter,dwell", 0)] {
      let added = try await Binary.run(
        ["regions", "add", "home", "--notify", notify, "--dwell", "5m", "--state", folder("dwell.db")]
          + circle)
      #expect(added.status == status, "\(added)")
      #expect(added.stderr.contains("name dwell in --notify") == (status == 64), "\(added)")
    }
  }

  @Test(arguments: [["--circle=-33.8568,-151.2153,300"], ["--circle", "-33.8568,-151.2153,300"]])
  func `takes places in the south and west`(circle: [String]) async throws {
    let run = try await Binary.run(
      ["regions", "add", "x"] + circle, environment: ["XDG_STATE_HOME": folder("state")])
    #expect(
      run.stdout.hasPrefix(#"{"id":"x","shape":"circle","lat":-33.8568000,"lon":-151.2153000,"#),
      "\(run.stderr)")
    let near = try await regions("near", "-33.8568,-151.2153", "-n", "1")
    #expect(near.stdout == #"{"id":"x","edge_m":-300.00}"# + "\n", "\(near.stderr)")
    let last = try await regions("near", "-n", "1", "--", "-33.8568,-151.2153")
    #expect(last.stdout == near.stdout, "\(last.stderr)")
  }

  @Test func `adds an outline from a file under a name of its own`() async throws {
    let file = folder.write("yard.geojson", #"{"type":"Point","coordinates":[1,2]}"#)
    #expect(
      try await failure("add", "yard", "--geojson", file)
        == "65 locwatch: \(file):1: feature 1: a Point without a radius; add \"radius_m\" (metres) to its properties, or import it with --radius METRES\n"
    )
    let feature =
      #"{"type":"Feature","id":"old","properties":{"radius_m":50,"notify":["enter"]},"geometry":{"type":"Point","coordinates":[1,2]}}"#
    let run = try await regions("add", "yard", "--geojson", "-", "--notify", "exit", stdin: feature)
    #expect(run.stdout.hasPrefix(#"{"id":"yard","shape":"circle","#))
    #expect(run.stdout.contains(#""notify":["exit"]"#))
    let two = try await failure("add", "b", "--geojson", folder.write("two.geojson", Self.two))
    #expect(two.hasPrefix("65 ") && two.contains("holds 2 features where one is expected"))
  }

  @Test func `imports, exports and imports again without a change`() async throws {
    let file = folder.write("two.geojson", Self.two)
    #expect(
      try await regions("import", file).stdout
        == #"{"added":2,"changed":0,"unchanged":0,"left_out":0}"# + "\n")
    let exported = try await regions("export").stdout
    #expect(exported == Self.two)
    #expect(
      try await regions("import", "-", stdin: exported).stdout
        == #"{"added":0,"changed":0,"unchanged":2,"left_out":0}"# + "\n")
    #expect(try await regions("export", "office").stdout.contains("home") == false)
    #expect(try await regions("export", "--tag", "work", "-o", folder("out.geojson")).status == 0)
    let one = try await regions("import", folder("out.geojson"))
    #expect(one.stdout == #"{"added":0,"changed":0,"unchanged":1,"left_out":0}"# + "\n")
  }

  @Test func `bad data changes nothing`() async throws {
    _ = try await regions("import", "-", stdin: Self.two)
    let before = try await regions("export").stdout
    let bad = Self.two.replacingOccurrences(of: "120", with: "150").replacingOccurrences(
      of: "80", with: "-80")
    #expect(
      try await failure("import", "-", stdin: bad)
        == "65 locwatch: <stdin>:3: feature 2 (\"office\"): radius_m: -80 is no radius; write more than 0 metres\n"
    )
    let good = folder.write("good.geojson", Self.two.replacingOccurrences(of: "120", with: "150"))
    #expect(try await failure("import", good, folder.write("bad.geojson", bad)).hasPrefix("65 "))
    #expect(
      try await failure("import", good, folder.write("again.geojson", Self.two)).contains(
        "region \"home\" is in \(good) too"))
    #expect(try await failure("import", folder("none.geojson")).hasPrefix("66 "))
    #expect(
      try await failure("add", "home", "--circle", "1,2,3").hasSuffix(
        "there is a region \"home\" already; add --replace, or remove it first\n"))
    #expect(
      try await failure("remove", "home", "offise")
        == "1 locwatch: no region is called \"offise\"; did you mean office?\n")
    #expect(try await regions("export").stdout == before)
    #expect(try await regions("add", "home", "--circle", "1,2,300", "--replace").status == 0)
    #expect(try await regions("export").stdout != before)
  }

  @Test func `near and locate read files and touch no database`() async throws {
    let file = folder.write("two.geojson", Self.two)
    #expect(
      try await regions("near", "48.1371,11.5754", "--regions", file).stdout == """
        {"id":"home","name":"Home","edge_m":-120.00}
        {"id":"office","edge_m":1110.65}

        """)
    #expect(
      try await regions("near", "48.1371,11.5754", "-n", "1", "-r", file, "--format", "text").stdout
        == """
          EDGE          ID    NAME
         120 m  inside  home  Home

        """.replacingOccurrences(of: "  EDGE          ID", with: " EDGE          ID").replacingOccurrences(
          of: " 120 m", with: "120 m"))
    let located = try await regions(
      "locate", "--regions", file,
      stdin:
        "lat,lon\n48.1371, 11.5754\r\n\n{\"lat\":48.14,\"lon\":11.56,\"acc_m\":5}\n{\"lat\":-10,\"lng\":20}")
    #expect(
      located.stdout == """
        {"lat":48.1371000,"lon":11.5754000,"inside":["home"],"nearest":"home","edge_m":-120.00}
        {"lat":48.1400000,"lon":11.5600000,"inside":["office"],"nearest":"office","edge_m":-80.00}
        {"lat":-10.0000000,"lon":20.0000000,"inside":[],"nearest":"home","edge_m":6492843.42}

        """, "\(located.stderr)")
    let check = try await regions("check", "--regions", file)
    #expect(check.status == 0)
    #expect(check.stdout == "")
    #expect(try await regions("list").stderr.contains("no regions"))
    #expect(try await Binary.run(["-c", "ls \(folder("state"))"], executable: "/bin/sh").status != 0)
  }

  @Test func `takes outlines from GeoJSON and KML`() async throws {
    let square = #"{"type":"Polygon","coordinates":[[[10,50],[11,50],[11,51],[10,51],[10,50]]]}"#
    let added = try await regions("add", "yard", "--geojson", "-", stdin: square)
    #expect(
      added.stdout
        == #"{"id":"yard","shape":"polygon","lat":50.5000000,"lon":10.5000000,"polygons":1,"holes":0,"vertices":5,"#
        + #""notify":["enter","exit"],"exit_delay_s":0.000,"initial":"state"}"# + "\n", "\(added.stderr)")
    let bow = #"{"type":"Polygon","coordinates":[[[0,0],[10,10],[10,0],[0,10],[0,0]]]}"#
    #expect(
      try await failure("add", "bow", "--geojson", "-", stdin: bow)
        == "65 locwatch: -:1: feature 1: not a valid outline: Self-intersection at [5, 5]; draw it anew there\n"
    )
    let kml = """
      <kml><Placemark><name>Pin</name><Point><coordinates>2,1</coordinates></Point></Placemark>
      <Placemark><name>Zone</name><Polygon><outerBoundaryIs><LinearRing><coordinates>
       20,50 21,50 21,51 20,50</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark></kml>
      """
    let imported = try await regions("import", "-", stdin: kml)
    #expect(imported.stdout == #"{"added":1,"changed":0,"unchanged":0,"left_out":1}"# + "\n")
    #expect(imported.stderr.contains("left out: <stdin>: placemark 1 (\"Pin\"): a Point without a radius"))
    let located = try await regions("locate", stdin: "50.2,20.9\n50.5,10.5\n")
    #expect(located.stdout.contains(#""inside":["Zone"],"#))
    #expect(located.stdout.contains(#""inside":["yard"],"#))
  }

  @Test(arguments: [
    ("{\"lat\":52}", "lon"), ("{\"lon\":13}", "lat"), ("{\"lat\":\"52\",\"lon\":13}", "lat"),
  ])
  func `locate names what a line lacks`(line: String, key: String) async throws {
    let file = folder.write("two.geojson", Self.two)
    let run = try await regions("locate", "-r", file, stdin: line + "\n")
    #expect(run.status == 65 && run.stderr.contains(":1: an object whose \(key) is missing"), "\(run)")
    #expect(run.stderr.contains(key) && !run.stderr.contains("nan"), "\(run)")
  }

  @Test(arguments: [
    "8.7,2.2e-06", " 87e-1 , 2.2E-6 ", "+8.70,.0000022", "\u{FEFF}8.7,2.2e-06",
    "\u{FEFF}{\"lat\":8.7,\"lon\":2.2e-06}",
  ])
  func `locate reads decimals and exponents`(line: String) async throws {
    let file = folder.write("two.geojson", Self.two)
    let run = try await regions("locate", "-r", file, stdin: line + "\n")
    #expect(run.status == 0 && run.stdout.hasPrefix(#"{"lat":8.7000000,"lon":0.0000022,"#), "\(run)")
  }

  @Test func `locate answers up to a bad line`() async throws {
    let file = folder.write("two.geojson", Self.two)
    let run = try await regions("locate", "-r", file, stdin: "1,2\n1;2\n3,4\n")
    #expect(run.status == 65)
    #expect(run.stdout.split(separator: "\n").count == 1)
    #expect(
      run.stderr == "locwatch: <stdin>:2: \"1;2\" is no place; write LAT,LON or {\"lat\":LAT,\"lon\":LON}\n")
    let swapped = try await regions("locate", "-r", file, stdin: "139.7,35.6\n")
    #expect(swapped.stderr.contains("latitude 139.7 is not within -90 to 90; swapped?"))
  }

  @Test func `check finds what is wrong and what is not meant`() async throws {
    let file = folder.write(
      "odd.geojson",
      """
      {"type":"FeatureCollection","features":[
      {"type":"Feature","id":"a","properties":{"radius_m":120,"dwel_s":5},"geometry":{"type":"Point","coordinates":[11.5,48.1]}},
      {"type":"Feature","id":"b","properties":{"radius_m":20},"geometry":{"type":"Point","coordinates":[11.6,48.2]}},
      {"type":"Feature","id":"c","properties":{"radius_m":100},"geometry":{"type":"Point","coordinates":[48.1,11.55]}},
      {"type":"Feature","id":"d","properties":{"radius_m":100,"notify":[]},"geometry":{"type":"Point","coordinates":[11.7,48.2]}},
      {"type":"Feature","id":"e","properties":{},"geometry":null}
      ]}
      """)
    let run = try await regions("check", "--regions", file)
    #expect(run.status == 1, "\(run.stderr)")
    let kinds = run.stdout.split(separator: "\n").map { line in
      line.split(separator: "\"text\"").first.map(String.init) ?? ""
    }
    #expect(
      kinds == [
        #"{"finding":"left-out","#, #"{"finding":"property","#, #"{"region":"b","finding":"small-radius","#,
        #"{"region":"c","finding":"swapped","#, #"{"region":"d","finding":"no-event","#,
      ])
    let bad = folder.write("bad.geojson", Self.two.replacingOccurrences(of: "radius_m", with: "radius_x"))
    let wrong = try await regions("check", bad)
    #expect(wrong.status == 65)
    #expect(wrong.stderr.split(separator: "\n").count == 2, "every problem is told")
  }

  @Test(arguments: [
    ["add", "x"], ["add", "x", "--circle", "1,2,3", "--geojson", "f"], ["add", "x", "--circle", "1,2"],
    ["add", "x", "--circle", "1,2,0"], ["add", "x", "--circle", "100,2,5"],
    ["add", "x", "--circle", "a,b,c"],
    ["add", "", "--circle", "1,2,3"], ["add", "x", "--circle", "1,2,3", "--notify", "leave"],
    ["add", "x", "--circle", "1,2,3", "--dwell", "-1"],
    ["add", "x", "--circle", "1,2,3", "--initial", "yes"],
    ["remove"], ["remove", "a", "--all"], ["near"], ["near", "1"], ["near", "1,2", "3,4"],
    ["near", "1,2", "-n", "0"],
    ["import"], ["import", "--radius", "-5", "f"],
    ["list", "--format", "xml"],
  ])
  func `wrong use is told as such`(arguments: [String]) async throws {
    let run = try await Binary.run(["regions"] + arguments, environment: ["XDG_STATE_HOME": folder("state")])
    #expect(run.status == 64, "\(run.stderr)")
    #expect(run.stdout == "")
    #expect(run.stderr != "")
  }

  @Test func `a state file that is something else is refused`() async throws {
    let file = folder.write("notes.txt", String(repeating: "dear diary\n", count: 100))
    for arguments in [["list"], ["add", "x", "--circle", "1,2,300"]] {
      let run = try await Binary.run(["regions"] + arguments + ["--state", file])
      #expect(run.status == 65)
      #expect(run.stderr == "locwatch: \(file): not an SQLite database; name another file with --state\n")
    }
  }

  @Test(arguments: ["list", "show", "add", "remove", "check", "import", "export", "near", "locate"])
  func `help teaches by example`(verb: String) async throws {
    let run = try await Binary.run(["regions", verb, "--help"])
    #expect(run.status == 0)
    #expect(run.stdout.contains("locwatch regions \(verb)"))
  }
}

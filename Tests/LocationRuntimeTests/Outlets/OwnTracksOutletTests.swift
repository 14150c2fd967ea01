import Testing

@testable import LocationCore
@testable import LocationFormats

/// What is published of an event.
@Suite struct OwnTracksOutletTests {
  private func tree(_ text: String) throws -> JSONTree {
    var reader = JSONReader(Array(text.utf8))
    return try JSONTree(&reader)
  }

  private func settings(announces: Bool = false) -> OutletSettings {
    var settings = OutletSettings(name: "boat", kind: .mqtt, instance: "00ff")
    settings.topic = "owntracks/anna/boat"
    settings.announces = announces
    settings.created = 1_700_000_000
    return settings
  }

  @Test(arguments: [("owntracks/anna/boat", "at"), ("a/c/x", "x"), ("x", "x")])
  func `the tracker is named by the end of the device's name`(topic: String, tracker: String) throws {
    var settings = settings()
    settings.topic = topic
    var outlet = OwnTracksOutlet(settings, .init(places: [place("at home", "Home")]))
    let line =
      #"{"id":1,"type":"region.enter","time":"2026-05-01T06:01:02.400Z","region":"at home","lat":48,"lon":11.5}"#
    let messages = shown(outlet.messages(for: try tree(line)))
    #expect(messages.contains { $0.contains("\"tid\":\"\(tracker)\"") })
  }

  private func place(_ id: String, _ name: String, isInside: Bool? = nil) -> OwnTracksOutlet.Place {
    var place = OwnTracksOutlet.Place(id: id, name: name, latitude: 48, longitude: 11, radiusMeters: 99.2)
    place.isInside = isInside
    return place
  }

  private func outlet(announces: Bool = false) -> OwnTracksOutlet {
    OwnTracksOutlet(settings(announces: announces), .init(places: [place("at home", "Home")]))
  }

  private func shown(_ messages: [MQTTSession.Message]) -> [String] {
    messages.map {
      "\($0.topic)\($0.isRetained ? " retained" : "") \(String(decoding: $0.payload, as: UTF8.self))"
    }
  }

  private let enter =
    #"{"v":1,"seq":3,"id":42,"type":"region.enter","time":"2026-05-01T06:01:02.500Z","region":"at home","#
    + #""lat":48.0083633,"lon":11.5000000,"acc_m":2.48}"#

  @Test func `an enter is a transition and a location`() throws {
    let record = try tree(enter)
    var outlet = outlet()
    #expect(
      shown(outlet.messages(for: record)) == [
        #"owntracks/anna/boat/event {"_type":"transition","event":"enter","desc":"Home","rid":"at home","#
          + #""tst":1777615262,"wtst":1700000000,"lat":48.0083633,"lon":11.5000000,"acc":3,"tid":"at","t":"c"}"#,
        #"owntracks/anna/boat retained {"_type":"location","lat":48.0083633,"lon":11.5000000,"tst":1777615262,"#
          + #""acc":3,"tid":"at","t":"c","inregions":["Home"],"inrids":["at home"]}"#,
      ])
  }

  @Test func `a transition has the time of its waypoint`() throws {
    let places = [place("work", "Work"), place("at home", "Home")]
    var outlet = OwnTracksOutlet(settings(), .init(places: places))
    let transition = try tree(
      String(decoding: outlet.messages(for: try tree(enter))[0].payload, as: UTF8.self))
    let waypoints = try tree(String(decoding: try #require(outlet.waypoints).payload, as: UTF8.self))
    guard case .array(let list) = waypoints["waypoints"] else { return #expect(Bool(false), "\(waypoints)") }
    #expect(list.map { $0["tst"]?.integer } == [1_700_000_000, 1_700_000_001])
    #expect(transition["wtst"] == list[1]["tst"])
  }

  @Test func `Home Assistant is told the position with an event`() throws {
    var outlet = outlet(announces: true)
    let messages = shown(outlet.messages(for: try tree(enter)))
    #expect(messages.count == 3)
    #expect(
      messages[2]
        == #"owntracks/anna/boat/attributes retained {"latitude":48.0083633,"longitude":11.5000000,"gps_accuracy":3}"#
    )
    let first = try tree(#"{"id":1,"type":"region.state","region":"at home","state":"outside"}"#)
    #expect(outlet.messages(for: first).isEmpty)
    let gap = try tree(#"{"id":1,"type":"gap"}"#)
    #expect(outlet.messages(for: gap).isEmpty)
  }

  @Test func `an arrival tells its place, and a departure no place`() throws {
    var outlet = outlet(announces: true)
    let visit =
      #""time":"2026-05-01T06:01:02.500Z","visit":1,"lat":48.1000000,"lon":11.5000000,"radius_m":7.20"#
    let arrive = try tree(#"{"id":1,"type":"visit.arrive",\#(visit)}"#)
    let told = [
      #"owntracks/anna/boat retained {"_type":"location","lat":48.1000000,"lon":11.5000000,"tst":1777615262,"#
        + #""acc":8,"tid":"at","t":"v"}"#,
      #"owntracks/anna/boat/attributes retained {"latitude":48.1000000,"longitude":11.5000000,"gps_accuracy":8}"#,
    ]
    #expect(shown(outlet.messages(for: arrive)) == told)
    // The device is elsewhere now, and the broker keeps that.
    _ = outlet.messages(for: try tree(enter))
    let depart = try tree(#"{"id":43,"type":"visit.depart",\#(visit)}"#)
    #expect(outlet.messages(for: depart).isEmpty)
    #expect(outlet.messages(for: ReducedLine.of(depart)).isEmpty)
    #expect(shown(outlet.greeting()).joined().contains(#""latitude":48.0083633"#))
  }

  @Test func `who connects is told in which regions the device is, as far as that is known`() throws {
    var outlet = OwnTracksOutlet(
      settings(announces: true),
      .init(places: [place("a", "A", isInside: true), place("b", "B", isInside: false), place("c", "C")]))
    func states() -> [String] {
      shown(outlet.greeting()).filter { $0.hasPrefix("owntracks/anna/boat/region/") }
    }
    // The broker may have kept something of before.
    #expect(
      states() == [
        "owntracks/anna/boat/region/a retained ON", "owntracks/anna/boat/region/b retained OFF",
        "owntracks/anna/boat/region/c retained None",
      ])
    // Of what has happened since only what has changed is told.
    let news = shown(
      outlet.take(
        .init(
          places: [
            place("a", "A", isInside: false), place("b", "B", isInside: false),
            place("c", "C", isInside: true),
          ])
      ))
    #expect(
      news == ["owntracks/anna/boat/region/a retained OFF", "owntracks/anna/boat/region/c retained ON"])
    // Home Assistant starts anew later.
    #expect(states().map { String($0.suffix(5)) } == ["d OFF", "d OFF", "ed ON"])
    let lost = outlet.take(
      .init(places: [place("a", "A", isInside: false), place("b", "B", isInside: false), place("c", "C")]))
    #expect(shown(lost) == ["owntracks/anna/boat/region/c retained None"])
  }

  @Test func `that the last region was removed is told`() {
    var outlet = OwnTracksOutlet(settings(), .init(places: [place("a", "A")]))
    let empty = #"owntracks/anna/boat/waypoints {"_type":"waypoints","waypoints":[]}"#
    #expect(shown(outlet.take(.init(places: []))) == [empty])
    #expect(outlet.take(.init(places: [])).isEmpty)
  }

  @Test func `whoever knows OwnTracks alone is told nothing where only a state has changed`() {
    var outlet = OwnTracksOutlet(settings(), .init(places: [place("a", "A", isInside: true)]))
    #expect(outlet.take(.init(places: [place("a", "A", isInside: false)])).isEmpty)
  }

  @Test func `a region that reports one side alone is left, and entered, all the same`() throws {
    let before = [place("in", "In", isInside: false), place("out", "Out", isInside: false)]
    let after = [place("in", "In", isInside: true), place("out", "Out", isInside: true)]
    var outlet = OwnTracksOutlet(settings(), .init(places: before, newest: 10))
    func regions(_ line: String) throws -> [String]? {
      let location = try #require(outlet.messages(for: try tree(line)).last { $0.isRetained })
      return try tree(String(decoding: location.payload, as: UTF8.self))["inrids"]?.strings
    }
    let place = #""lat":48,"lon":11,"acc_m":5"#
    _ = outlet.take(.init(places: after, newest: 12))
    #expect(try regions(#"{"id":11,"type":"region.enter","region":"in",\#(place)}"#) == ["in"])
    #expect(try regions(#"{"id":13,"type":"significant",\#(place)}"#) == ["in", "out"])
    _ = outlet.take(.init(places: before, newest: 14))
    #expect(try regions(#"{"id":14,"type":"region.exit","region":"out",\#(place)}"#) == ["in"])
    #expect(try regions(#"{"id":15,"type":"significant",\#(place)}"#) == nil)
  }

  @Test func `Home Assistant is told where the device is before it moves, unless the outlet is for less`()
    throws
  {
    func told(_ change: (inout OutletSettings) -> Void) -> [String] {
      var settings = settings(announces: true)
      settings.types = OutletSettings.usualTypes
      change(&settings)
      var scene = OwnTracksOutlet.Scene(places: [])
      scene.position = .init(latitude: 48.0083633, longitude: 11.5, accuracyMeters: 2.48)
      return shown(OwnTracksOutlet(settings, scene).greeting()).filter { $0.contains("/attributes ") }
    }
    #expect(
      told { _ in } == [
        #"owntracks/anna/boat/attributes retained {"latitude":48.0083633,"longitude":11.5000000,"gps_accuracy":3}"#
      ])
    #expect(told { $0.regions = ["home"] }.isEmpty)
    #expect(told { $0.types = ["region.enter"] }.isEmpty)
    #expect(told { $0.announces = false }.isEmpty)
    let coarse = told { $0.isReduced = true }
    #expect(
      coarse.count == 1 && !coarse.joined().contains("48.008") && coarse.joined().contains(":5000"),
      "\(coarse)")
    // Home Assistant starts anew later.
    var scene = OwnTracksOutlet.Scene(places: [])
    scene.position = .init(latitude: 1, longitude: 1, accuracyMeters: 1)
    var outlet = OwnTracksOutlet(settings(announces: true), scene)
    _ = outlet.messages(for: try tree(enter))
    #expect(shown(outlet.greeting()).joined().contains("48.0083633"))
    // What waited for the broker is where it was before.
    scene.newest = 100
    outlet = OwnTracksOutlet(settings(announces: true), scene)
    #expect(!shown(outlet.messages(for: try tree(enter))).joined().contains("/attributes "))
    #expect(!shown(outlet.greeting()).joined().contains("48.0083633"))
  }

  @Test func `a location names all regions that the device was in then`() throws {
    var outlet = OwnTracksOutlet(
      settings(), .init(places: [place("a", "A", isInside: true), place("b", "B")], newest: 10))
    func regions(_ line: String) throws -> [String]? {
      let location = try #require(outlet.messages(for: try tree(line)).last { $0.isRetained })
      return try tree(String(decoding: location.payload, as: UTF8.self))["inrids"]?.strings
    }
    let place = #""lat":48,"lon":11,"acc_m":5"#
    // Of an older event it is not known whether the device was in A then.
    #expect(try regions(#"{"id":9,"type":"significant",\#(place)}"#) == nil)
    #expect(try regions(#"{"id":10,"type":"region.enter","region":"b",\#(place)}"#) == ["b"])
    #expect(try regions(#"{"id":11,"type":"significant",\#(place)}"#) == ["a", "b"])
    #expect(try regions(#"{"id":12,"type":"region.exit","region":"b",\#(place)}"#) == ["a"])
    #expect(try regions(#"{"type":"report",\#(place)}"#) == ["a"])
  }

  @Test func `nobody is told of regions that the outlet is not for, nor, of coarse positions, where one is`()
  {
    var settings = settings(announces: true)
    settings.regions = ["b"]
    let scene = OwnTracksOutlet.Scene(places: [place("a", "Secret", isInside: true), place("b", "B")])
    let told = shown(OwnTracksOutlet(settings, scene).greeting()).joined()
    #expect(!told.contains("Secret") && !told.contains("/region/a"), "\(told)")
    #expect(told.contains(#""desc":"B""#))
    settings.isReduced = true
    let coarse = OwnTracksOutlet(settings, scene)
    #expect(coarse.waypoints == nil)
    #expect(!shown(coarse.greeting()).joined().contains(#""lat""#))
  }

  @Test func `a region that is gone is taken from Home Assistant, and its state from the broker`() throws {
    let before = OwnTracksOutlet(
      settings(announces: true), .init(places: [place("home", "Home"), place("at work", "Work")]))
    let old = try tree(String(decoding: before.greeting()[0].payload, as: UTF8.self))
    #expect(before.cleanUp(after: old).isEmpty)
    let outlet = OwnTracksOutlet(settings(announces: true), .init(places: [place("home", "Home")]))
    let messages = outlet.cleanUp(after: old)
    try #require(messages.count == 3)
    #expect(messages.allSatisfy { $0.isRetained })
    let first = try tree(String(decoding: messages[0].payload, as: UTF8.self))
    guard case .object(let components) = first["components"] ?? .null else {
      Issue.record("no components")
      return
    }
    let bare = try #require(components.first { $0.key.hasPrefix("region_at_work") })
    #expect(bare.value == .object([.init(key: "platform", value: .string("binary_sensor"))]))
    #expect(messages[1] == outlet.greeting()[0])
    #expect(messages[2].topic.hasPrefix("owntracks/anna/boat/region/at_work"))
    #expect(messages[2].payload.isEmpty)
    // What somebody else wrote there names no other topics.
    let forged = try tree(
      #"{"components":{"region_x":{"state_topic":"owntracks/anna/other"},"other":{"state_topic":"a"}}}"#)
    #expect(outlet.cleanUp(after: forged).count == 2)
  }

  @Test func `regions change without a new connection`() throws {
    var outlet = OwnTracksOutlet(
      settings(announces: true), .init(places: [place("home", "Home"), place("work", "Work")], newest: 3))
    _ = outlet.messages(for: try tree(enter))
    let told = shown(
      outlet.take(.init(places: [place("home", "Home", isInside: false), place("pier", "Pier")], newest: 50)))
    let config = told.filter { $0.hasPrefix("homeassistant/device/") }
    // The one that is gone is announced by its platform alone, then not at all.
    #expect(config.count == 3 && config[0].contains("region_work") && !config[1].contains("region_work"))
    #expect(config[2] == config[1] && config[2].contains("Pier"))
    #expect(told.contains { $0.hasPrefix("owntracks/anna/boat/region/work") })
    #expect(told.contains("owntracks/anna/boat/region/home retained OFF"), "\(told)")
    // Where the device was last told to be stays.
    #expect(told.joined().contains("48.0083633"))
    #expect(!told.joined().contains("offline"))
  }

  @Test(arguments: [(50, nil), (51, 51), (0, nil)] as [(Int, Int?)])
  func `of too many regions none is told, and those of before are taken back`(
    count: Int, excess: Int?
  ) throws {
    var outlet = outlet(announces: true)
    let scene = OwnTracksOutlet.Scene(places: (0..<count).map { place("at \($0)", "\($0)") })
    #expect(scene.excess(for: settings(announces: true)) == excess)
    let told = shown(outlet.take(scene))
    let places = told.filter { $0.hasPrefix("homeassistant/") }.last?.matches(of: /binary_sensor/)
    #expect(places?.count == (excess == nil ? count : 0))
    #expect(
      told.contains { $0.hasPrefix("owntracks/anna/boat/region/at_home_") && $0.hasSuffix("retained ") })
  }

  @Test func `an outlet for some of many regions tells of those`() {
    var some = settings(announces: true)
    some.regions = ["at home"]
    let scene = OwnTracksOutlet.Scene(places: [place("at home", "Home"), place("x", "X")], count: 1_000)
    #expect(scene.excess(for: some) == nil)
    #expect(scene.excess(for: settings()) == 1_000)
    #expect(shown(OwnTracksOutlet(some, scene).greeting()).joined().contains(#""name":"Home""#))
    #expect(OwnTracksOutlet(settings(), scene).greeting().isEmpty)
  }

  @Test func `discovery has what Home Assistant asks for`() throws {
    let greeting = outlet(announces: true).greeting()
    #expect(greeting[0].topic == "homeassistant/device/locwatch_00ff_boat/config")
    #expect(greeting[0].isRetained)
    let config = try tree(String(decoding: greeting[0].payload, as: UTF8.self))
    #expect(config["device"]?["identifiers"]?.strings == ["locwatch_00ff_boat"])
    #expect(config["origin"]?["name"] == .string("locwatch"))
    guard case .object(let components) = config["components"] ?? .null else {
      Issue.record("no components")
      return
    }
    #expect(components.count == 2)
    var ids: Set<String> = []
    for component in components {
      #expect(component.value["platform"] != nil)
      ids.insert(try #require(component.value["unique_id"]?.string))
    }
    #expect(ids.count == 2)
    #expect(components[0].value["json_attributes_topic"] == .string("owntracks/anna/boat/attributes"))
    #expect(components[0].value["state_topic"] == nil)
    #expect(outlet(announces: true).will(now: 5).topic == "owntracks/anna/boat/availability")
    #expect(shown([outlet().will(now: 5)]) == [#"owntracks/anna/boat {"_type":"lwt","tst":5}"#])
  }

  @Test func `a region of any shape is a circle to others`() {
    let square = Region(
      id: "s",
      shape: .polygon(
        .init(
          shell: [
            Coordinate(uncheckedLatitude: -1, longitude: 179),
            Coordinate(uncheckedLatitude: -1, longitude: -179),
            Coordinate(uncheckedLatitude: 1, longitude: -179),
            Coordinate(uncheckedLatitude: 1, longitude: 179),
          ], holes: [])))
    let place = OwnTracksOutlet.Place(square)
    #expect(abs(place.latitude) < 1e-9)
    #expect(abs(abs(place.longitude) - 180) < 1e-9)
    #expect((156_000...158_000).contains(place.radiusMeters))
  }

  @Test(arguments: [(100.0, 100, 0), (100, 101, 1), (100, 99, 1), (100.4, 101, 0), (100.4, 102, 1)])
  func `a waypoint is the one published for a region, or another`(radius: Double, told: Int, changes: Int)
    throws
  {
    let text =
      #"{"type":"Feature","id":"a","properties":{"radius_m":\#(radius)},"#
      + #""geometry":{"type":"Point","coordinates":[11,48]}}"#
    let file = try RegionFile.read(bytes: Array(text.utf8), name: "a")
    let list = #"{"waypoints":[{"_type":"waypoint","desc":"a","lat":48,"lon":11,"rad":\#(told)}]}"#
    let change = try WaypointChange(tree(list), outlet: "boat") { (_) throws(Failure) in
      try file.feature(at: 0)
    }
    #expect(change.ids.count == changes)
  }

  @Test func `a region of beacons is no waypoint, and has a sensor all the same`() {
    let desk = Region(id: "desk", shape: .beacon(Beacon(uuid: [UInt8](repeating: 7, count: 16))))
    let home = Region(
      id: "home",
      shape: .circle(center: Coordinate(uncheckedLatitude: 48, longitude: 11), radiusMeters: 99))
    let places = [desk, home].map { OwnTracksOutlet.Place($0) }
    let outlet = OwnTracksOutlet(settings(announces: true), OwnTracksOutlet.Scene(places: places))
    let list = String(decoding: outlet.waypoints?.payload ?? [], as: UTF8.self)
    #expect(list.contains(#""rid":"home""#) && !list.contains("desk"), "\(list)")
    let config = outlet.greeting().filter { $0.topic.hasSuffix("/config") }
    #expect(config.contains { String(decoding: $0.payload, as: UTF8.self).contains("desk") })
  }
}

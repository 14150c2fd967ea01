import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats

/// What is published of an event.
@Suite struct OwnTracksOutletTests {
  private func tree(_ text: String) throws -> JSONTree {
    var reader = JSONReader(Array(text.utf8))
    return try JSONTree(&reader)
  }

  private func outlet(announces: Bool = false) -> OwnTracksOutlet {
    var settings = OutletSettings(name: "boat", kind: .mqtt, instance: "00ff")
    settings.topic = "owntracks/anna/boat"
    settings.announces = announces
    settings.created = 1_700_000_000
    return OwnTracksOutlet(
      settings,
      places: [.init(id: "at home", name: "Home", latitude: 48, longitude: 11, radiusMeters: 99.2)])
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
    #expect(
      shown(outlet().messages(for: record)) == [
        #"owntracks/anna/boat/event {"_type":"transition","event":"enter","desc":"Home","rid":"at home","#
          + #""tst":1777615262,"wtst":1700000000,"lat":48.0083633,"lon":11.5000000,"acc":3,"tid":"at","t":"c"}"#,
        #"owntracks/anna/boat retained {"_type":"location","lat":48.0083633,"lon":11.5000000,"tst":1777615262,"#
          + #""acc":3,"tid":"at","t":"c","inregions":["Home"],"inrids":["at home"]}"#,
      ])
  }

  @Test func `Home Assistant is told the state of the region and the position`() throws {
    let messages = shown(outlet(announces: true).messages(for: try tree(enter)))
    #expect(messages.count == 4)
    #expect(
      messages[2]
        == #"owntracks/anna/boat/attributes retained {"latitude":48.0083633,"longitude":11.5000000,"gps_accuracy":3}"#
    )
    #expect(messages[3].hasPrefix("owntracks/anna/boat/region/at_home_"))
    #expect(messages[3].hasSuffix(" retained ON"))
    let first = try tree(#"{"id":1,"type":"region.state","region":"at home","state":"outside"}"#)
    let states = shown(outlet(announces: true).messages(for: first))
    #expect(states.count == 1)
    #expect(states.first?.hasSuffix(" retained OFF") == true)
    #expect(outlet().messages(for: first).isEmpty)
    let gap = try tree(#"{"id":1,"type":"gap"}"#)
    #expect(outlet(announces: true).messages(for: gap).isEmpty)
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
      ids.insert(try #require(component.value["unique_id"]?.text(or: nil)))
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
}

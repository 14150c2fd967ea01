import TestSupport
import Testing

@testable import LocationCore

/// Rule B11: regions of beacons.
@Suite struct BeaconMonitorTests {
  private static let group = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"

  private static func beacon(_ text: String) throws -> Beacon { try #require(Beacon(text)) }

  /// An engine with a region `desk` of one beacon, and a suspended subscriber.
  private static func stage(
    _ text: String = group + ":1:7", notify: Region.Notify = [.enter, .exit], dwellSeconds: Double = 60,
    exitDelaySeconds: Double = 0, _ adjust: (inout EngineConfiguration) -> Void = { _ in }
  ) throws -> Stage {
    var stage = Stage(adjust)
    stage.add(Subscriber(name: "a", services: .regions), .suspended)
    let region = Region(
      id: "desk", shape: .beacon(try beacon(text)), notify: notify, dwellSeconds: dwellSeconds,
      exitDelaySeconds: exitDelaySeconds)
    stage.take(0, .addRegion(region))
    return stage
  }

  private static func see(_ seconds: Double, _ text: String = group + ":1:7", for span: Double = 0)
    throws -> (Double, Event)
  {
    (seconds, .beacon(.seen(try beacon(text), seconds: span)))
  }

  private static func events(_ stage: borrowing Stage) -> [String] {
    stage.effects.records.compactMap { record in
      guard case .region(let event) = record.body else { return nil }
      let seconds = event.insideSeconds.map { " \($0)" } ?? ""
      return "\(event.kind.name) \(Drive.instant(0).seconds(to: event.instant))\(seconds)"
    }
  }

  @Test func `one more than BlueZ can watch for is refused, in words`() throws {
    var stage = Stage()
    for major in 0...Limits.beacons {
      let beacon = try Self.beacon("\(Self.group):\(major)")
      stage.take(0, .addRegion(Region(id: "\(major)", shape: .beacon(beacon), notify: [.enter])))
    }
    let refusals = stage.effects.records.compactMap { record in
      if case .refused(let what, let reason) = record.body { "\(what): \(reason)" } else { nil }
    }
    #expect(refusals == ["region 512: there are 512 already"])
  }

  @Test func `B11 a region is left as long after the last sight as is set`() throws {
    var stage = try Self.stage { $0.beacons.exitSeconds = 5 }
    let (at, event) = try Self.see(10)
    stage.take(at, event)
    stage.wait(until: 14.9)
    #expect(Self.events(stage) == ["enter 10.0"])
    stage.wait(until: 15)
    #expect(Self.events(stage) == ["enter 10.0", "exit 15.0 0.0"])
  }

  @Test func `B11 a region is entered at the first sight and left 30 s after the last`() throws {
    var stage = try Self.stage()
    for second in [10.0, 20, 45] {
      let (at, event) = try Self.see(second)
      stage.take(at, event)
    }
    stage.wait(until: 74.9)
    #expect(Self.events(stage) == ["enter 10.0"])
    let inside = stage.engine.regionsInside
    #expect(inside == ["desk"])
    stage.wait(until: 75)
    #expect(Self.events(stage) == ["enter 10.0", "exit 75.0 35.0"])
    #expect(stage.log().contains("wake B4 suspended>background suspended"))
    let (at, event) = try Self.see(100)
    stage.take(at, event)
    #expect(Self.events(stage).last == "enter 100.0")
    let state = stage.engine.regionState("desk")
    #expect(state == .inside)
  }

  @Test func `a visit to beacons goes on where only the terms of their region change`() throws {
    var stage = try Self.stage(notify: [.enter, .exit, .dwell], dwellSeconds: 60)
    func change(_ second: Double, dwellSeconds: Double, _ text: String = Self.group + ":1:7") throws {
      let region = Region(
        id: "desk", shape: .beacon(try Self.beacon(text)), notify: [.enter, .exit, .dwell],
        dwellSeconds: dwellSeconds)
      stage.take(second, .changeRegion(region))
    }
    let (at, event) = try Self.see(10, for: 300)
    stage.take(at, event)
    try change(50, dwellSeconds: 20)
    stage.wait(until: 60)
    #expect(Self.events(stage) == ["enter 10.0", "dwell 50.0 20.0"])
    try change(70, dwellSeconds: 80)
    stage.wait(until: 200)
    #expect(Self.events(stage) == ["enter 10.0", "dwell 50.0 20.0"])
    // Other beacons are another region.
    try change(210, dwellSeconds: 80, Self.group)
    let state = stage.engine.regionState("desk")
    #expect(state == .unknown)
  }

  @Test func `B11 a beacon that is there until it is lost is left 30 s after it was seen last`() throws {
    var stage = try Self.stage(Self.group)
    let (one, other) = (try Self.beacon(Self.group + ":1:7"), try Self.beacon(Self.group + ":1:8"))
    stage.take(10, .beacon(.seen(one, seconds: nil)))
    stage.take(20, .beacon(.seen(other, seconds: nil)))
    stage.take(1000, .beacon(.lost(one, secondsAgo: 10)))
    stage.wait(until: 2000)
    #expect(Self.events(stage) == ["enter 10.0"])
    stage.take(3000, .beacon(.lost(other, secondsAgo: 10)))
    stage.wait(until: 3019)
    #expect(Self.events(stage) == ["enter 10.0"])
    stage.wait(until: 3020)
    #expect(Self.events(stage).last == "exit 3020.0 2980.0")
    // Nobody looks any more: all are lost.
    stage.take(4000, .beacon(.seen(one, seconds: nil)))
    stage.take(4100, .beacon(.lost(nil, secondsAgo: 0)))
    stage.wait(until: 4130)
    #expect(Self.events(stage).last == "exit 4130.0 100.0")
  }

  @Test func `B11 a beacon that is seen for a while is left 30 s after that`() throws {
    var stage = try Self.stage()
    let (at, event) = try Self.see(10, for: 600)
    stage.take(at, event)
    stage.wait(until: 639)
    #expect(Self.events(stage) == ["enter 10.0"])
    stage.wait(until: 640)
    #expect(Self.events(stage).last == "exit 640.0 600.0")
  }

  @Test func `B11 dwelling is told, and an exit may be held back`() throws {
    var stage = try Self.stage(notify: [.enter, .exit, .dwell], exitDelaySeconds: 20)
    let (at, event) = try Self.see(10, for: 70)
    stage.take(at, event)
    stage.wait(until: 200)
    #expect(Self.events(stage) == ["enter 10.0", "dwell 70.0 60.0", "exit 130.0 70.0"])
  }

  /// A second sight: none, one that lasts, one after the dwelling is due, one after the region is left.
  @Test(
    arguments: [
      ((15.0, 30.0), ["exit 75.0 35.0"]), ((15, 60), ["dwell 70.0 60.0", "exit 105.0 65.0"]),
      ((41, 0), ["dwell 70.0 60.0", "exit 100.0 60.0"]), ((39, 0), ["dwell 72.0 62.0", "exit 102.0 62.0"]),
    ])
  func `B4 B11 dwelling counts to the last sight`(second: (Double, Double), told: [String]) throws {
    var stage = try Self.stage(notify: [.enter, .exit, .dwell])
    var sights = [(10.0, 10.0), second]
    if second.0 == 41 { sights.append((70, 0)) }
    if second.0 == 39 { sights += [(68, 0), (72, 0)] }
    for (at, span) in sights {
      let (at, event) = try Self.see(at, for: span)
      stage.take(at, event)
    }
    stage.wait(until: 500)
    #expect(Self.events(stage) == ["enter 10.0"] + told)
  }

  @Test func `B11 only time in which somebody listens counts`() throws {
    // Ten seconds before the gap, twenty after it.
    var left = try Self.stage(notify: [.enter, .exit, .dwell])
    let (at, event) = try Self.see(10)
    left.take(at, event)
    left.take(20, .machine(.absent(true)))
    left.take(1020, .machine(.absent(false)))
    left.wait(until: 1039.9)
    #expect(Self.events(left) == ["enter 10.0"])
    left.wait(until: 2000)
    #expect(Self.events(left) == ["enter 10.0", "exit 1040.0 0.0"])

    var stays = try Self.stage(notify: [.enter, .exit, .dwell])
    stays.take(at, event)
    stays.take(20, .machine(.absent(true)))
    stays.take(1020, .machine(.absent(false)))
    stays.take(1030, event)
    #expect(Self.events(stays) == ["enter 10.0", "dwell 1030.0 1020.0"])
    stays.wait(until: 1060)
    #expect(Self.events(stays).last == "exit 1060.0 1020.0")
  }

  @Test(arguments: [true, false])
  func `B11 a beacon that is there until it is lost may be lost in a gap`(isLost: Bool) throws {
    let one = try Self.beacon(Self.group + ":1:7")
    var stage = try Self.stage(notify: [.enter, .exit, .dwell])
    stage.take(10, .beacon(.seen(one, seconds: nil)))
    stage.take(20, .machine(.absent(true)))
    stage.take(1020, .machine(.absent(false)))
    if isLost { stage.take(1021, .beacon(.lost(one, secondsAgo: 1000))) }
    stage.wait(until: 1049.9)
    #expect(Self.events(stage) == ["enter 10.0"])
    stage.wait(until: 1050)
    #expect(Self.events(stage).last == (isLost ? "exit 1050.0 11.0" : "dwell 1050.0 1040.0"))
  }

  @Test(
    arguments: [
      (group, group + ":1:7", true), (group + ":1", group + ":1:7", true),
      (group + ":1:8", group + ":1:7", false), (group + ":2", group + ":1:7", false),
      ("00112233445566778899", "00112233445566778899:aabbccddeeff", true),
      ("00112233445566778899:aabbccddeef0", "00112233445566778899:aabbccddeeff", false),
    ])
  func `B11 what a region leaves out stands for any`(region: String, seen: String, isOne: Bool) throws {
    #expect(try Self.beacon(region).includes(Self.beacon(seen)) == isOne)
  }

  @Test(
    arguments: [
      group, group + ":0:65535", "00112233445566778899", "00112233445566778899:aabbccddeeff",
    ])
  func `B11 the text of a beacon is read as it is written`(text: String) throws {
    #expect(try Self.beacon(text).text == text)
    #expect(try Self.beacon(text.uppercased()).text == text)
  }

  @Test(
    arguments: [
      "", "desk", group + ":65536", group + ":1:2:3", group + ":", group + ":-1", "0011223344556677889",
      "00112233445566778899:aabb", "00112233-445566778899", group + "00",
    ])
  func `B11 other texts are none`(text: String) { #expect(Beacon(text) == nil) }

  @Test func `B11 an id is one region's, and beacons take no part in what a fix tells`() throws {
    var stage = try Self.stage()
    let circle = Region(
      id: "desk", shape: .circle(center: Coordinate(uncheckedLatitude: 48, longitude: 11), radiusMeters: 50))
    stage.take(1, .addRegion(circle))
    #expect(stage.effects.records.contains { if case .refused = $0.body { true } else { false } })
    for second in 2..<60 { stage.fix(Double(second), east: 0) }
    #expect(Self.events(stage).isEmpty)
    stage.take(70, .removeRegion(id: "desk"))
    let ids = stage.engine.regionIDs
    #expect(ids.isEmpty)
  }
}

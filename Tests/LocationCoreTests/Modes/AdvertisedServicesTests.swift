import Foundation
import TestSupport
import Testing

@testable import LocationCore

/// Rule K6: services of a program that are published on the network while it runs.
@Suite struct AdvertisedServicesTests {
  private static func stage(_ state: SubscriberState = .active) -> Stage {
    var stage = Stage()
    stage.add(Subscriber(name: "a", services: [.significantChange]), state, at: 0)
    return stage
  }

  /// One that has published two services, and is suspended since a minute.
  private static func suspended() -> Stage {
    var stage = stage()
    stage.advertise(1, "_http._tcp", 8080)
    stage.advertise(2, "_ipp._tcp", 631)
    stage.say(3, .background)
    stage.wait(until: 60)
    return stage
  }

  @Test(
    arguments: [
      ("_http._tcp", 1, "_http._tcp"), ("_x._udp", 65_535, "_x._udp"), ("_a1-b2._tcp", 0, "_a1-b2._tcp"),
      ("_HTTP._TCP", 80, "_http._tcp"), ("_abcdefghijklmno._tcp", 80, "_abcdefghijklmno._tcp"),
      ("_abcdefghijklmnop._tcp", 80, nil),
      ("_http._tcp", -1, nil), ("_http._tcp", 65_536, nil), ("_http", 80, nil), ("http._tcp", 80, nil),
      ("_http.tcp", 80, nil), ("_http._sctp", 80, nil), ("_._tcp", 80, nil), ("_12._tcp", 80, nil),
      ("_-a._tcp", 80, nil), ("_a-._tcp", 80, nil), ("_a--b._tcp", 80, nil), ("_a_b._tcp", 80, nil),
      ("_é._tcp", 80, nil), ("_\u{212A}._tcp", 80, nil), ("_http._tcp.", 80, nil),
      ("_sub._http._tcp", 80, nil), (" _http._tcp", 80, nil), ("", 80, nil),
    ] as [(String, Int, String?)])
  func `K6 a type is one of DNS-SD, and a port is one`(type: String, port: Int, known: String?) {
    #expect(AdvertisedService(type: type, port: port)?.type == known)
  }

  @Test func `K6 a service is published at once, moved to another port, and withdrawn at the port 0`() {
    var stage = Self.stage()
    stage.advertise(1, "_http._tcp", 8080)
    stage.advertise(2, "_ipp._tcp", 631)
    stage.advertise(3, "_HTTP._tcp", 8081)
    stage.advertise(4, "_http._tcp", 0)
    stage.advertise(5, "_http._tcp", 0)
    stage.advertise(6, "_ipp._tcp", 631)
    #expect(
      stage.published == [
        "_http._tcp 8080", "_http._tcp 8080, _ipp._tcp 631", "_http._tcp 8081, _ipp._tcp 631",
        "_ipp._tcp 631",
      ], "what changes nothing orders nothing")
    #expect(
      stage.services == [
        "+_http._tcp 8080", "+_ipp._tcp 631", "-_http._tcp 8080", "+_http._tcp 8081", "-_http._tcp 8081",
      ])
    #expect(stage.engine.subscriber("a")?.advertised.map(\.type) == ["_ipp._tcp"])
    #expect(stage.log().isEmpty)
  }

  @Test func `K6 services are withdrawn before suspension and published again after the wake`() throws {
    var stage = Self.suspended()
    #expect(stage.published.last == "")
    #expect(stage.services.suffix(2) == ["-_http._tcp 8080", "-_ipp._tcp 631"])
    let orders = stage.effects.orders
    let withdrawn = try #require(orders.lastIndex(of: .advertise(subscriber: "a", [])))
    #expect(try withdrawn < #require(orders.lastIndex(of: .suspend(subscriber: "a"))))
    stage.fix(100, east: 0)
    #expect(stage.log().contains { $0.hasPrefix("wake B1") })
    #expect(stage.published.suffix(1) == ["_http._tcp 8080, _ipp._tcp 631"])
    #expect(stage.services.suffix(2) == ["+_http._tcp 8080", "+_ipp._tcp 631"])
    stage.wait(until: 200)
    #expect(stage.state() == .suspended && stage.published.last == "")
    stage.say(300, .foreground)
    #expect(stage.published.last == "_http._tcp 8080, _ipp._tcp 631")
  }

  @Test(arguments: [SubscriberEvent.exited(status: 0), .quit, .orphaned])
  func `K6 the end of its process withdraws them, and the next process has none`(end: SubscriberEvent) {
    var stage = Self.stage()
    stage.advertise(1, "_http._tcp", 8080)
    stage.say(2, end)
    #expect(stage.published == ["_http._tcp 8080", ""])
    #expect(stage.services == ["+_http._tcp 8080", "-_http._tcp 8080"])
    stage.say(3, .foreground)
    #expect(stage.published.count == 2 && stage.engine.subscriber("a")?.advertised == [])
  }

  @Test func `K6 a reboot withdraws them, and the end of a suspended process has nothing left to withdraw`() {
    var stage = Self.stage()
    stage.advertise(1, "_http._tcp", 8080)
    stage.take(2, .machine(.reboot))
    #expect(stage.services == ["+_http._tcp 8080", "-_http._tcp 8080"] && stage.published.last == "")
    stage = Self.suspended()
    let count = stage.published.count
    stage.say(70, .exited(status: 0))
    #expect(stage.published.count == count && stage.services.count == 4)
  }

  @Test(arguments: [SubscriberState.suspended, .notRunning])
  func `K6 who does not run publishes nothing`(state: SubscriberState) {
    var stage = Self.stage(state)
    stage.advertise(1, "_http._tcp", 8080)
    let reason = state == .suspended ? "suspended" : "not_running"
    #expect(stage.log() == ["refuse K6 \(state)>\(state) \(reason)"])
    #expect(stage.published.isEmpty)
  }

  @Test func `K6 no more than 16 services of a subscriber are published`() {
    var stage = Self.stage()
    for number in 1...17 { stage.advertise(Double(number), "_x\(number)._tcp", number) }
    #expect(stage.log() == ["refuse K6 active>active too_many_services"])
    #expect(stage.engine.subscriber("a")?.advertised.count == 16)
    stage.advertise(18, "_x3._tcp", 99)
    stage.advertise(19, "_x3._tcp", 0)
    stage.advertise(20, "_x17._tcp", 17)
    #expect(stage.log().count == 1 && stage.engine.subscriber("a")?.advertised.last?.port == 17)
  }

  @Test func `K6 where nothing publishes services the request is refused, and changes nothing else`() {
    var stage = Self.stage()
    stage.say(1, .mode(.advertise(nil)))
    #expect(stage.log() == ["refuse B9 active>active unavailable"])
    #expect(stage.effects.orders.isEmpty && stage.services.isEmpty)
  }

  @Test func `K6 where that comes to light later the program is told, and has none`() {
    var stage = Self.stage()
    stage.advertise(1, "_http._tcp", 8080)
    stage.say(2, .mode(.advertise(nil)))
    #expect(stage.services == ["+_http._tcp 8080", "-_http._tcp 8080"] && stage.published.last == "")
    #expect(stage.log() == ["refuse B9 active>active unavailable"])
    #expect(
      stage.effects.orders.last == .refuse(subscriber: "a", what: "advertise", reason: .unavailable))
    stage.say(3, .background)
    stage.wait(until: 60)
    stage.fix(100, east: 0)
    #expect(stage.published.count == 2)
  }

  @Test func `K6 who is suspended and listens is not ended, and that has a decision`() {
    var stage = Self.suspended()
    stage.say(61, .mode(.listens))
    #expect(stage.log().last == "warn K6 suspended>suspended listening")
    let count = stage.log().count
    stage.say(62, .foreground)
    stage.say(63, .mode(.listens))
    #expect(stage.log().count == count && stage.state() == .active)
  }

  @Test func `K6 a snapshot at any moment is invisible`() throws {
    var stage = Self.suspended()
    let snapshot = stage.engine.snapshot
    var other = try Engine(restoring: snapshot)
    #expect(other.snapshot == snapshot)
    var effects: [Effect] = []
    let wake = Stamped(at: Drive.instant(100), .fix(Drive.report(100, east: 0)))
    other.handle(wake, into: &effects)
    let count = stage.effects.orders.count
    stage.engine.handle(wake, into: &stage.effects)
    #expect(effects.orders == Array(stage.effects.orders[count...]))
    #expect(effects.orders.contains { if case .advertise = $0 { true } else { false } })
    let modes = try #require(stage.engine.snapshot.state.policy.session("a")?.modes)
    #expect(try JSONDecoder().decode(ModeState.self, from: JSONEncoder().encode(modes)) == modes)
  }

  @Test func `K6 a journal of an earlier version, which published none, is read as a refusal`() throws {
    let old = try JSONDecoder().decode(ModeEvent.self, from: Data(#"{"advertise":{}}"#.utf8))
    #expect(old == .advertise(nil))
    for event in [ModeEvent.advertise(nil), .advertise(AdvertisedService(type: "_x._tcp", port: 1))] {
      #expect(try JSONDecoder().decode(ModeEvent.self, from: JSONEncoder().encode(event)) == event)
    }
  }
}

extension Stage {
  fileprivate mutating func advertise(_ seconds: Double, _ type: String, _ port: Int) {
    say(seconds, .mode(.advertise(AdvertisedService(type: type, port: port))))
  }

  /// What was to be published after each order.
  fileprivate var published: [String] {
    effects.orders.compactMap { order in
      guard case .advertise("a", let services) = order else { return nil }
      return services.map { "\($0.type) \($0.port)" }.joined(separator: ", ")
    }
  }

  /// What was told of services, in order: + for one that is published, - for one that is withdrawn.
  fileprivate var services: [String] {
    effects.records.compactMap { record in
      guard case .service(let told) = record.body else { return nil }
      return "\(told.isPublished ? "+" : "-")\(told.service.type) \(told.service.port)"
    }
  }
}

import TestSupport
import Testing

@testable import LocationCore

/// Section J: sessions with accessories on a wire.
@Suite struct AccessoryTests {
  private static func stage(
    _ state: SubscriberState = .active, modes: Subscriber.Modes = .externalAccessory
  ) -> Stage {
    var stage = Stage()
    // No right to know the position is needed.
    stage.add(Subscriber(name: "a", services: [], modes: modes, authorization: .denied), state, at: 0)
    return stage
  }

  /// One whose session `meter` is open and connected, and which is suspended since 10 s.
  private static func suspended() -> Stage {
    var stage = stage()
    stage.say(1, open("meter"))
    stage.say(1, .mode(.accessory(.connected(session: "meter"))))
    stage.say(4, .background)
    stage.wait(until: 10)
    return stage
  }

  private static func open(_ session: String) -> SubscriberEvent {
    .mode(.accessory(.open(AccessoryTerms(session: session, device: "/dev/\(session)"))))
  }

  private static func data(_ bytes: Int? = 8, lost: Int? = nil) -> SubscriberEvent {
    .mode(.accessory(.data(session: "meter", bytes: bytes, lost: lost)))
  }

  // MARK: J1

  @Test func `J1 data, connect and disconnect wake a suspended program for 10 s`() throws {
    let causes: [(AccessoryEvent, String)] = [
      (.data(session: "meter", bytes: 8, lost: 2), "accessory_data"),
      (.disconnected(session: "meter"), "accessory_disconnected"),
    ]
    for (event, reason) in causes {
      var stage = Self.suspended()
      #expect(stage.engine.subscriberState("a") == .suspended)
      stage.say(20, .mode(.accessory(event)))
      #expect(stage.log().last == "wake J1 suspended>background \(reason)")
      let launch = try #require(
        stage.effects.orders.compactMap { if case .wake(_, let launch) = $0 { launch } else { nil } }.last)
      #expect(launch.kind == "accessory" && launch.session == "meter" && launch.budgetSeconds == 10)
      stage.wait(until: 30)
      #expect(stage.engine.subscriberState("a") == .suspended)
    }
    var stage = Self.suspended()
    stage.say(20, .mode(.accessory(.disconnected(session: "meter"))))
    stage.say(40, .mode(.accessory(.connected(session: "meter"))))
    #expect(stage.log().last == "wake J1 suspended>background accessory_connected")
    #expect(stage.accessories == ["meter connect", "meter disconnect", "meter connect"])
  }

  @Test func `J1 a program that runs is not told of data, and sees it itself`() {
    var stage = Self.stage()
    stage.say(1, Self.open("meter"))
    stage.say(1, .mode(.accessory(.connected(session: "meter"))))
    stage.say(2, Self.data())
    #expect(stage.accessories == ["meter connect"])
  }

  @Test func `J1 what is lost is counted, and nothing is said of none`() {
    var stage = Self.suspended()
    stage.say(20, Self.data(64, lost: 3))
    stage.say(40, Self.data(nil, lost: 0))
    #expect(stage.accessories == ["meter connect", "meter data 64 lost 3", "meter data"])
  }

  @Test func `J1 256 events wait, and the oldest makes room`() {
    var stage = Self.suspended()
    stage.say(11, .backgroundDelivery(false))
    for second in 0..<300 { stage.say(100 + 3 * Double(second), Self.data()) }
    #expect(stage.log().count { $0 == "drop J1 suspended>suspended outbox_full" } == 300 - 256)
    #expect(stage.engine.subscriber("a")?.waiting.count == 256)
  }

  @Test func `J1 nothing relaunches, and with the process end its sessions`() {
    var stage = Self.suspended()
    stage.say(20, .exited(status: 1))
    stage.say(21, Self.data())
    #expect(stage.log().last == "refuse J1 notRunning>notRunning unknown_accessory")
    #expect(stage.engine.subscriber("a")?.accessories.isEmpty == true)
  }

  @Test func `J1 eight sessions are open at most, and one of the same name takes the place of the other`() {
    var stage = Self.stage()
    for number in 1...8 { stage.say(1, Self.open("m\(number)")) }
    stage.say(2, Self.open("m9"))
    #expect(stage.log() == ["refuse J1 active>active too_many_accessories"])
    stage.say(3, Self.open("m1"))
    #expect(stage.accessoryOrders.suffix(2) == ["close m1", "open m1"])
    stage.say(4, .mode(.accessory(.close(session: "m2"))))
    stage.say(5, .mode(.accessory(.close(session: "m2"))))
    #expect(stage.log().last == "refuse J1 active>active unknown_accessory")
  }

  // MARK: J2

  @Test func `J2 the program switches its accessories off and on`() {
    var stage = Self.stage()
    stage.say(0.5, .mode(.accessory(.want(false))))
    stage.say(0.6, .mode(.accessory(.want(true))))
    // Nothing was open.
    #expect(stage.log() == [])
    stage.say(1, Self.open("meter"))
    stage.say(1, .mode(.accessory(.connected(session: "meter"))))
    stage.say(2, .mode(.accessory(.want(false))))
    #expect(stage.log().contains("drop J2 active>active accessory_off"))
    #expect(stage.accessoryOrders == ["open meter", "close meter"])
    stage.say(3, Self.open("other"))
    #expect(stage.log().last == "refuse J2 active>active accessory_off")
    stage.say(4, .mode(.accessory(.want(true))))
    #expect(stage.accessoryOrders.last == "open meter")
  }

  @Test func `J2 what the user says wins, and wakes nobody`() {
    var stage = Self.suspended()
    stage.say(20, .mode(.accessory(.allow(false))))
    #expect(stage.engine.subscriberState("a") == .suspended)
    #expect(stage.accessoryOrders.last == "close meter")
    stage.say(21, .foreground)
    stage.say(22, .mode(.accessory(.want(true))))
    #expect(stage.log().last == "refuse J2 active>active accessory_off")
    #expect(stage.accessoryOrders.last == "close meter")
    stage.say(23, .mode(.accessory(.allow(true))))
    #expect(stage.accessoryOrders.last == "open meter")
    let accessories = stage.engine.state.policy.session("a")?.modes.accessories
    #expect(accessories?.isAllowed == true)
  }

  @Test func `J2 J1 switching off wakes nobody, and the connect after switching on does`() {
    var stage = Self.suspended()
    stage.say(20, .mode(.accessory(.allow(false))))
    stage.say(21, .mode(.accessory(.allow(true))))
    #expect(stage.launches().isEmpty)
    #expect(stage.accessoryOrders.suffix(2) == ["close meter", "open meter"])
    stage.say(22, .mode(.accessory(.connected(session: "meter"))))
    #expect(stage.log().last == "wake J1 suspended>background accessory_connected")
  }

  // MARK: J4

  @Test func `J4 without the mode a session is closed with the foreground, and opened on return`() {
    var stage = Self.stage(modes: [])
    stage.say(1, Self.open("meter"))
    stage.say(1, .mode(.accessory(.connected(session: "meter"))))
    stage.say(2, .background)
    #expect(stage.log().contains("refuse J4 background>background no_mode"))
    #expect(stage.accessories == ["meter connect", "meter disconnect"])
    #expect(stage.accessoryOrders == ["open meter", "close meter"])
    // It is told before it is suspended.
    #expect(stage.handed().count == 2)
    stage.say(3, Self.open("meter"))
    #expect(stage.log().last == "refuse J4 background>background no_mode")
    stage.wait(until: 20)
    #expect(stage.engine.subscriberState("a") == .suspended)
    stage.say(30, .foreground)
    #expect(stage.accessoryOrders.last == "open meter")
    stage.say(30, .mode(.accessory(.connected(session: "meter"))))
    #expect(stage.accessories.last == "meter connect")
  }

  // MARK: J5

  @Test func `J5 force-quit closes the sessions, and nothing wakes`() {
    var stage = Self.suspended()
    stage.say(20, .quit)
    #expect(stage.log().contains("drop J5 notRunning>notRunning force_quit"))
    stage.say(21, Self.data())
    #expect(stage.log().last == "refuse J1 notRunning>notRunning unknown_accessory")
  }

  @Test func `J5 after 30 wakes in a minute there is one in 2 s`() {
    var stage = Self.suspended()
    var second = 100.0
    for _ in 1...30 {
      stage.say(second, Self.data())
      second += 1
    }
    #expect(stage.accessories.count == 31)
    // The last wake was at 129 s.
    stage.say(129.5, Self.data(70))
    stage.say(130, Self.data(90))
    #expect(stage.accessories.count == 31)
    #expect(stage.log().last == "coalesce K2 suspended>suspended merged")
    stage.wait(until: 130.9)
    #expect(stage.accessories.count == 31)
    stage.wait(until: 131)
    #expect(stage.accessories.last == "meter data 90")
    #expect(stage.engine.subscriberState("a") == .background)
    stage.say(200, Self.data())
    #expect(stage.accessories.count == 33)
  }

  @Test func `J1 J5 sessions, what waits, and the wakes of a minute are as many as are set`() {
    var stage = Stage {
      $0.policy.accessories.sessionLimit = 1
      $0.policy.accessories.waitingLimit = 3
      $0.policy.accessories.minuteLimit = 2
      $0.policy.accessories.mergeSeconds = 5
    }
    stage.add(Subscriber(name: "a", services: [], modes: .externalAccessory), .active, at: 0)
    stage.say(1, Self.open("meter"))
    stage.say(1, .mode(.accessory(.connected(session: "meter"))))
    stage.say(2, Self.open("other"))
    #expect(stage.log().last == "refuse J1 active>active too_many_accessories")
    stage.say(4, .background)
    for second in [20.0, 21, 22] { stage.say(second, Self.data()) }
    #expect(stage.log().last == "coalesce K2 suspended>suspended merged")
    stage.wait(until: 25.9)
    #expect(stage.accessories.count == 3)
    stage.wait(until: 26)
    #expect(stage.accessories.count == 4)
    stage.say(100, .backgroundDelivery(false))
    for second in [200.0, 300, 400, 500] { stage.say(second, Self.data()) }
    #expect(stage.log().count { $0 == "drop J1 suspended>suspended outbox_full" } == 1)
    #expect(stage.engine.subscriber("a")?.waiting.count == 3)
  }

  @Test func `J5 what is merged remembers what was lost`() {
    var stage = Self.suspended()
    for number in 0..<30 { stage.say(100 + Double(number), Self.data()) }
    stage.say(129.5, Self.data(70, lost: 2))
    stage.say(130, Self.data(90))
    stage.wait(until: 131)
    #expect(stage.accessories.last == "meter data 90 lost 2")
  }

  @Test func `J5 what has to wait wakes nobody, and is not merged`() {
    var stage = Self.suspended()
    stage.say(20, .backgroundDelivery(false))
    for number in 0..<40 {
      let event: AccessoryEvent =
        number.isMultiple(of: 2) ? .disconnected(session: "meter") : .connected(session: "meter")
      stage.say(21 + Double(number) / 2, .mode(.accessory(event)))
    }
    #expect(stage.accessories.count == 41)
    #expect(stage.launches().isEmpty)
    #expect(!stage.log().contains { $0.hasPrefix("coalesce") })
  }

  @Test(
    arguments: [
      ([false, true], ["meter data 90", "meter disconnect", "meter connect"]),
      ([false], ["meter data 90", "meter disconnect"]),
    ] as [([Bool], [String])])
  func `J5 what is merged is told later, and nothing of it is lost`(_ changes: [Bool], _ told: [String]) {
    var stage = Self.suspended()
    for number in 0..<30 { stage.say(100 + Double(number), Self.data()) }
    stage.say(129.5, Self.data(90))
    for (place, isConnected) in changes.enumerated() {
      let event: AccessoryEvent =
        isConnected ? .connected(session: "meter") : .disconnected(session: "meter")
      stage.say(130 + Double(place) / 10, .mode(.accessory(event)))
    }
    #expect(stage.accessories.count == 31)
    let wakes = stage.launches().count
    stage.wait(until: 132)
    #expect(Array(stage.accessories.dropFirst(31)) == told)
    #expect(stage.launches().count == wakes + 1)
  }

  /// What the device does while wakes are merged, what it does when one of the minute before is over, and what is told.
  @Test(
    arguments: [
      (
        [.disconnected(session: "meter"), .connected(session: "meter")],
        .data(session: "meter", bytes: 9, lost: nil),
        ["meter disconnect", "meter connect", "meter data 9"]
      ),
      (
        [.data(session: "meter", bytes: 500, lost: 2)], .disconnected(session: "meter"),
        ["meter data 500 lost 2", "meter disconnect"]
      ),
      (
        [.data(session: "meter", bytes: 500, lost: 2)], .data(session: "meter", bytes: 9, lost: nil),
        ["meter data 500 lost 2", "meter data 9"]
      ),
      (
        [.disconnected(session: "meter")], .connected(session: "meter"),
        ["meter disconnect", "meter connect"]
      ),
    ] as [([AccessoryEvent], AccessoryEvent, [String])])
  func `J5 what is merged is told before what need not be merged any more`(
    _ merged: [AccessoryEvent], _ last: AccessoryEvent, _ told: [String]
  ) {
    var stage = Self.suspended()
    stage.say(100, Self.data())
    for number in 0..<29 { stage.say(152 + Double(number) / 4, Self.data()) }
    // The last wake was at 159 s.
    for (place, event) in merged.enumerated() {
      stage.say(159.5 + Double(place) / 10, .mode(.accessory(event)))
    }
    #expect(stage.log().last == "coalesce K2 suspended>suspended merged")
    let wakes = stage.launches().count
    stage.say(160.5, .mode(.accessory(last)))
    #expect(Array(stage.accessories.dropFirst(31)) == told)
    #expect(stage.handed().count == stage.accessories.count)
    stage.wait(until: 170)
    #expect(stage.accessories.count == 31 + told.count)
    #expect(stage.launches().count == wakes + 1)
  }
}

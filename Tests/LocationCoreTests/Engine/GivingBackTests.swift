import Testing

@testable import LocationCore

/// What a program may say however often it was refused: what ends or acknowledges something of its own.
@Suite struct GivingBackTests {
  struct Case: CustomTestStringConvertible {
    var testDescription: String
    /// What it has or is handed; empty where that is an event.
    var opened: [SubscriberEvent] = []
    var givesBack: SubscriberEvent
  }

  private static let cases = [
    Case(
      testDescription: "a task", opened: [.beginTask(name: "t")], givesBack: .endTask(token: 1)),
    Case(
      testDescription: "a notification",
      opened: [.mode(.notify(LocalNotification(id: "tea", title: "Tea", when: .after(seconds: 900))))],
      givesBack: .mode(.cancelNotification(id: "tea"))),
    Case(
      testDescription: "keep-alive calls", opened: [.mode(.keepAlive(seconds: 900))],
      givesBack: .mode(.keepAlive(seconds: 0))),
    Case(
      testDescription: "an audio session", opened: [.mode(.audio(.begin(.play, mixes: false)))],
      givesBack: .mode(.audio(.end(token: 1)))),
    Case(
      testDescription: "a transfer", opened: [.mode(.transfer(TransferTerms(session: "maps")))],
      givesBack: .mode(.cancelTransfer(number: 1))),
    Case(
      testDescription: "what a server asks for",
      opened: [.mode(.transfer(TransferTerms(session: "maps"))), .mode(.transferAsks(number: 1))],
      givesBack: .mode(.answerTransfer(number: 1))),
    Case(
      testDescription: "an accessory",
      opened: [.mode(.accessory(.open(AccessoryTerms(session: "meter", device: "/dev/meter"))))],
      givesBack: .mode(.accessory(.close(session: "meter")))),
    Case(
      testDescription: "all accessories",
      opened: [.mode(.accessory(.open(AccessoryTerms(session: "meter", device: "/dev/meter"))))],
      givesBack: .mode(.accessory(.want(false)))),
    Case(
      testDescription: "a published service",
      opened: [.mode(.advertise(AdvertisedService(type: "_http._tcp", port: 80)))],
      givesBack: .mode(.advertise(AdvertisedService(type: "_HTTP._tcp", port: 0)))),
    Case(
      testDescription: "a push",
      opened: [.mode(.push(Push(id: "m", alert: nil, isContentAvailable: true, payload: "{}")))],
      givesBack: .mode(.fetched(.newData, bytes: nil))),
  ]

  private static func stage() -> Stage {
    var stage = Stage()
    stage.hanging = ["a"]
    stage.take(-1, .machine(.notifier(true)))
    stage.add(
      Subscriber(
        name: "a", services: [.significantChange],
        modes: [.audio, .voip, .remoteNotification, .externalAccessory]), .active)
    return stage
  }

  @Test(arguments: cases)
  func `what is given back is known before it is, is not refused, and can be given back once`(of: Case) {
    var stage = Self.stage()
    #expect(stage.givesBack(of.givesBack) == false, "there is nothing yet")
    for event in of.opened {
      #expect(stage.givesBack(event) == false)
      stage.say(1, event)
    }
    #expect(stage.givesBack(of.givesBack) == true)
    #expect(stage.givesBack(of.givesBack, of: "b") == false)
    stage.say(2, of.givesBack)
    #expect(!stage.log().contains { $0.hasPrefix("refuse") })
    #expect(stage.givesBack(of.givesBack) == false, "it has been given back")
  }

  @Test func `an event is given back by its acknowledgment`() throws {
    var stage = Self.stage()
    stage.fix(0, east: 0)
    let id = try #require(stage.handed().last)
    let acknowledgment = SubscriberEvent.acknowledged(event: id, coreSeconds: 0)
    #expect(stage.givesBack(acknowledgment) == true)
    #expect(stage.givesBack(.acknowledged(event: id + 1, coreSeconds: 0)) == false)
    stage.say(1, acknowledgment)
    #expect(stage.givesBack(acknowledgment) == false)
  }

  @Test func `the answer to a good moment gives it back`() {
    var stage = Stage()
    stage.hanging = ["a"]
    var subscriber = Subscriber(name: "a", services: [], modes: [.fetch])
    subscriber.fetch = FetchTerms()
    stage.add(subscriber, .suspended, at: 0)
    let answer = SubscriberEvent.mode(.fetched(.newData, bytes: nil))
    #expect(stage.givesBack(answer) == false)
    stage.wait(until: 2 * FetchTerms.defaultIntervalSeconds)
    #expect(stage.launches().map(\.kind) == ["fetch"])
    #expect(stage.givesBack(answer) == true)
    stage.say(2 * FetchTerms.defaultIntervalSeconds + 1, answer)
    #expect(stage.givesBack(answer) == false)
  }
}

extension Stage {
  fileprivate func givesBack(_ event: SubscriberEvent, of name: String = "a") -> Bool {
    engine.isGivenBack(by: event, of: name)
  }
}

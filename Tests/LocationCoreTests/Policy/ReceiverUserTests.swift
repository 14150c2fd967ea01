import TestSupport
import Testing

@testable import LocationCore

/// For whom the receiver is on: rule L1.
@Suite struct ReceiverUserTests {
  @Test func `L1 B8 regions alone need no receiver where the position may be told roughly only`() {
    for accuracy in [Subscriber.AccuracyAuthorization.full, .reduced] {
      var stage = Stage()
      var subscriber = Subscriber(name: "a", services: [.regions])
      subscriber.accuracy = accuracy
      stage.add(subscriber, .suspended)
      #expect(stage.receiverUsers.isEmpty == (accuracy == .reduced))
      #expect(stage.engine.state.policy.samplingNeeds.needsNone == (accuracy == .reduced))
    }
  }

  @Test func `L1 A5 who opted out of the background uses the receiver only with a process`() {
    var stage = Stage()
    let services: Subscriber.Services = [.significantChange, .regions, .visits]
    stage.add(Subscriber(name: "a", services: services, exitsOnSuspend: true), .active)
    #expect(stage.receiverUsers == [ReceiverUser(subscriber: "a", rule: .regions)])
    stage.say(0, .background)
    stage.wait(until: 5)
    #expect(stage.state() == .notRunning)
    #expect(stage.receiverUsers == [])
    #expect(stage.engine.state.policy.samplingNeeds.needsNone)
    stage.say(10, .foreground)
    #expect(stage.receiverUsers == [ReceiverUser(subscriber: "a", rule: .regions)])
  }

  @Test func `L1 D7 a notification of a region has the receiver on for the region, and for nothing else`() {
    var stage = Stage()
    stage.take(-2, .addRegion(Region(id: "r", shape: .circle(center: Drive.origin, radiusMeters: 200))))
    stage.add(Subscriber(name: "a", services: [.significantChange], exitsOnSuspend: true), .notRunning)
    stage.say(
      0, .mode(.notify(LocalNotification(id: "n", title: "N", when: .region(id: "r", isLeft: false)))))
    #expect(
      stage.receiverUsers == [ReceiverUser(subscriber: "a", rule: .notificationRegion)])
    let needs = stage.engine.state.policy.samplingNeeds
    #expect(needs.needsRegions && !needs.needsMoves)
  }

  @Test func `B3 with the mode location the receiver stays on while the program handles an update`() {
    var stage = Stage()
    stage.hanging = ["a"]
    stage.add(Subscriber(name: "a", services: [.standard], modes: .location), .suspended)
    #expect(stage.engine.state.policy.samplingNeeds.needsEach)
    stage.take(0, .fix(Drive.report(0, east: 0)))
    #expect(stage.state() == .background)
    #expect(stage.engine.state.policy.samplingNeeds.needsEach)
  }

  @Test func `B1 the next fix is looked for where it is to be the first significant change`() {
    var stage = Stage { $0.sampling.mode = .adaptive }
    stage.add(Subscriber(name: "b", services: [.significantChange]), .suspended)
    stage.fix(0, east: 0)
    var subscriber = Subscriber(name: "a", services: [.significantChange])
    subscriber.authorization = .denied
    subscriber.backgroundDelivery = false
    stage.add(subscriber, .active, at: 10)
    func needsEach() -> Bool { stage.engine.state.policy.samplingNeeds.needsEach }
    #expect(!needsEach())
    stage.say(100, .authorization(.always))
    #expect(needsEach() && stage.engine.state.sampling.isOn)
    stage.fix(102, east: 0)
    #expect(!needsEach() && stage.handed().count == 1)
    // Of who could not be told, nobody looks for it.
    stage.say(200, .background)
    stage.wait(until: 300)
    #expect(stage.state() == .suspended)
    stage.say(301, .authorization(.denied))
    stage.say(302, .authorization(.always))
    #expect(!needsEach())
  }

  @Test func `B9 a request in the background has the receiver on`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a", services: [.significantChange]), .active)
    stage.say(1, .background)
    stage.say(2, .locate(seconds: 3))
    #expect(stage.state() == .background)
    #expect(stage.engine.state.policy.samplingNeeds.needsEach)
  }

  @Test(arguments: [Subscriber.Services.standard, [.standard, .regions]])
  func `B6 what has paused is looked for`(services: Subscriber.Services) {
    var stage = Stage()
    var subscriber = Subscriber(name: "a", services: services)
    subscriber.standard.pausesAutomatically = true
    stage.add(subscriber, .active)
    #expect(!stage.engine.state.policy.samplingNeeds.needsMoves)
    for second in 0..<1_200 { stage.take(Double(second), .fix(Drive.report(Double(second), east: 0))) }
    let needs = stage.engine.state.policy.samplingNeeds
    #expect(!needs.needsEach && needs.needsMoves)
  }
}

extension Stage {
  /// Who needs the receiver now.
  fileprivate var receiverUsers: [ReceiverUser] {
    var policy = engine.state.policy
    return policy.findReceiverUsers()
  }
}

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
      #expect(stage.engine.state.policy.receiverUsers.isEmpty == (accuracy == .reduced))
      #expect(stage.engine.state.policy.samplingNeeds.needsNone == (accuracy == .reduced))
    }
  }

  @Test func `L1 A5 who opted out of the background uses the receiver only with a process`() {
    var stage = Stage()
    let services: Subscriber.Services = [.significantChange, .regions, .visits]
    stage.add(Subscriber(name: "a", services: services, exitsOnSuspend: true), .active)
    #expect(stage.engine.state.policy.receiverUsers == [ReceiverUser(subscriber: "a", rule: .regions)])
    stage.say(0, .background)
    stage.wait(until: 5)
    #expect(stage.state() == .notRunning)
    #expect(stage.engine.state.policy.receiverUsers == [])
    #expect(stage.engine.state.policy.samplingNeeds.needsNone)
    stage.say(10, .foreground)
    #expect(stage.engine.state.policy.receiverUsers == [ReceiverUser(subscriber: "a", rule: .regions)])
  }

  @Test func `L1 D7 a notification of a region has the receiver on for the region, and for nothing else`() {
    var stage = Stage()
    stage.take(-2, .addRegion(Region(id: "r", shape: .circle(center: Drive.origin, radiusMeters: 200))))
    stage.add(Subscriber(name: "a", services: [.significantChange], exitsOnSuspend: true), .notRunning)
    stage.say(
      0, .mode(.notify(LocalNotification(id: "n", title: "N", when: .region(id: "r", isLeft: false)))))
    #expect(
      stage.engine.state.policy.receiverUsers == [ReceiverUser(subscriber: "a", rule: .notificationRegion)])
    let needs = stage.engine.state.policy.samplingNeeds
    #expect(needs.needsRegions && !needs.needsMoves)
  }
}

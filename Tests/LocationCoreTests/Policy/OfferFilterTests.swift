import TestSupport
import Testing

@testable import LocationCore

/// What a subscriber's filter lets pass: kinds, hours, days and cooldown.
@Suite struct OfferFilterTests {
  private func subscriber(_ change: (inout OfferFilter) -> Void) -> Subscriber {
    var subscriber = Subscriber(name: "a", services: [.significantChange, .regions])
    var filter = OfferFilter()
    change(&filter)
    subscriber.filter = filter
    return subscriber
  }

  @Test func `an event of another kind is not even decided about`() {
    var stage = Stage()
    stage.add(subscriber { $0.kinds = [.enter] }, .suspended)
    stage.fix(0, east: 0)
    stage.fix(400, east: 2_000)
    #expect(stage.log() == [])
  }

  @Test func `an event within the cooldown is dropped, and the next after it is told`() {
    var stage = Stage()
    stage.add(subscriber { $0.cooldownSeconds = 1_000 }, .suspended)
    for step in 0..<5 { stage.fix(Double(step) * 400, east: Double(step) * 2_000) }
    stage.wait(until: 2_000)
    #expect(
      stage.log().filter { !$0.hasPrefix("suspend") } == [
        "wake B1 suspended>background suspended", "drop B1 suspended>suspended cooldown",
        "drop B1 suspended>suspended cooldown", "wake B1 suspended>background suspended",
        "drop B1 suspended>suspended cooldown",
      ])
  }

  @Test func `the cooldown of an event that waited begins when it is handed over`() {
    var stage = Stage()
    stage.add(subscriber { $0.cooldownSeconds = 1_000 }, .suspended)
    stage.say(-0.5, .backgroundDelivery(false))
    stage.fix(0, east: 0)
    stage.fix(400, east: 2_000)
    stage.say(500, .backgroundDelivery(true))
    stage.fix(1_200, east: 4_000)
    stage.fix(1_600, east: 6_000)
    #expect(
      stage.log().filter { !$0.hasPrefix("suspend") } == [
        "defer B8 suspended>suspended background_delivery_off", "drop B1 suspended>suspended cooldown",
        "wake B8 suspended>background background_delivery_on", "drop B1 suspended>suspended cooldown",
        "wake B1 suspended>background suspended",
      ])
  }

  @Test func `an event that is dropped before it is handed over begins no cooldown`() {
    var stage = Stage()
    stage.add(subscriber { $0.cooldownSeconds = 1_000 }, .suspended)
    stage.say(-0.5, .backgroundDelivery(false))
    stage.fix(0, east: 0)
    stage.say(100, .authorization(.denied))
    stage.say(200, .authorization(.always))
    stage.say(200, .backgroundDelivery(true))
    stage.fix(400, east: 2_000)
    #expect(
      stage.log() == [
        "defer B8 suspended>suspended background_delivery_off", "drop B8 suspended>suspended denied",
        "wake B1 suspended>background suspended",
      ])
  }

  @Test func `an event outside the hours is dropped by the time of the fixes`() throws {
    let start = Drive.report(0, east: 0).time
    let minute = try #require(start).microseconds / 60_000_000 % 1_440
    var stage = Stage()
    // From ten minutes after the first fix to half an hour after it.
    stage.add(
      subscriber {
        $0.hours = DayHours(from: Int(minute + 10) % 1_440, to: Int(minute + 30) % 1_440)
      }, .suspended)
    for step in 0..<6 { stage.fix(Double(step) * 400, east: Double(step) * 2_000) }
    stage.wait(until: 2_400)
    let told = stage.log().filter { !$0.hasPrefix("suspend") }.map { $0.split(separator: " ").last ?? "" }
    #expect(
      told == ["outside_hours", "outside_hours", "suspended", "suspended", "suspended", "outside_hours"])
  }

  @Test func `a subscriber of version 0.1.0 has no filter, and one with a filter survives a snapshot`() throws
  {
    let filtered = subscriber {
      $0.kinds = [.enter]
      $0.hours = DayHours(from: 1_320, to: 360)
      $0.zone = TimeZoneRule(name: "Europe/Berlin", posix: "CET-1CEST,M3.5.0,M10.5.0/3") ?? .utc
      $0.cooldownSeconds = 60
    }
    var stage = Stage()
    stage.add(filtered, .suspended)
    let restored = try Engine(restoring: stage.engine.snapshot)
    #expect(restored.subscribers.map(\.subscriber) == [filtered])
  }
}

/// The time of a oneshot.
@Suite struct OneshotTimeTests {
  /// When a program that answers nothing is ended.
  private func endSeconds(_ change: (inout Subscriber) -> Void) -> Int? {
    var stage = Stage()
    stage.hanging = ["a"]
    var subscriber = Subscriber(name: "a", style: .oneshot, services: [.significantChange])
    change(&subscriber)
    stage.add(subscriber, .notRunning)
    stage.fix(0, east: 0)
    for second in stride(from: 5, through: 900, by: 5) {
      stage.wait(until: Double(second))
      if stage.log().contains(where: { $0.hasPrefix("terminate K2") }) { return second }
    }
    return nil
  }

  @Test func `a oneshot has ten minutes, or what its manifest says; a resident has ten seconds`() {
    #expect(endSeconds { _ in } == 600)
    #expect(endSeconds { $0.maxTimeSeconds = 300 } == 300)
    #expect(endSeconds { $0.maxTimeSeconds = 5 } == 5)
    #expect(endSeconds { $0.style = .resident } == 10)
  }

  @Test func `the time of the next event begins with its process`() {
    var stage = Stage()
    stage.hanging = ["a"]
    var subscriber = Subscriber(name: "a", style: .oneshot, services: [.significantChange])
    subscriber.maxTimeSeconds = 500
    stage.add(subscriber, .notRunning)
    stage.fix(0, east: 0)
    stage.fix(400, east: 2_000)
    stage.say(450, .acknowledged(event: stage.handed()[0], coreSeconds: 0))
    stage.wait(until: 949)
    #expect(!stage.log().contains { $0.hasPrefix("terminate") })
    stage.wait(until: 951)
    #expect(stage.log().contains { $0.hasPrefix("terminate K2") })
  }
}

import TestSupport
import Testing

@testable import LocationCore

/// Section D: what is shown, when, and what is refused.
@Suite struct NotificationTests {
  static let subscriber = Subscriber(name: "a", services: [])

  private static func stage(
    _ state: SubscriberState = .suspended, _ adjust: (inout EngineConfiguration) -> Void = { _ in }
  ) -> Stage {
    var stage = Stage(adjust)
    stage.add(subscriber, state, at: 0)
    return stage
  }

  private static func after(_ seconds: Double, id: String = "tea") -> SubscriberEvent {
    .mode(.notify(LocalNotification(id: id, title: "Tea", when: .after(seconds: seconds))))
  }

  private static func time(_ text: String) -> UTCTime { UTCTime(rfc3339: text)! }

  // MARK: Fire

  @Test(
    arguments: [
      (SubscriberState.active, ["deliver D3 active>active foreground"]),
      (.inactive, ["notify D3 inactive>inactive due", "deliver D3 inactive>inactive foreground"]),
      (.background, ["notify D3 background>background due", "deliver D3 background>background running"]),
      (.suspended, ["notify D3 suspended>suspended due"]),
      (.notRunning, ["notify D3 notRunning>notRunning due"]),
    ] as [(SubscriberState, [String])])
  func `D3 it is shown or handed over by the state, and wakes nobody`(
    state: SubscriberState, decisions: [String]
  ) {
    var stage = Self.stage(state)
    if state == .background { stage.say(0, .beginTask(name: "t")) }
    stage.say(1, Self.after(9))
    stage.wait(until: 9.9)
    #expect(stage.notified.isEmpty)
    stage.wait(until: 10)
    #expect(stage.log().suffix(decisions.count) == decisions[...])
    #expect(stage.notified.map(\.reason) == [.due])
    #expect(stage.notified[0].lateSeconds == nil)
    #expect(stage.shown == (state == .active ? [] : ["tea"]))
    #expect(stage.launches().isEmpty)
  }

  @Test func `D3 an active one that can be handed nothing more has it shown instead, as an alert`() {
    var stage = Stage { $0.policy.handedLimit = 1 }
    stage.add(Subscriber(name: "a", services: [], modes: .remoteNotification), .active, at: 0)
    stage.hanging = ["a"]
    stage.say(1, .mode(.push(Push(id: "p", isContentAvailable: true, payload: "{}"))))
    stage.say(2, Self.after(8))
    let alert = LocalNotification.Content(title: "Mail")
    stage.say(3, .mode(.push(Push(id: "m", alert: alert, isContentAvailable: false, payload: "{}"))))
    stage.wait(until: 10)
    #expect(
      stage.log() == [
        "deliver H1 active>active foreground", "notify D3 active>active push",
        "drop D3 active>active backlog", "notify D3 active>active due", "drop D3 active>active backlog",
      ])
    #expect(stage.shown == ["m", "tea"])
  }

  @Test(arguments: [SubscriberEvent.exited(status: 1), .exited(status: 0), .quit, .background])
  func `D3 K5 what an active one was handed instead and does not acknowledge is shown after all`(
    _ end: SubscriberEvent
  ) {
    for isAnswered in [false, true] {
      var stage = Self.stage(.active)
      if !isAnswered { stage.hanging = ["a"] }
      stage.say(1, Self.after(9))
      let alert = LocalNotification.Content(title: "Mail")
      stage.say(11, .mode(.push(Push(id: "m", alert: alert, isContentAvailable: false, payload: "{}"))))
      #expect(stage.handed().count == 2 && stage.shown == [])
      stage.say(12, end)
      stage.wait(until: 20)
      #expect(stage.shown == (isAnswered ? [] : ["tea", "m"]))
      let shown = stage.log().filter { $0.hasPrefix("notify D3") }
      #expect(shown.allSatisfy { $0.hasSuffix("unacknowledged") } && shown.count == stage.shown.count)
      #expect(stage.notified.count == 1)
    }
  }

  @Test func `D3 D5 what an active one did not acknowledge before a reboot waits for the first unlock`() {
    var stage = Self.stage(.active) { $0.policy.protectUntilFirstUnlock = true }
    stage.hanging = ["a"]
    stage.say(1, Self.after(9))
    stage.take(12, .machine(.reboot))
    #expect(stage.shown == [] && stage.log().last == "defer A8 notRunning>notRunning locked")
    stage.take(100, .machine(.unlock))
    #expect(stage.shown == ["tea"])
    #expect(stage.log().last == "notify D3 notRunning>notRunning unacknowledged")
    stage.wait(until: 500)
    #expect(stage.shown.count == 1 && stage.notified.count == 1)
  }

  @Test func `D3 K5 what an active one did not acknowledge before the daemon ended is shown by the next`() {
    var stage = Self.stage(.active)
    stage.hanging = ["a"]
    stage.say(1, Self.after(9))
    stage.wait(until: 11)
    stage.take(12, .machine(.absent(true)))
    stage.say(12, .orphaned)
    #expect(stage.shown == [])
    stage.take(20, .machine(.absent(false)))
    #expect(stage.shown == ["tea"])
    #expect(stage.log().contains("notify D3 notRunning>notRunning unacknowledged"))
  }

  @Test func `D5 one that was on its way when the daemon ended is shown again, under the same id`() {
    var stage = Self.stage()
    stage.presents = false
    stage.say(1, Self.after(9))
    stage.wait(until: 10)
    stage.take(11, .machine(.absent(true)))
    stage.presents = true
    stage.take(20, .machine(.absent(false)))
    #expect(stage.log().last == "notify D3 suspended>suspended unacknowledged")
    let events = stage.effects.orders.compactMap { order in
      if case .notify(_, let event, _, _) = order { event } else { nil }
    }
    #expect(events.count == 2 && Set(events).count == 1)
    #expect(stage.notified.count == 1)
    stage.take(30, .machine(.absent(true)))
    stage.take(40, .machine(.absent(false)))
    #expect(stage.shown.count == 2)
  }

  @Test func `D3 nothing of the policy keeps it from being shown, and it changes no state`() {
    var stage = Self.stage(.suspended)
    stage.say(1, Self.after(9))
    stage.say(2, .quit)
    stage.say(3, .backgroundDelivery(false))
    stage.take(4, .machine(.lowPower(true)))
    stage.take(5, .machine(.memoryPressure(.critical)))
    stage.wait(until: 10)
    #expect(stage.shown == ["tea"])
    #expect(stage.state() == .notRunning)
  }

  @Test
  func `D3 within its tolerance it joins another wake of the machine, and comes at its end without one`() {
    var stage = Self.stage(.suspended)
    var lax = LocalNotification(id: "lax", title: "Lax", when: .after(seconds: 100))
    lax.toleranceSeconds = 60
    stage.say(0, .mode(.notify(lax)))
    var other = LocalNotification(id: "other", title: "Lax", when: .after(seconds: 300))
    other.toleranceSeconds = 60
    stage.say(0, .mode(.notify(other)))
    stage.say(0, Self.after(130))
    stage.wait(until: 129)
    #expect(stage.shown == [])
    stage.wait(until: 131)
    #expect(stage.shown == ["tea", "lax"])
    stage.wait(until: 359)
    #expect(stage.shown.count == 2)
    stage.wait(until: 360)
    #expect(stage.shown.last == "other")
    #expect(stage.notified.allSatisfy { $0.reason == .due })
  }

  @Test func `D3 within its tolerance it joins a machine that is awake for something else`() {
    var stage = Self.stage(.suspended)
    var lax = LocalNotification(id: "lax", title: "Lax", when: .after(seconds: 100))
    lax.toleranceSeconds = 600
    stage.say(0, .mode(.notify(lax)))
    stage.take(99, .machine(.awake))
    #expect(stage.shown == [])
    stage.take(250, .machine(.awake))
    #expect(stage.shown == ["lax"])
  }

  @Test func `D3 no tolerance is more than is set`() {
    var stage = Stage { $0.policy.notifications.toleranceSeconds = 20 }
    stage.add(Subscriber(name: "a", services: []), .suspended, at: 0)
    var lax = LocalNotification(id: "lax", title: "Lax", when: .after(seconds: 100))
    lax.toleranceSeconds = 600
    stage.say(0, .mode(.notify(lax)))
    stage.wait(until: 119)
    #expect(stage.shown == [])
    stage.wait(until: 120)
    #expect(stage.shown == ["lax"])
  }

  @Test(arguments: [(1.0, [.overdue]), (60, [.due])] as [(Double, [NotificationRecord.Reason])])
  func `D3 one is late by more than is set`(seconds: Double, reasons: [NotificationRecord.Reason]) {
    var stage = Self.stage { $0.policy.notifications.punctualSeconds = seconds }
    stage.say(0, Self.after(10))
    stage.take(5, .machine(.absent(true)))
    stage.take(40, .machine(.absent(false)))
    #expect(stage.notified.map(\.reason) == reasons)
  }

  @Test func `D1 now is shown at once, counts never, and the engine gives names`() {
    var stage = Self.stage(.suspended)
    stage.say(1, .mode(.notify(LocalNotification(title: "Now", when: .now))))
    #expect(stage.notified.map(\.reason) == [.now])
    #expect(stage.shown == ["n1"])
    #expect(stage.engine.notifications(of: "a").isEmpty)
    #expect(stage.engine.lastNotification(of: "a") == "n1")
  }

  @Test(arguments: [
    LocalNotification.When.at(Self.time("2026-05-01T02:00:00Z")), .wall(WallTime("2026-05-01T02:00")!),
  ])
  func `D1 D5 what is scheduled for a time that is past is due at once, and was not missed`(
    when: LocalNotification.When
  ) {
    var stage = Self.stage()
    stage.take(0, .fix(Drive.report(0, east: 0)))
    stage.say(1, .mode(.notify(LocalNotification(id: "up", title: "Up", when: when))))
    stage.wait(until: 2)
    #expect(stage.shown == ["up"])
    #expect(stage.notified.map(\.reason) == [.due] && stage.notified.first?.lateSeconds == nil)
  }

  @Test(arguments: [nil, CalendarUnit.day], [true, false])
  func `D5 what came due before anybody was there to schedule it is overdue`(
    unit: CalendarUnit?, isWall: Bool
  ) {
    var stage = Self.stage()
    stage.take(0, .fix(Drive.report(0, east: 0)))
    let now = UTCTime(microseconds: Drive.instant(0).microseconds)
    let due = now.advanced(bySeconds: -60)
    var notification = LocalNotification(
      id: "up", title: "Up",
      when: isWall ? .wall(WallTime(seconds: Int(due.microseconds / 1_000_000))) : .at(due))
    notification.repeats = unit
    notification.asked = now.advanced(bySeconds: -90)
    stage.say(1, .mode(.notify(notification)))
    stage.wait(until: 2)
    #expect(stage.shown == ["up"])
    #expect(stage.notified.map(\.reason) == [.overdue] && stage.notified.first?.lateSeconds == 61)
    #expect(stage.engine.notifications(of: "a").isEmpty == (unit == nil))
  }

  @Test func `D1 a name that is there is replaced`() {
    var stage = Self.stage()
    stage.say(1, Self.after(100))
    stage.say(2, Self.after(10))
    stage.wait(until: 200)
    #expect(stage.shown == ["tea"])
  }

  // MARK: Limit and permission

  @Test func `D4 the 129th is refused and changes nothing, and a replacement is not`() {
    var stage = Self.stage()
    for number in 1...128 { stage.say(1, Self.after(1000, id: "n\(number)")) }
    #expect(stage.log() == [])
    stage.say(2, Self.after(5, id: "more"))
    #expect(stage.log() == ["refuse D4 suspended>suspended too_many_notifications"])
    #expect(stage.engine.notifications(of: "a").count == 128)
    stage.say(3, Self.after(2000, id: "n7"))
    stage.say(3, .mode(.notify(LocalNotification(title: "Now", when: .now))))
    #expect(stage.log().filter { $0.hasPrefix("refuse") }.count == 1)
    stage.say(4, .mode(.cancelNotification(id: "n7")))
    stage.say(4, Self.after(5, id: "more"))
    #expect(stage.engine.notifications(of: "a").first?.id == "more")
  }

  @Test func `D4 canceling an unknown one is an error and changes nothing`() {
    var stage = Self.stage()
    stage.say(1, Self.after(10))
    stage.say(2, .mode(.cancelNotification(id: "coffee")))
    #expect(stage.log() == ["refuse D4 suspended>suspended unknown_notification"])
    stage.say(3, .mode(.cancelNotifications))
    stage.wait(until: 20)
    #expect(stage.shown == [])
  }

  @Test func `D8 what is on its way is dropped with the permission, and not shown again`() {
    var stage = Self.stage()
    stage.presents = false
    stage.say(1, Self.after(9))
    stage.wait(until: 10)
    stage.say(11, .mode(.permitNotifications(false)))
    #expect(stage.log().last == "drop D8 suspended>suspended not_permitted")
    stage.take(12, .machine(.absent(true)))
    stage.take(20, .machine(.absent(false)))
    #expect(stage.log().count { $0.hasPrefix("notify") } == 1)
  }

  @Test func `D8 without permission scheduling is refused, and what is scheduled fires unseen`() {
    var stage = Self.stage()
    stage.say(1, Self.after(10))
    stage.say(2, .mode(.permitNotifications(false)))
    stage.say(3, Self.after(20, id: "later"))
    stage.wait(until: 30)
    #expect(
      stage.log() == [
        "refuse D8 suspended>suspended not_permitted", "drop D8 suspended>suspended not_permitted",
      ])
    #expect(stage.shown == [])
    stage.say(31, .mode(.permitNotifications(true)))
    stage.say(32, Self.after(1))
    stage.wait(until: 40)
    #expect(stage.shown == ["tea"])
  }

  @Test func `B9 where nothing shows notifications scheduling is refused`() {
    var stage = Self.stage()
    stage.take(1, .machine(.notifier(false)))
    stage.say(2, Self.after(10))
    #expect(stage.log() == ["refuse B9 suspended>suspended no_notifier"])
    stage.take(3, .machine(.notifier(true)))
    stage.say(4, Self.after(10))
    stage.wait(until: 20)
    #expect(stage.shown == ["tea"])
  }

  // MARK: Repeat and zones

  @Test func `D2 it repeats, and counts as one`() {
    var stage = Self.stage()
    var notification = LocalNotification(id: "tick", title: "Tick", when: .after(seconds: 60))
    notification.repeats = .minute
    stage.say(0, .mode(.notify(notification)))
    stage.wait(until: 359)
    #expect(stage.shown.count == 5)
    #expect(stage.engine.notifications(of: "a").count == 1)
    stage.say(400, .mode(.cancelNotification(id: "tick")))
    stage.wait(until: 1000)
    #expect(stage.shown.count == 6)
  }

  @Test
  func `D2 one that begins in the past begins with the next, and one that does not repeat is due at once`()
    throws
  {
    var stage = Self.stage()
    var daily = LocalNotification(id: "daily", title: "D", when: .at(Self.time("2026-04-20T06:01:00Z")))
    daily.repeats = .day
    stage.say(0, .mode(.notify(daily)))
    #expect(stage.shown == [])
    #expect(stage.engine.notifications(of: "a").map(\.time) == [Self.time("2026-05-01T06:01:00Z")])
    stage.wait(until: 61)
    #expect(stage.notified.map(\.reason) == [.due])
    stage.say(
      70,
      .mode(
        .notify(LocalNotification(id: "old", title: "O", when: .at(Self.time("2026-04-20T06:00:00Z"))))))
    #expect(stage.shown == ["daily", "old"])
  }

  @Test func `D1 a time on the wall without a zone follows the machine's, and a fixed time never moves`()
    throws
  {
    // 2026-05-01T06:00:00Z is second 0.
    var stage = Self.stage()
    let wall = try #require(WallTime("2026-05-01T07:30"))
    stage.say(0, .mode(.notify(LocalNotification(id: "wall", title: "W", when: .wall(wall)))))
    stage.say(
      0,
      .mode(
        .notify(LocalNotification(id: "at", title: "A", when: .at(Self.time("2026-05-01T07:30:00Z"))))))
    #expect(
      stage.engine.notifications(of: "a").map(\.time) == [
        Self.time("2026-05-01T07:30:00Z"), Self.time("2026-05-01T07:30:00Z"),
      ])
    stage.take(1, .machine(.zone(CalendarUnitTests.newYork)))
    #expect(stage.engine.notifications(of: "a").map(\.id) == ["at", "wall"])
    #expect(stage.engine.notifications(of: "a").last?.time == Self.time("2026-05-01T11:30:00Z"))
    stage.wait(until: 5400)
    #expect(stage.shown == ["at"])
    // In Berlin it is half past seven long since: it is due now.
    stage.take(6000, .machine(.zone(CalendarUnitTests.berlin)))
    #expect(stage.shown == ["at", "wall"])
  }

  @Test(arguments: ["2026-05-01T08:30", "2026-05-01T03:30"])
  func `D2 D5 hours count from the first time on the wall, and no change of the zone moves them`(
    _ first: String
  ) throws {
    var stage = Self.stage()
    stage.take(0, .machine(.zone(CalendarUnitTests.berlin)))
    var hourly = LocalNotification(
      id: "hour", title: "H", when: .wall(try #require(WallTime(first))))
    hourly.repeats = .hour
    stage.say(0, .mode(.notify(hourly)))
    // Half past eight in Berlin is half past six in UTC, half an hour after second 0.
    stage.wait(until: 1_800)
    #expect(stage.shown.count == 1)
    stage.take(2_000, .machine(.zone(CalendarUnitTests.newYork)))
    #expect(stage.engine.notifications(of: "a").map(\.time) == [Self.time("2026-05-01T07:30:00Z")])
    stage.wait(until: 5_400)
    stage.take(6_000, .machine(.zone(CalendarUnitTests.berlin)))
    stage.wait(until: 9_000)
    #expect(stage.notified.map(\.reason) == [.due, .due, .due])
  }

  /// A live fix of a source whose clock, as the machine's, is so many seconds ahead.
  private static func fix(_ seconds: Double, ahead: Double) -> Event {
    var report = Drive.report(seconds + ahead, east: 0)
    report.received = report.time
    return .fix(report)
  }

  @Test(arguments: [false, true])
  func `D1 after so many seconds is after as many, also where the clocks are set ahead`(hadTime: Bool) {
    var stage = Self.stage()
    if hadTime { stage.take(1, Self.fix(1, ahead: 0)) }
    stage.say(2, Self.after(100))
    let at = LocalNotification(id: "at", title: "A", when: .at(Self.time("2026-05-01T06:01:42Z")))
    stage.say(2, .mode(.notify(at)))
    stage.take(10, Self.fix(10, ahead: 3_600))
    stage.wait(until: 101)
    #expect(stage.shown == ["at"], "a time never moves")
    stage.wait(until: 102)
    #expect(stage.shown == ["at", "tea"])
    #expect(stage.notified.map(\.reason) == [.overdue, .due])
  }

  @Test(arguments: [false, true])
  func `D1 before a fix UTC is what the system clock is set to`(hadFix: Bool) {
    var stage = Self.stage()
    if hadFix { stage.take(1, Self.fix(1, ahead: -60)) }
    stage.say(2, Self.after(100))
    let at = LocalNotification(id: "at", title: "A", when: .at(Self.time("2026-05-01T07:00:30Z")))
    stage.say(2, .mode(.notify(at)))
    stage.take(10, .machine(.utc(aheadMicroseconds: 3_600_000_000)))
    // Another subscriber is no reason to go back to the fix.
    stage.add(Subscriber(name: "b", services: []), .suspended, at: 11)
    stage.wait(until: 29)
    #expect(stage.shown == [])
    stage.wait(until: 30)
    #expect(stage.shown == ["at"])
    #expect(stage.notified.map(\.reason) == [.due])
    #expect(stage.engine.time == Self.time("2026-05-01T07:00:30Z"))
    stage.wait(until: 102)
    #expect(stage.shown == ["at", "tea"])
    stage.take(110, Self.fix(110, ahead: 0))
    #expect(stage.engine.time == Self.time("2026-05-01T06:01:50Z"), "a fix knows better")
  }

  @Test func `D1 D5 how long the machine was off only the clocks tell`() {
    var stage = Self.stage()
    stage.take(1, Self.fix(1, ahead: 0))
    stage.say(2, Self.after(100))
    stage.take(5, .machine(.reboot))
    stage.take(10, Self.fix(10, ahead: 3_600))
    stage.wait(until: 11)
    #expect(stage.notified.map(\.reason) == [.overdue])
  }

  @Test func `D1 one for now that was asked for while no daemon ran is shown at its start, as one for now`() {
    var stage = Self.stage()
    stage.take(1, Self.fix(1, ahead: 0))
    stage.take(5, .machine(.absent(true)))
    stage.say(5, .mode(.notify(LocalNotification(id: "n", title: "N", when: .now))))
    #expect(stage.shown == [])
    stage.take(5, .machine(.absent(false)))
    #expect(stage.shown == ["n"] && stage.notified.map(\.reason) == [.now])
  }

  // MARK: Missed

  @Test
  func `D5 what came due before the first unlock is shown once, overdue, and a rhythm goes on unshifted`() {
    var stage = Self.stage(.suspended) { $0.policy.protectUntilFirstUnlock = true }
    stage.say(0, Self.after(100))
    var tick = LocalNotification(id: "tick", title: "Tick", when: .after(seconds: 60))
    tick.repeats = .minute
    stage.say(0, .mode(.notify(tick)))
    stage.take(30, .machine(.reboot))
    stage.wait(until: 400)
    #expect(stage.shown == [])
    let deferral = "defer A8 notRunning>notRunning locked"
    #expect(stage.log() == [deferral, deferral], "one of each, however often it repeats")
    stage.take(410, .machine(.unlock))
    #expect(stage.notified.map(\.reason) == [.overdue, .overdue])
    #expect(stage.shown == ["tea", "tick"])
    #expect(stage.notified.map { $0.lateSeconds?.rounded() } == [310, 50])
    stage.wait(until: 481)
    #expect(stage.notified.count == 4)
    #expect(stage.notified.last?.reason == .due)
  }

  @Test
  func `D5 what the lock kept back is overdue, however short that was, and what it did not is due`() {
    var stage = Self.stage(.suspended) { $0.policy.protectUntilFirstUnlock = true }
    stage.take(0, .machine(.reboot))
    stage.say(1, Self.after(9))
    stage.say(1, Self.after(9.5, id: "later"))
    var tick = LocalNotification(id: "tick", title: "Tick", when: .after(seconds: 9))
    tick.repeats = .minute
    stage.say(1, .mode(.notify(tick)))
    stage.take(10.25, .machine(.unlock))
    #expect(stage.notified.map(\.reason) == [.overdue, .overdue])
    #expect(stage.notified.map(\.lateSeconds) == [0.25, 0.25])
    stage.wait(until: 80)
    #expect(stage.shown == ["tea", "tick", "later", "tick"])
    #expect(stage.notified.suffix(2).map(\.reason) == [.due, .due])
  }

  @Test(arguments: [false, true])
  func `D5 A9 what a change of the zone moves past the lock was not kept back by it`(locksAgain: Bool) throws
  {
    var stage = Self.stage(.suspended) { $0.policy.protectUntilFirstUnlock = true }
    stage.take(0, .machine(.zone(CalendarUnitTests.berlin)))
    stage.take(1, .machine(.reboot))
    // In Berlin half an hour after second 0, in New York at second 23,400.
    let wall = try #require(WallTime("2026-05-01T08:30"))
    stage.say(2, .mode(.notify(LocalNotification(id: "wall", title: "W", when: .wall(wall)))))
    stage.take(2_000, .machine(.zone(CalendarUnitTests.newYork)))
    stage.take(2_100, .machine(.unlock))
    if locksAgain { stage.take(3_000, .machine(.reboot)) }
    stage.wait(until: 23_400)
    let deferral = "defer A8 notRunning>notRunning locked"
    #expect(stage.log() == [deferral, locksAgain ? deferral : "notify D3 notRunning>notRunning due"])
  }

  @Test func `A9 D5 a notification that comes due before the first unlock is deferred when it does`() throws {
    var stage = Self.stage(.suspended) { $0.policy.protectUntilFirstUnlock = true }
    stage.say(0, Self.after(100))
    stage.take(30, .machine(.reboot))
    stage.wait(until: 99)
    #expect(stage.log() == [])
    // The machine need not be woken for that.
    let alarm = stage.engine.nextAlarm
    #expect(alarm == nil)
    stage.wait(until: 100)
    let decision = try #require(stage.effects.decisions.last)
    #expect(stage.log() == ["defer A8 notRunning>notRunning locked"])
    #expect(decision.inputs?.isLocked == true)
    let due = stage.engine.nextDeadline
    #expect(due == nil)
    stage.take(200, .machine(.unlock))
    #expect(stage.shown == ["tea"])
    #expect(stage.log().last == "notify D3 notRunning>notRunning overdue")
  }

  @Test func `D8 before the first unlock what the user does not want to see is dropped when it is due`() {
    var stage = Self.stage(.suspended) { $0.policy.protectUntilFirstUnlock = true }
    stage.say(0, Self.after(100))
    stage.say(0, Self.after(300, id: "later"))
    stage.take(30, .machine(.reboot))
    stage.say(40, .mode(.permitNotifications(false)))
    let alarm = stage.engine.nextAlarm
    #expect(alarm == nil)
    stage.wait(until: 100)
    #expect(stage.log() == ["drop D8 notRunning>notRunning not_permitted"])
    stage.say(200, .mode(.permitNotifications(true)))
    stage.wait(until: 300)
    #expect(stage.log().last == "defer A8 notRunning>notRunning locked")
    // It waits for the unlock, until the user does not want it any more.
    stage.say(400, .mode(.permitNotifications(false)))
    #expect(stage.log().last == "drop D8 notRunning>notRunning not_permitted")
    stage.say(410, .mode(.permitNotifications(true)))
    stage.take(500, .machine(.unlock))
    #expect(stage.shown == [])
  }

  @Test func `D5 what came due while nobody was there is shown once when somebody is`() {
    var stage = Self.stage()
    stage.say(0, Self.after(100))
    stage.take(0, .machine(.absent(true)))
    stage.wait(until: 500)
    #expect(stage.shown == [])
    stage.take(500, .machine(.absent(false)))
    #expect(stage.notified.map(\.reason) == [.overdue])
    #expect(stage.notified.map { $0.lateSeconds?.rounded() } == [400])
    // A reboot and a second absence show it no more.
    stage.take(510, .machine(.reboot))
    stage.take(520, .machine(.absent(true)))
    stage.take(900, .machine(.absent(false)))
    #expect(stage.shown == ["tea"])
  }

  // MARK: Opened

  @Test func `D6 opening one is a launch by the user, with its data, and clears the force-quit mark`() throws
  {
    var stage = Self.stage(.notRunning)
    var notification = LocalNotification(id: "tea", title: "Tea", when: .after(seconds: 1))
    notification.content.data = #"{"cup":2}"#
    stage.say(0, .mode(.notify(notification)))
    stage.say(0.5, .quit)
    stage.wait(until: 5)
    stage.say(6, .mode(.openNotification(id: "tea")))
    #expect(stage.state() == .active)
    #expect(stage.engine.subscriber("a")?.wasForceQuit == false)
    let opened = stage.opened
    let launch = try #require(opened.first)
    #expect(launch.kind == "notification")
    #expect(launch.cause == .notificationOpened)
    #expect(launch.notification == "tea")
    #expect(launch.data == #"{"cup":2}"#)
    #expect(launch.event == stage.effects.records.first { $0.type == "notification" }?.id)
    stage.say(7, .mode(.openNotification(id: "coffee")))
    #expect(stage.log().last == "refuse D6 active>active unknown_notification")
  }

  @Test func `D6 before the first unlock opening one is refused`() {
    var stage = Self.stage(.notRunning) { $0.policy.protectUntilFirstUnlock = true }
    stage.say(0, Self.after(1))
    stage.wait(until: 5)
    stage.take(6, .machine(.reboot))
    stage.say(7, .mode(.openNotification(id: "tea")))
    #expect(stage.log().last == "refuse A8 notRunning>notRunning locked")
    #expect(stage.state() == .notRunning)
  }

  @Test func `A9 removing a subscriber ends its process, and drops what waits for it`() {
    var stage = Self.stage(.active)
    stage.hanging = ["a"]
    stage.say(1, .mode(.notify(LocalNotification(id: "tea", title: "Tea", when: .now))))
    stage.take(2, .removeSubscriber(name: "a"))
    #expect(
      stage.log().suffix(2) == [
        "terminate A1 active>notRunning removed", "drop K5 notRunning>notRunning removed",
      ])
    #expect(stage.shown == [])
  }

  @Test func `D6 removing the subscriber cancels all`() {
    var stage = Self.stage()
    stage.say(0, Self.after(10))
    stage.take(1, .removeSubscriber(name: "a"))
    stage.wait(until: 20)
    #expect(stage.shown == [])
    #expect(stage.engine.nextDeadline == nil)
  }

  // MARK: Regions

  private static func regionStage(
    _ authorization: Subscriber.Authorization, _ accuracy: Subscriber.AccuracyAuthorization = .full,
    protects: Bool = false
  ) -> Stage {
    var stage = Stage { $0.policy.protectUntilFirstUnlock = protects }
    let home = Region(
      id: "home", shape: .circle(center: Drive.origin, radiusMeters: 100))
    stage.take(-2, .addRegion(home))
    stage.add(
      Subscriber(name: "a", services: [], authorization: authorization, accuracy: accuracy), .suspended)
    return stage
  }

  private static func home(_ id: String = "in", isLeft: Bool = false, isOnce: Bool = true) -> SubscriberEvent
  {
    var notification = LocalNotification(id: id, title: "Home", when: .region(id: "home", isLeft: isLeft))
    notification.isOnce = isOnce
    return .mode(.notify(notification))
  }

  /// Ten fixes far away, then ten at home, then ten far away again, from so many seconds on.
  private static func visit(_ stage: inout Stage, from seconds: Double) {
    for step in 0..<30 {
      let isHome = step >= 10 && step < 20
      stage.fix(seconds + 10 * Double(step), east: isHome ? 0 : 1000)
    }
  }

  @Test func `D7 a region's notification is shown without waking, once, and keeps the receiver in use`()
    throws
  {
    var stage = Self.regionStage(.whenInUse)
    stage.say(0, Self.home())
    stage.say(0, Self.home("out", isLeft: true, isOnce: false))
    Self.visit(&stage, from: 10)
    Self.visit(&stage, from: 1000)
    #expect(stage.notified.map(\.reason) == [.regionEntered, .regionLeft, .regionLeft])
    #expect(stage.shown == ["in", "out", "out"])
    #expect(stage.state() == .suspended)
    stage.take(2000, .end)
    let rules = stage.effects.records.compactMap { record -> Rule? in
      if case .power(let entry) = record.body, entry.component == .receiverTracking {
        entry.rule
      } else {
        nil
      }
    }
    #expect(rules == [.notificationRegion])
  }

  @Test(
    arguments: [
      (.active, ["region.enter", "notification", "region.exit"]),
      (.suspended, ["region.enter", "region.exit"]),
    ] as [(SubscriberState, [String])])
  func `K5 D7 who runs is told of the region before its notification, and who is woken of the region alone`(
    state: SubscriberState, told: [String]
  ) {
    var stage = Stage()
    stage.take(-2, .addRegion(Region(id: "home", shape: .circle(center: Drive.origin, radiusMeters: 100))))
    stage.add(Subscriber(name: "a", services: [.regions]), state)
    stage.say(0, Self.home())
    Self.visit(&stage, from: 10)
    let types = Dictionary(stage.effects.records.map { ($0.id, $0.type) }) { $1 }
    #expect(stage.handed().map { types[$0] } == told)
    #expect(stage.shown == (state == .active ? [] : ["in"]))
  }

  @Test func `D7 without a known region or the rights scheduling is refused`() throws {
    for (authorization, accuracy, reason) in [
      (Subscriber.Authorization.denied, Subscriber.AccuracyAuthorization.full, "denied"),
      (.always, .reduced, "reduced"),
    ] {
      var stage = Self.regionStage(authorization, accuracy)
      stage.say(0, Self.home())
      #expect(stage.log() == ["refuse B8 suspended>suspended \(reason)"])
    }
    var stage = Self.regionStage(.always)
    stage.say(
      0, .mode(.notify(LocalNotification(title: "T", when: .region(id: "away", isLeft: false)))))
    #expect(stage.log() == ["refuse B8 suspended>suspended unknown_region"])
  }

  @Test func `D7 what its region leaves out is no event to wait for, of a place and of a beacon`() throws {
    for shape in [
      Region.Shape.circle(center: Drive.origin, radiusMeters: 100),
      .beacon(try #require(Beacon("f7826da6-4fa2-4e98-8024-bc5b71e0893e:1:2"))),
    ] {
      var stage = Stage()
      stage.take(-2, .addRegion(Region(id: "home", shape: shape, notify: [.exit, .dwell])))
      stage.add(Self.subscriber, .suspended)
      stage.say(0, Self.home())
      #expect(stage.log() == ["refuse B8 suspended>suspended region_silent"])
      stage.say(0, Self.home("out", isLeft: true))
      #expect(stage.log().count == 1)
      #expect(stage.engine.state.policy.sessions[0].modes.notifications?.schedules("out") == true)
    }
  }

  @Test func `D7 when the rights go it is silent until they are back, and nothing is made up for`() throws {
    var stage = Self.regionStage(.always)
    stage.say(0, Self.home())
    stage.say(1, .accuracy(.reduced))
    Self.visit(&stage, from: 10)
    #expect(stage.log() == ["defer B8 suspended>suspended reduced"])
    #expect(stage.shown == [])
    stage.say(900, .accuracy(.full))
    #expect(stage.shown == [])
    Self.visit(&stage, from: 1000)
    #expect(stage.shown == ["in"])
  }

  @Test(arguments: [true, false])
  func `D5 of two visits before the unlock the first is overdue for once, and the latest for each time`(
    isOnce: Bool
  ) throws {
    var stage = Self.regionStage(.always, protects: true)
    stage.say(0, Self.home(isOnce: isOnce))
    stage.take(1, .machine(.reboot))
    Self.visit(&stage, from: 10)
    Self.visit(&stage, from: 1000)
    stage.take(2000, .machine(.unlock))
    #expect(stage.notified.map(\.reason) == [.overdue])
    let late = try #require(stage.notified[0].lateSeconds)
    #expect((late > 1000) == isOnce, "\(late)")
  }

  @Test func `D7 B8 what waits for the unlock is not shown when the rights go meanwhile`() {
    var stage = Self.regionStage(.always, protects: true)
    stage.say(0, Self.home())
    stage.take(1, .machine(.reboot))
    Self.visit(&stage, from: 10)
    #expect(stage.log() == ["defer A8 notRunning>notRunning locked"])
    stage.say(900, .authorization(.denied))
    #expect(stage.log().last == "drop B8 notRunning>notRunning denied")
    stage.take(910, .machine(.unlock))
    #expect(stage.shown == [])
    // It is scheduled still.
    stage.say(920, .authorization(.always))
    #expect(stage.shown == [])
    Self.visit(&stage, from: 1000)
    #expect(stage.shown == ["in"])
  }

  @Test func `D6 one that its program was handed instead can't be opened`() {
    var stage = Self.stage(.active)
    stage.say(1, Self.after(1))
    stage.say(5, .quit)
    #expect(stage.shown == [])
    stage.say(9, .mode(.openNotification(id: "tea")))
    #expect(stage.log().last == "refuse D6 notRunning>notRunning unknown_notification")
  }
}

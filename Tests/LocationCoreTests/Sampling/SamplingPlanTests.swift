import TestSupport
import Testing

@testable import LocationCore

/// The plan by itself: what it asks for after one fix, and when.
@Suite struct SamplingPlanTests {
  private static let configuration: SamplingConfiguration = {
    var configuration = SamplingConfiguration()
    configuration.mode = .adaptive
    return configuration
  }()

  private static func fix(_ seconds: Double, east: Double = 0) -> Fix {
    let report = Drive.report(seconds, east: east)
    return Fix(
      time: UTCTime(microseconds: Drive.instant(seconds).microseconds), instant: Drive.instant(seconds),
      coordinate: Coordinate(latitude: report.latitude, longitude: report.longitude)!,
      accuracy: Accuracy(radiusMeters: 5, source: .reported))
  }

  private static func view(_ change: (inout SamplingView) -> Void) -> SamplingView {
    var view = SamplingView()
    view.timeToFixSeconds = 2
    change(&view)
    return view
  }

  private static func order(_ view: SamplingView) -> ReceiverOrder? {
    var plan = SamplingPlan()
    return plan.take(fix(0), view, by: configuration)
  }

  /// Fires what is due, and has the receiver obey.
  @discardableResult
  private static func fire(_ plan: inout SamplingPlan, at instant: EngineInstant) -> ReceiverOrder? {
    let order = plan.fire(at: instant, by: configuration)
    if order?.isOn == true { plan.open(at: instant, timeToFixSeconds: 2, by: configuration) }
    return order
  }

  @Test func `the nearest of all needs decides, less the time to a fix`() {
    #expect(Self.order(Self.view { $0.enterSeconds = 500 }) == .off(seconds: 496, .enter))
    #expect(Self.order(Self.view { $0.exitSeconds = 130 }) == .off(seconds: 126, .exit))
    #expect(
      Self.order(
        Self.view {
          $0.enterSeconds = 500
          $0.dwellSeconds = 100
        }) == .off(seconds: 98, .dwell))
    #expect(Self.order(Self.view { $0.enterSeconds = 9000 }) == .off(seconds: 1798, .longest))
  }

  @Test func `a search of adaptive settings is not given up under continuous ones`() {
    var plan = SamplingPlan()
    plan.open(at: Drive.instant(0), timeToFixSeconds: 2, by: Self.configuration)
    let due = plan.nextDeadline ?? .distantPast
    #expect(due > Drive.instant(0))
    #expect(plan.fire(at: due, by: SamplingConfiguration()) == nil)
    #expect(plan.isOn && plan.nextDeadline == nil)
  }

  @Test func `the window of significant changes is closed time`() {
    let order = Self.order(
      Self.view {
        $0.needsMoves = true
        $0.move.closedSeconds = 300
        $0.move.remainingMeters = 500
      })
    #expect(order == .off(seconds: 298, .moved))
  }

  @Test func `after the window the distance left decides, at a walk at least`() {
    let order = Self.order(
      Self.view {
        $0.needsMoves = true
        $0.move.remainingMeters = 500
      })
    #expect(order == .off(seconds: 248, .moved))
  }

  @Test func `the program that is told first decides`() {
    let order = Self.order(
      Self.view {
        $0.needsMoves = true
        $0.move = SamplingView.Move(closedSeconds: 280, remainingMeters: 500)
        $0.ownMoves = [.init(closedSeconds: 40, remainingMeters: 300), .init(closedSeconds: 120)]
      })
    #expect(order == .off(seconds: 118, .moved))
  }

  @Test func `who needs nothing switches it off, who needs each fix leaves it on`() {
    #expect(Self.order(Self.view { $0.needsNone = true }) == .off(seconds: nil, .unneeded))
    #expect(
      Self.order(
        Self.view {
          $0.needsEach = true
          $0.enterSeconds = 9000
        }) == nil)
  }

  @Test func `pending evidence keeps it on for a minute, no longer`() {
    var plan = SamplingPlan()
    let view = Self.view {
      $0.enterSeconds = 500
      $0.hasEvidence = true
    }
    for second in 0..<60 {
      #expect(plan.take(Self.fix(Double(second)), view, by: Self.configuration) == nil)
    }
    #expect(plan.take(Self.fix(60), view, by: Self.configuration) == .off(seconds: 58, .enter))
  }

  @Test func `a pause that saves nothing is not taken`() {
    #expect(
      Self.order(
        Self.view {
          $0.enterSeconds = 64
          $0.leastPauseSeconds = 60
        }) == nil)
    #expect(
      Self.order(
        Self.view {
          $0.enterSeconds = 65
          $0.leastPauseSeconds = 60
        }) != nil)
  }

  @Test func `a start that will not be hot is begun earlier`() {
    let order = Self.order(
      Self.view {
        $0.enterSeconds = 500
        $0.hotSeconds = 400
        $0.laterTimeToFixSeconds = 25
      })
    #expect(order == .off(seconds: 473, .enter))
  }

  @Test func `without sky a search is given up, and the pauses grow`() {
    var plan = SamplingPlan()
    _ = plan.take(Self.fix(0), Self.view { $0.enterSeconds = 104 }, by: Self.configuration)
    var pauses: [Double] = []
    var searches: [Double] = []
    for _ in 0..<6 {
      let on = plan.nextDeadline!
      #expect(Self.fire(&plan, at: on)?.isOn == true)
      let end = plan.nextDeadline!
      searches.append(on.seconds(to: end))
      let order = Self.fire(&plan, at: end)
      #expect(order?.reason == .noSky)
      pauses.append(order?.pauseSeconds ?? 0)
    }
    #expect(searches == [90, 30, 30, 30, 30, 30])
    #expect(pauses == [60, 120, 240, 300, 300, 300])
    // A fix ends that.
    let on = plan.nextDeadline!
    Self.fire(&plan, at: on)
    let order = plan.take(
      Self.fix(Drive.instant(2).seconds(to: on)), Self.view { $0.enterSeconds = 300 }, by: Self.configuration)
    #expect(order?.reason == .enter)
  }

  @Test func `a machine at rest is looked at less and less often`() {
    var plan = SamplingPlan()
    var seconds = 0.0
    var pauses: [Double] = []
    for _ in 0..<8 {
      let order = plan.take(Self.fix(seconds), Self.view { $0.laxExitSeconds = 124 }, by: Self.configuration)
      pauses.append((order?.pauseSeconds ?? 0).rounded())
      let due = plan.nextDeadline!
      Self.fire(&plan, at: due)
      seconds = Drive.instant(0).seconds(to: due) + 2
    }
    #expect(pauses == [120, 120, 178, 268, 298, 298, 298, 298])
    // Setting out ends that.
    let order = plan.take(
      Self.fix(seconds, east: 500), Self.view { $0.laxExitSeconds = 124 }, by: Self.configuration)
    #expect(order == .off(seconds: 120, .exit))
  }

  @Test func `at rest in a region that says how late its exit may be told, that decides`() {
    var plan = SamplingPlan()
    var seconds = 0.0
    for look in 0..<6 {
      let view = Self.view {
        $0.exitSeconds = 64
        $0.exitLatencySeconds = 60
        $0.laxExitSeconds = 124
      }
      // At rest a tenth is added, from the third look on.
      let order = plan.take(Self.fix(seconds), view, by: Self.configuration)
      #expect(order == .off(seconds: look < 2 ? 60 : 66, .exit), "\(look)")
      let due = plan.nextDeadline!
      Self.fire(&plan, at: due)
      seconds = Drive.instant(0).seconds(to: due) + 2
    }
  }

  @Test func `a search begins when the receiver was switched on, however late`() {
    var plan = SamplingPlan()
    _ = plan.take(Self.fix(0), Self.view { $0.enterSeconds = 104 }, by: Self.configuration)
    // The machine slept for an hour: the order is as old, the search is not.
    #expect(plan.fire(at: plan.nextDeadline!, by: Self.configuration)?.isOn == true)
    #expect(plan.nextDeadline == nil)
    plan.open(at: Drive.instant(3700), timeToFixSeconds: 2, by: Self.configuration)
    #expect(plan.nextDeadline == Drive.instant(3790))
    // Who asked is gone: there is no search to give up.
    plan.release()
    #expect(plan.nextDeadline == nil)
  }

  @Test(arguments: [(104.0, 100.0), (9000, 1798)])
  func `a pause is over when it was to be, however late the receiver was switched on`(
    enter: Double, pause: Double
  ) {
    var plan = SamplingPlan()
    _ = plan.take(Self.fix(0), Self.view { $0.enterSeconds = enter }, by: Self.configuration)
    let due = plan.nextDeadline!
    _ = plan.fire(at: due, by: Self.configuration)
    plan.open(at: Drive.instant(20_000), timeToFixSeconds: 2, by: Self.configuration)
    #expect(plan.pausedSeconds(since: Drive.instant(0)) == pause)
    // It was on all the time that nobody read from it.
    _ = plan.take(Self.fix(20_002), Self.view { $0.needsEach = true }, by: Self.configuration)
    plan.open(at: Drive.instant(40_000), timeToFixSeconds: 2, by: Self.configuration)
    #expect(plan.pausedSeconds(since: Drive.instant(20_002)) == 0)
  }

  @Test func `a pause that a new need cuts short is over then`() {
    var plan = SamplingPlan()
    _ = plan.take(Self.fix(0), Self.view { $0.enterSeconds = 9000 }, by: Self.configuration)
    let order = plan.revise(
      Self.view { $0.enterSeconds = 100 }, lastFix: Drive.instant(0), at: Drive.instant(900),
      by: Self.configuration)
    #expect(order?.isOn == true && plan.pausedSeconds(since: Drive.instant(0)) == 900)
  }

  @Test func `who comes to need more is served at once`() {
    var plan = SamplingPlan()
    _ = plan.take(Self.fix(0), Self.view { $0.enterSeconds = 500 }, by: Self.configuration)
    let order = plan.revise(
      Self.view { $0.needsEach = true }, lastFix: Drive.instant(0), at: Drive.instant(10),
      by: Self.configuration)
    #expect(order == .on(.needed))
  }

  @Test func `a new region near by brings the next fix forward`() {
    var plan = SamplingPlan()
    _ = plan.take(Self.fix(0), Self.view { $0.enterSeconds = 500 }, by: Self.configuration)
    func revise(_ enter: Double) -> ReceiverOrder? {
      plan.revise(
        Self.view { $0.enterSeconds = enter }, lastFix: Drive.instant(0), at: Drive.instant(100),
        by: Self.configuration)
    }
    #expect(revise(500) == nil)
    #expect(revise(204) == .off(seconds: 100, .enter))
    #expect(revise(60) == .on(.enter))
  }
}

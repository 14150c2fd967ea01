import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationLab

/// Why something did, or did not, happen: asked of a state file and of a recording.
@Suite struct ExplanationTests {
  private static let home = Region(
    id: "home", shape: .circle(center: Drive.origin, radiusMeters: 100), notify: [.enter, .exit, .dwell],
    dwellSeconds: 60)

  /// At half past six, from 1 km in the east to the middle of a place at 10 m/s; there is a fix each second with an
  /// error of 20 m (10 m for the last 40 s), one of them nonsense.
  private static let coming: [Stamped] = {
    var drive = Drive()
    drive.add(0, .addRegion(home))
    drive.add(0, .addSubscriber(Subscriber(name: "logger", services: [.regions]), .suspended))
    drive.add(0, .addSubscriber(Subscriber(name: "shy", authorization: .whenInUse), .suspended))
    drive.add(
      0, .addSubscriber(Subscriber(name: "tourist", services: [.regions], regions: ["museum"]), .suspended))
    for second in 1...180 {
      let east = max(0, 1_000 - 10 * Double(second))
      drive.fix(Double(second), east: second == 95 ? 90_000 : east, accuracy: second > 140 ? 10 : 20)
    }
    return drive.events
  }()

  private static func time(_ seconds: Double) -> UTCTime {
    UTCTime(microseconds: Drive.instant(seconds).microseconds)
  }

  @Test func `why a region did not fire: one weak fix, and what it lacks`() throws {
    let past = try Past(Self.coming)
    let answer = try past.explain(Question(at: Self.time(91), region: "home"))
    #expect(answer("time")?.string == "2026-05-01T06:01:31.000Z")
    #expect(answer("report", "verdict") == .string("accepted"))
    #expect(answer("fix", "acc_m")?.double == 20)
    #expect(answer("fix", "acc_source") == .string("reported"))
    let home = try #require(answer.list("regions").first)
    #expect(answer.list("regions").count == 1)
    #expect(home("region") == .string("home"))
    #expect(home("rule") == .string("B4"))
    #expect(home("state_before") == .string("outside") && home("state_after") == .string("outside"))
    #expect(try abs(#require(home("edge_m")?.double) + 10) < 0.1)
    #expect(try (0.5...0.9).contains(#require(home("p_inside")?.double)))
    #expect(home("reason") == .string("weak"))
    let clear = try #require(home.list("needs").first { $0("way") == .string("clear") })
    // 4.5 standard deviations, 1.515 of which make 20 m.
    #expect(try abs(#require(clear("beyond_m")?.double) - 4.5 * 20 / 1.5151729) < 0.01)
    #expect(try abs(#require(clear("lacks_m")?.double) - 49.4) < 0.1)
    #expect(try abs(#require(clear("acc_m")?.double) - 10 * 1.5151729 / 4.5) < 0.1)
    #expect(clear("fixes")?.integer == 0 && clear("of_fixes")?.integer == 3)
    #expect(home("next", "type") == .string("region.enter"))
    #expect(home("last", "type") == .string("region.state"))
  }

  @Test func `a filter of a subscriber counts for what it would have been told`() throws {
    var events = Self.coming
    for (name, kind) in [
      ("closed", EventKind.exit), ("busy", .enter), ("waiting", .dwell), ("passing", .cross),
      ("visitor", .arrive),
    ] {
      var subscriber = Subscriber(name: name, services: [.regions])
      subscriber.filter = OfferFilter()
      subscriber.filter?.kinds = [kind]
      // It is six by day.
      if name == "closed" { subscriber.filter?.hours = DayHours(from: 0, to: 60) }
      if name == "busy" { subscriber.filter?.cooldownSeconds = 3_600 }
      events.insert(Stamped(at: Drive.instant(0), .addSubscriber(subscriber, .suspended)), at: 1)
    }
    let past = try Past(events)
    let answer = try past.explain(Question(at: Self.time(179), region: "home"))
    func reason(_ name: String, in answer: Answer) -> String? {
      answer.list("subscribers").first { $0("subscriber") == .string(name) }?("would", "reason")?.string
    }
    #expect(reason("closed", in: answer) == "outside_hours")
    #expect(reason("busy", in: answer) == "cooldown")
    #expect(reason("waiting", in: answer) == "back_off")
    // The region reports no passing through, and no visit.
    #expect(reason("passing", in: answer) == "other_events")
    #expect(reason("visitor", in: answer) == "other_events")

    let enter = try #require(
      past.records.first { if case .region(let event) = $0.body { event.kind == .enter } else { false } })
    let told = try past.explain(Question(event: enter.id))
    #expect(reason("closed", in: told) == "other_events")
    #expect(reason("tourist", in: told) == "other_regions")
    #expect(reason("busy", in: told) == nil)
    let text = try Explanation(Question(event: enter.id), state: past.path).text(in: .utc)
    #expect(text.contains("it asks for other events: not told"), "\(text)")
  }

  /// - Parameter isLive: whether the system's clock is known, by which the first fixes are refused.
  @Test(arguments: [false, true])
  func `what a machine noted by a clock that was ahead hides no fix that followed`(isLive: Bool) throws {
    var drive = Drive()
    drive.add(0, .addRegion(Region(id: "home", shape: .circle(center: Drive.origin, radiusMeters: 100))))
    for second in 1...30 { drive.fix(Double(second), east: 2_000) }
    // It boots two hours ahead; its fixes have the true time.
    drive.add(7_240, .machine(.absent(true)))
    drive.add(7_240, .machine(.reboot))
    drive.add(7_240, .machine(.absent(false)))
    for second in 60...120 {
      var report = Drive.report(Double(second), east: 0)
      if isLive { report.received = Self.time(7_200 + Double(second)) }
      drive.add(7_200 + Double(second), .fix(report))
    }
    drive.add(7_330, .machine(.lowPower(true)))
    let past = try Past(drive.events)
    var explaining = EngineConfiguration()
    explaining.explains = true
    #expect(drive.effects(explaining).records.contains { $0.type == "fix.rejected" } == isLive)
    for second in [20.0, 50, 90, 119] {
      let question = Question(at: Self.time(second), region: "home")
      let isHome = second > 60
      for answer in try [past.explain(question), Explanation(question, recording: past.recording).tree] {
        #expect(answer("fix", "time")?.string == Self.time(second == 50 ? 30 : second).rfc3339, "\(second)")
        let state = answer.list("regions").first?("state_after")
        #expect(state == .string(isHome ? "inside" : "outside"), "\(second)")
      }
    }
  }

  @Test func `what each subscriber would have been told, by which rule, and why not`() throws {
    let past = try Past(Self.coming)
    let answer = try past.explain(Question(at: Self.time(91), region: "home"))
    let told = Dictionary(
      uniqueKeysWithValues: answer.list("subscribers").map { ($0("subscriber")?.string, $0("would")) })
    #expect(told["logger"]??("action") == .string("wake"))
    #expect(told["logger"]??("rule") == .string("B4"))
    #expect(told["shy"]??("action") == .string("refuse"))
    #expect(told["shy"]??("rule") == .string("B8"))
    #expect(told["shy"]??("reason") == .string("needs_always"))
    #expect(told["tourist"]??("action") == .string("none"))
    #expect(told["tourist"]??("reason") == .string("other_regions"))
    let one = try past.explain(Question(at: Self.time(91), subscriber: "logger"))
    let services = one.list("subscribers")[0].list("would").map { $0("service")?.string }
    #expect(one.list("subscribers").count == 1)
    #expect(services == ["significant-change", "regions", "visits"])
    #expect(one("subscribers", "would", "reason") == .string("no_service"))
  }

  @Test func `B8 who may know a coarse position only would be told of no region, whichever it is`() throws {
    var drive = Drive()
    drive.add(0, .addRegion(Self.home))
    let coarse = Subscriber(name: "coarse", services: [.regions], accuracy: .reduced)
    drive.add(0, .addSubscriber(coarse, .suspended))
    for second in 1...20 { drive.fix(Double(second), east: 0) }
    let past = try Past(drive.events)
    let any = try past.explain(Question(at: Self.time(10))).list("subscribers")[0].list("would")
    let one = try past.explain(Question(at: Self.time(10), region: "home"))
    let would = any.first { $0("service") == .string("regions") }
    #expect(would?("action") == .string("refuse") && would?("reason") == .string("reduced"))
    #expect(one("subscribers", "would", "action") == .string("refuse"))
    #expect(one("subscribers", "would", "reason") == .string("reduced"))
  }

  @Test func `a report that was not believed is told with its reason, and the fix before it`() throws {
    let past = try Past(Self.coming)
    let answer = try past.explain(Question(at: Self.time(95), region: "home"))
    #expect(answer("report", "verdict") == .string("rejected"))
    #expect(answer("report", "reason") == .string("speed"))
    #expect(answer("fix", "time") == .string("2026-05-01T06:01:34.000Z"))
    #expect(answer("fix", "age_s")?.double == 1)
    let text = try Explanation(Question(at: Self.time(95), region: "home"), state: past.path).text(in: .utc)
    #expect(
      text.contains("reaching it takes more than 360.0 km/h; 3 reports in a row that agree are believed"))
  }

  @Test func `an event is told with its fix, its decisions, and the states before and after`() throws {
    let past = try Past(Self.coming)
    let id = try #require(past.ids("region.enter").first)
    let answer = try past.explain(Question(event: id))
    #expect(answer("event", "id")?.integer == id)
    #expect(answer("regions", "state_before") == .string("outside"))
    #expect(answer("regions", "state_after") == .string("inside"))
    #expect(answer("regions", "reason") == .string("entered"))
    let decisions = answer.list("decisions")
    #expect(decisions.prefix(2).map { $0("subscriber")?.string } == ["logger", "shy"])
    #expect(decisions.prefix(2).map { $0("action")?.string } == ["wake", "refuse"])
    // Nobody acknowledges it, so it is tried again, but for the time in which the subscriber is throttled.
    #expect(Set(decisions.dropFirst(2).map { $0("action")?.string }) == ["relaunch", "defer"])
    #expect(decisions.filter { $0("action") == .string("defer") }.allSatisfy { $0("rule") == .string("K2") })
    #expect(answer("regions", "last", "type") == .string("region.state"))
    #expect(answer("regions", "next", "type") == .string("region.dwell"))
  }

  @Test func `an event of a deadline is told as it was then, not with the fix that came after`() throws {
    let past = try Past(Self.coming)
    let id = try #require(past.ids("region.dwell").first)
    let dwell = try #require(past.records.first { $0.id == id })
    let answer = try past.explain(Question(event: id))
    #expect(answer("event", "type") == .string("region.dwell"))
    #expect(answer("time") == .string(dwell.time.rfc3339))
    let fix = try #require(answer("fix", "time")?.string.flatMap { UTCTime(rfc3339: $0) })
    #expect(fix <= dwell.time)
    let before = try past.explain(Question(at: dwell.time.advanced(bySeconds: -10), region: "home"))
    let need = try #require(before.list("regions")[0].list("needs").first { $0("way") == .string("dwelled") })
    #expect(need("of_seconds")?.double == 60)
    #expect(try abs(#require(need("seconds")?.double) - 50) <= 1)
  }

  @Test func `a report can be asked about by its id`() throws {
    let past = try Past(Self.coming)
    // Reports and records are counted together.
    let answer = try past.explain(Question(event: 1))
    #expect(answer("event", "type") == .string("fix.accepted"))
    #expect(answer("fix", "time") == .string("2026-05-01T06:00:01.000Z"))
  }

  @Test func `what followed from an event was not told before it`() throws {
    let past = try Past(Self.coming)
    for record in past.records {
      let answer = try past.explain(Question(event: record.id))
      let told = answer.list("regions") + answer.list("subscribers")
      for last in told.compactMap({ $0("last", "id")?.integer }) { #expect(last < record.id) }
      let text = try Explanation(Question(event: record.id), state: past.path).text(in: .utc)
      #expect(!text.contains("{"), "\(text)")
      let isDecision = if case .decision = record.body { true } else { false }
      #expect(!isDecision || !text.contains("no subscriber was told"), "\(text)")
    }
  }

  @Test func `what a notification says is told only where that is asked for`() async throws {
    var drive = Drive()
    drive.add(0, .addSubscriber(Subscriber(name: "timer"), .active))
    drive.add(0, .machine(.notifier(true)))
    for second in 1...20 { drive.fix(Double(second), east: 0) }
    let tea = LocalNotification(id: "tea", title: "Steep no more", when: .after(seconds: 5))
    drive.add(20, .subscriber(name: "timer", .mode(.notify(tea))))
    for second in 21...40 { drive.fix(Double(second), east: 0) }
    let past = try Past(drive.events)
    let id = try #require(past.ids("notification").first)
    var explanation = try Explanation(Question(event: id), state: past.path)
    #expect(explanation.text(in: .utc).contains("notification tea"))
    #expect(!(explanation.text(in: .utc) + explanation.tree.text).contains("Steep"))
    explanation.tellsNotifications = true
    #expect(explanation.text(in: .utc).contains("Steep") && explanation.tree.text.contains("Steep"))
    var request = ReplayRequest()
    for tells in [false, true] {
      request.reportPath = past.folder("report.html")
      request.tellsNotifications = tells
      let output = try OutputFile(path: past.folder("out"))
      _ = try await Replay.run([past.recording], request, to: output) { _ in }
      let page = try String(contentsOfFile: past.folder("report.html"), encoding: .utf8)
      #expect(page.contains("notification tea") && page.contains("Steep") == tells)
    }
  }

  @Test func `regions that were not weighed are counted, and told of where one is asked for`() throws {
    let past = try Past(Self.coming)
    let text = try Explanation(Question(at: Self.time(5)), state: past.path).text(in: .utc)
    #expect(text.contains("1 where the fix could change nothing; --region tells of one\n"), "\(text)")
    let asked = try Explanation(Question(at: Self.time(5), region: "home"), state: past.path).text(in: .utc)
    #expect(!asked.contains("could change nothing"), "\(asked)")
  }

  @Test func `what a fix said of a region is not told of it after it was moved`() throws {
    var moved = Self.home
    moved.shape = .circle(center: Coordinate(uncheckedLatitude: 50, longitude: 11), radiusMeters: 100)
    var renamed = Self.home
    renamed.name = "At home"
    let changes: [(events: [Event], isMoved: Bool)] = [
      ([.changeRegion(moved)], true), ([.changeRegion(renamed)], false),
      ([.removeRegion(id: "home"), .addRegion(moved)], true),
    ]
    for (events, isMoved) in changes {
      let past = try Past(Self.coming + events.map { Stamped(at: Drive.instant(181), $0) })
      let question = Question(at: Self.time(182), region: "home")
      let answer = try past.explain(question)
      #expect((answer("regions", "edge_m") == nil) == isMoved, "\(answer)")
      let text = try Explanation(question, state: past.path).text(in: .utc)
      #expect(text.contains("unknown: no fix since it was added or moved\n") == isMoved, "\(text)")
    }
  }

  @Test func `B11 of a region of beacons it tells whether one is there, and what was told`() throws {
    let beacon = try #require(Beacon("f7826da6-4fa2-4e98-8024-bc5b71e0893e:1:2"))
    var drive = Drive()
    drive.add(0, .addRegion(Region(id: "desk", shape: .beacon(beacon))))
    for second in 1...60 {
      drive.fix(Double(second), east: 0)
      if second == 10 { drive.add(10, .beacon(.seen(beacon, seconds: 5))) }
    }
    let past = try Past(drive.events)
    func text(at second: Double) throws -> String {
      try Explanation(Question(at: Self.time(second), region: "desk"), state: past.path).text(in: .utc)
    }
    let before = try text(at: 5)
    #expect(before.contains("unknown (B11): no beacon of it has been seen\n"), "\(before)")
    #expect(before.contains("entered desk"), "\(before)")
    let inside = try text(at: 20)
    #expect(inside.contains("inside (B11): a beacon of it is there\n"), "\(inside)")
    let after = try text(at: 50)
    #expect(after.contains("outside (B11): no beacon of it is there\n"), "\(after)")
  }

  @Test(arguments: [1, 7, 50])
  func `snapshots change no answer, however many there are`(rows: Int) throws {
    let plain = try Past(Self.coming)
    let past = try Past(Self.coming, snapshotEvery: rows)
    for second in [1.0, 91, 95, 114, 180] {
      for region in ["home", nil] {
        let question = Question(at: Self.time(second), region: region)
        #expect(try past.explain(question) == plain.explain(question), "second \(second)")
      }
    }
    for record in plain.records {
      #expect(try past.explain(Question(event: record.id)) == plain.explain(Question(event: record.id)))
    }
  }

  @Test func `a recording gives the same answer, but for what is looked up in records`() throws {
    let past = try Past(Self.coming)
    func without(_ tree: Answer) -> Answer {
      switch tree {
      case .object(let members):
        .object(
          members.filter { $0.key != "next" && $0.key != "last" }.map {
            .init(key: $0.key, value: without($0.value))
          })
      case .array(let elements): .array(elements.map(without))
      case .string, .number, .boolean, .null: tree
      }
    }
    let moments = [Question(), Question(at: Self.time(91), region: "home"), Question(at: Self.time(95))]
    for question in moments + past.records.map({ Question(event: $0.id) }) {
      let answer = try Explanation(question, recording: past.recording).tree
      #expect(try without(answer) == without(past.explain(question)), "\(question)")
    }
  }

  @Test func `how far a visit was, and that one is under way`() throws {
    var drive = Drive()
    for second in 0..<400 { drive.fix(Double(second), east: 0) }
    let past = try Past(drive.events)
    let before = try past.explain(Question(at: Self.time(130)))
    #expect(before("visit", "rule") == .string("B5") && before("visit", "stage") == .string("moving"))
    #expect(before("visit", "stay_s")?.double == 130 && before("visit", "needed_s")?.double == 300)
    let text = try Explanation(Question(at: Self.time(130)), state: past.path).text(in: .utc)
    #expect(text.contains("2 min 10 s at one place (B5); a visit takes 5 min\n"))
    #expect(try past.explain(Question(at: Self.time(350)))("visit", "stage") == .string("visiting"))
  }

  @Test func `a time in whole seconds means all of that second`() throws {
    var drive = Drive()
    drive.add(0, .addRegion(Self.home))
    for half in 1...20 { drive.fix(0.5 * Double(half), east: 500 - Double(half)) }
    let past = try Past(drive.events)
    #expect(
      try past.explain(Question(at: Self.time(3)))("fix", "time") == .string("2026-05-01T06:00:03.500Z"))
    #expect(
      try past.explain(Question(at: Self.time(3.25)))("fix", "time") == .string("2026-05-01T06:00:03.000Z"))
  }

  @Test func `the settings of the moment count, not those of today`() throws {
    var later = EngineConfiguration()
    later.significant.distanceMeters = 5_000
    let past = try Past(Self.coming, changed: (at: 100, to: later))
    func needed(_ second: Double) throws -> Double {
      try past.explain(Question(at: Self.time(second)))("significant", "needed_m")?.double ?? 0
    }
    #expect(try (500...560).contains(needed(80)))
    #expect(try needed(120) >= 5_000)
    #expect(try past.explain(Question())("significant", "rule") == .string("B1"))
  }
}

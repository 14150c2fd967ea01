import LocationCore
import LocationRuntime
import TestSupport
import Testing

@Suite struct DateNoticeTests {
  /// What is said after so many fixes of this age, seconds; negative where they are ahead.
  private func texts(_ count: Int, age: Double, reason: RejectReason = .stale) -> [String] {
    var notice = DateNotice()
    return (0..<count).compactMap { second in
      var report = Drive.report(Double(second), east: 0)
      report.received = report.time?.advanced(bySeconds: age)
      return notice.text(after: .fixRejected(reason, report))
    }
  }

  @Test func `a log of another day is told of once, with the remedy`() {
    let texts = texts(10, age: 86_400 * 203 + 7_200)
    #expect(
      texts == [
        "the fixes are of 2026-05-01, 203 d 2 h ago, and are rejected: --simulated takes those of a log (gpsfake); otherwise set the system clock"
      ])
  }

  @Test func `a clock that is behind is told of as well`() {
    #expect(
      texts(3, age: -86_400 * 2, reason: .future).first?.contains("2 d ahead, and are rejected: --simulated")
        == true)
  }

  @Test func `a clock that is an hour off is told of, also where fixes take a while to come`() {
    #expect(texts(3, age: -3_599.98, reason: .future).first?.contains("ahead, and are rejected") == true)
    #expect(texts(3, age: 3_600.4).first?.contains("1 h ago, and are rejected") == true)
  }

  @Test(arguments: [1.0, -1]) func `a date that is 1024 weeks off has another remedy`(sign: Double) {
    let texts = texts(3, age: sign * (1_024 * 7 * 86_400 + 5), reason: sign > 0 ? .stale : .future)
    #expect(texts.count == 1)
    #expect(
      texts.first?.hasSuffix("the receiver's date is 1024 weeks off; update gpsd or the receiver") == true)
  }

  @Test func `two fixes, delay, and other reasons are no cause`() {
    #expect(texts(2, age: 1e6).isEmpty)
    #expect(texts(50, age: 600).isEmpty)
    #expect(texts(50, age: 1e6, reason: .speed).isEmpty)
    #expect(texts(50, age: 1e6, reason: .late).isEmpty)
  }

  @Test func `a fix that is believed begins the count again`() {
    var notice = DateNotice()
    var report = Drive.report(0, east: 0)
    report.received = report.time?.advanced(bySeconds: 1e6)
    let fix = Fix(
      time: UTCTime(microseconds: Drive.epoch), instant: Drive.instant(0), coordinate: Drive.origin,
      accuracy: Accuracy(radiusMeters: 5, source: .reported))
    for _ in 0..<5 {
      #expect(notice.text(after: .fixRejected(.stale, report)) == nil)
      #expect(notice.text(after: .fixRejected(.stale, report)) == nil)
      #expect(notice.text(after: .fixAccepted(fix, [], nil)) == nil)
    }
  }

  /// What is said in a watch of a source whose third fix is accepted, as the gate does where they keep pace.
  private func textsOfSteady(age: Double, isClockFirst: Bool = false) -> [String] {
    var notice = DateNotice()
    let fix = Fix(
      time: UTCTime(microseconds: Drive.epoch), instant: Drive.instant(0), coordinate: Drive.origin,
      accuracy: Accuracy(radiusMeters: 5, source: .reported))
    var bodies: [Record.Body] = (0..<2).map { second in
      var report = Drive.report(Double(second), east: 0)
      report.received = report.time?.advanced(bySeconds: age)
      return .fixRejected(.stale, report)
    }
    for _ in 0..<10 { bodies.append(.fixAccepted(fix, [], nil)) }
    bodies.insert(.clock(seconds: -age), at: isClockFirst ? 2 : 3)
    return bodies.compactMap { notice.text(after: $0) }
  }

  @Test func `dates that keep pace with the clock are told to be accepted, and not to be rejected`() {
    #expect(
      textsOfSteady(age: 86_400) == [
        "the fixes are of 2026-05-01, 1 d ago, and keep pace with the system clock: they are accepted, with these dates; set the clock that is wrong, or take a log (gpsfake) by --simulated"
      ])
    #expect(textsOfSteady(age: 86_400, isClockFirst: true) == textsOfSteady(age: 86_400))
    #expect(
      textsOfSteady(age: 1_024 * 7 * 86_400).first?.contains("1024 weeks off, and is put right; update")
        == true)
  }

  @Test func `of accepted fixes those are told that are an hour off, once`() {
    var notice = DateNotice()
    let texts = (0..<5).compactMap { second in
      var report = Drive.report(Double(second), east: 0)
      report.received = report.time?.advanced(bySeconds: second == 0 ? 5 : 1e6)
      return notice.text(after: report, isAccepted: true)
    }
    #expect(texts.count == 1)
    #expect(texts.first?.contains("accepted") == true)
  }

  @Test func `a clock that moves when no dates were rejected is no news here`() {
    var notice = DateNotice()
    #expect(notice.text(after: .clock(seconds: 1e6)) == nil)
  }

  @Test func `rejected dates of long ago are no reason of a clock that moves`() {
    var notice = DateNotice()
    var report = Drive.report(0, east: 0)
    report.received = report.time?.advanced(bySeconds: 86_400)
    let fix = Fix(
      time: UTCTime(microseconds: Drive.epoch), instant: Drive.instant(0), coordinate: Drive.origin,
      accuracy: Accuracy(radiusMeters: 5, source: .reported))
    let accepted = Record.Body.fixAccepted(fix, [], nil)
    for body in [.fixRejected(.stale, report), accepted, accepted, .clock(seconds: 1e6)] {
      #expect(notice.text(after: body) == nil)
    }
  }
}

import LocationCore
import LocationFormats
import LocationLab
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
        "the fixes are of 2026-05-01, 203 d 2 h ago: --simulated takes those of a log (gpsfake); otherwise set the system clock"
      ])
  }

  @Test func `a clock that is behind is told of as well`() {
    #expect(texts(3, age: -86_400 * 2, reason: .future).first?.contains("2 d ahead: --simulated") == true)
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
}

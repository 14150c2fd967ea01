import LocationCore
import TestSupport
import Testing

/// What is not known of the position while there is no source of fixes.
@Suite struct SourceLossTests {
  @Test(
    arguments: [(.silent, 60), (.noFix, 60), (.noDevice, 100), (.lost, 100)]
      as [(SourceEvent.Staleness, Double)])
  func `B4 a dwell that comes due while the source is gone waits for the next fix`(
    reason: SourceEvent.Staleness, toldAt seconds: Double
  ) {
    var drive = Drive()
    var home = Region(id: "home", shape: .circle(center: Drive.origin, radiusMeters: 100))
    home.notify = [.dwell]
    home.dwellSeconds = 60
    drive.add(-1, .addRegion(home))
    for second in 0..<3 { drive.fix(Double(second), east: 0) }
    drive.add(10, .source(.stale(reason, seconds: 8)))
    drive.add(90, .time)
    drive.fix(100, east: 0)
    let dwells = drive.effects().records.filter { $0.type == "region.dwell" }
    #expect(dwells.map(\.time) == [UTCTime(microseconds: Drive.instant(seconds).microseconds)])
  }
}

import LocationCore
import Testing

@Suite("A track of gpsd's reports")
struct GPSDTrackTests {
  /// A report of a device at a second, at a latitude that tells it from others.
  static func report(
    _ device: Int = 0, at second: Int64?, latitude: Double = 48, mode: FixMode = .threeD, eph: Double? = nil,
    epx: Double? = nil, epy: Double? = nil, isDeadReckoned: Bool = false
  ) -> GPSDReport {
    GPSDReport(
      device: device,
      fix: FixReport(
        time: second.map { UTCTime(microseconds: $0 * 1_000_000) }, latitude: latitude, longitude: 11,
        accuracy: .assumed(mode), mode: mode),
      horizontalErrorMeters: eph, eastErrorMeters: epx, northErrorMeters: epy, isDeadReckoned: isDeadReckoned)
  }

  /// The latitudes that come out; a break is nil.
  static func latitudes(_ items: [TrackItem]) -> [Double?] {
    items.map { if case .fix(let fix) = $0 { fix.latitude } else { nil } }
  }

  static func track(_ reports: [GPSDReport]) -> [Double?] {
    var track = GPSDTrack(assumeAccuracyMeters: nil)
    var items: [TrackItem] = []
    for report in reports { track.tpv(report, into: &items) }
    track.flush(into: &items)
    return latitudes(items)
  }

  @Test("of several reports of one time the last one is the fix, once another time comes")
  func coalescing() {
    var track = GPSDTrack(assumeAccuracyMeters: nil)
    var items: [TrackItem] = []
    track.tpv(Self.report(at: 1, latitude: 1), into: &items)
    track.tpv(Self.report(at: 1, latitude: 2), into: &items)
    #expect(items.isEmpty)
    track.tpv(Self.report(at: 2, latitude: 3), into: &items)
    #expect(Self.latitudes(items) == [2])
    track.flush(into: &items)
    track.flush(into: &items)
    #expect(Self.latitudes(items) == [2, 3])
  }

  @Test("a report without a position never takes one away")
  func partialReports() {
    let none = Self.report(at: 1, latitude: .nan, mode: .noFix)
    #expect(Self.track([Self.report(at: 1, latitude: 1), none]) == [1])
    #expect(Self.track([none, Self.report(at: 1, latitude: 1)]) == [1])
  }

  @Test("a report without a time is a fix of its own")
  func untimed() {
    let untimed = Self.report(at: nil, latitude: 9)
    #expect(Self.track([Self.report(at: 1, latitude: 1), untimed, untimed]) == [1, 9, 9])
  }

  @Test("another device is used only after ten seconds without a position from the first")
  func deviceLock() {
    var reports = (0..<5).flatMap { second in
      [Self.report(0, at: second, latitude: 1), Self.report(1, at: second, latitude: 2)]
    }
    #expect(Self.track(reports) == [1, 1, 1, 1, 1])
    reports += [13, 14, 15].map { Self.report(1, at: $0, latitude: 2) }
    #expect(Self.track(reports) == [1, 1, 1, 1, 1, nil, 2, 2])
    reports.append(Self.report(0, at: 16, latitude: 1))
    #expect(Self.track(reports) == [1, 1, 1, 1, 1, nil, 2, 2])
  }

  @Test("a device without a position does not hold the place of one that has it")
  func noFixIsSilence() {
    let reports =
      [Self.report(0, at: 0, latitude: 1)]
      + (1..<13).flatMap { second in
        [
          Self.report(0, at: second, latitude: .nan, mode: .noFix),
          Self.report(1, at: second, latitude: 2),
        ]
      }
    let fixes = Self.track(reports).compactMap { $0 }.filter { !$0.isNaN }
    #expect(fixes == [1, 2, 2, 2])
  }

  @Test("a device that gpsd has let go gives its place at once")
  func lostDevice() {
    var track = GPSDTrack(assumeAccuracyMeters: nil)
    var items: [TrackItem] = []
    track.tpv(Self.report(0, at: 1, latitude: 1), into: &items)
    track.lost(1, into: &items)
    #expect(items.isEmpty)
    track.lost(0, into: &items)
    track.tpv(Self.report(1, at: 2, latitude: 2), into: &items)
    track.flush(into: &items)
    #expect(Self.latitudes(items) == [1, nil, 2])
  }

  @Test(
    "accuracy is eph by what the driver means, else the larger of epx and epy, else assumed",
    arguments: [
      (GPSDTrack.Driver.nmea0183, report(at: 1, eph: 17.1), 10.585),
      (.other, report(at: 1, eph: 17.1), 17.1),
      (.other, report(at: 1, epx: 10.18, epy: 9.57), 7.870),
      (.nmea0183, report(at: 1, eph: 17.1, epx: 1, epy: 1), 10.585),
      (.nmea0183, report(at: 1, eph: 0, epx: 1.96, epy: 1), 1.515),
      (.other, report(at: 1, epx: 10), 11.761),
      (.other, report(at: 1), 11.761),
      (.other, report(at: 1, mode: .twoD), 23.522),
      (.other, report(at: 1, eph: 10, isDeadReckoned: true), 20),
    ])
  func accuracy(driver: GPSDTrack.Driver, report: GPSDReport, radiusMeters: Double) throws {
    var track = GPSDTrack(assumeAccuracyMeters: nil)
    var items: [TrackItem] = []
    track.found(0, driver: driver)
    track.tpv(report, into: &items)
    track.flush(into: &items)
    guard case .fix(let fix)? = items.first else {
      Issue.record("no fix")
      return
    }
    #expect(abs(fix.accuracy.radiusMeters - radiusMeters) < 0.001)
    let isAssumed = report.horizontalErrorMeters == nil && report.northErrorMeters == nil
    #expect(fix.accuracy.source == (isAssumed ? .assumed : .reported))
  }

  @Test("a GST report younger than three seconds says how good the fix is")
  func gst() {
    var track = GPSDTrack(assumeAccuracyMeters: nil)
    var items: [TrackItem] = []
    track.gst(device: 0, time: UTCTime(microseconds: 0), latitudeSigma: 3, longitudeSigma: 4)
    for second in [1, 2, 3] as [Int64] { track.tpv(Self.report(at: second, eph: 100), into: &items) }
    track.flush(into: &items)
    let radii = items.map { item -> Double in
      guard case .fix(let fix) = item else { return 0 }
      return (fix.accuracy.radiusMeters * 100).rounded()
    }
    #expect(radii == [536, 536, 10_000])
  }
}

extension GPSDTrack {
  /// A report of a recording, whose own time counts.
  fileprivate mutating func tpv(_ report: GPSDReport, into items: inout [TrackItem]) {
    let time = report.fix.time ?? UTCTime(microseconds: 0)
    tpv(report, at: EngineInstant(microseconds: time.microseconds), into: &items)
  }
}

/// One TPV report of gpsd, as its line says it.
package struct GPSDReport: Hashable, Sendable {
  /// Which device, by a number that the decoder gives to its path.
  package var device: Int
  /// Time, place, speed, course and altitude; its accuracy is settled by ``GPSDTrack``.
  package var fix: FixReport
  /// `eph`, metres; nil where gpsd gave none.
  package var horizontalErrorMeters: Double?
  /// `epx` and `epy`, metres at 95 %; nil where gpsd gave none.
  package var eastErrorMeters: Double?
  /// Metres north or south, as gpsd estimates it.
  package var northErrorMeters: Double?
  /// Whether the position is carried on from earlier ones without satellites.
  package var isDeadReckoned: Bool
  /// Whether the receiver itself calls the position simulated.
  package var isSimulated: Bool

  package init(
    device: Int, fix: FixReport, horizontalErrorMeters: Double? = nil, eastErrorMeters: Double? = nil,
    northErrorMeters: Double? = nil, isDeadReckoned: Bool = false, isSimulated: Bool = false
  ) {
    self.device = device
    self.fix = fix
    self.horizontalErrorMeters = horizontalErrorMeters
    self.eastErrorMeters = eastErrorMeters
    self.northErrorMeters = northErrorMeters
    self.isDeadReckoned = isDeadReckoned
    self.isSimulated = isSimulated
  }

  fileprivate var hasPosition: Bool { !fix.latitude.isNaN && !fix.longitude.isNaN }
}

/// Makes a track of gpsd's reports: one device, one fix an epoch, one meaning of accuracy.
///
/// gpsd mixes the reports of all its devices, and sends several for one epoch where it does not know when a
/// receiver's cycle ends (gpsd 3.22, `gpsd.c`, `all_reports`); the last one is the most complete.
///
/// Time is an argument here too: live it is when a report came, in a recording the time it states.
package struct GPSDTrack {
  /// What a device's driver means by `eph`.
  package enum Driver: Hashable, Sendable {
    /// gpsd models it from HDOP for 95 % (gpsd 3.22, `gpsd_error_model`).
    case nmea0183
    /// The receiver's own figure, whose level is not documented, or an unknown driver. It is taken as 68 %,
    /// the reading that claims less.
    case other
  }

  /// Seconds without a position from the device in use, after which another may take over.
  package static let silenceSeconds = 10.0
  /// Seconds for which another device has to be the more accurate one until it takes over.
  package static let betterSeconds = 30.0
  /// Another device is more accurate when its radius is below this share of the one in use: two receivers of a kind
  /// differ by less, and are not to take turns.
  package static let betterShare = 0.7
  /// How long a GST report, seconds, says how good the fixes of its device are.
  package static let gstLifetimeSeconds = 3.0
  /// Seconds without a SKY report of a device that sends them, after which its `eph` is one of earlier: gpsd repeats
  /// the last it has.
  package static let skyLifetimeSeconds = 10.0
  /// How much an `eph` of earlier may understate.
  private static let staleErrorFactor = 2.0
  /// Standard deviations in the 95 % interval of one axis.
  private static let sigmasIn95PercentOfOneAxis = 1.96
  /// Dead reckoning drifts; by how much nobody says.
  private static let deadReckoningFactor = 2.0

  private struct Device {
    var number: Int
    var driver: Driver
    var gstSigmaMeters: Double?
    var gstTime: UTCTime?
    var skyAt: EngineInstant?
    /// Since when it has been the more accurate one, and when it last said so.
    var betterSince: EngineInstant?
    var betterAt: EngineInstant?
  }

  private let assumeAccuracyMeters: Double?
  private var pace: EpochPace?
  private var devices: [Device] = []
  /// The device whose reports make the track; nil while none does.
  package private(set) var deviceInUse: Int?
  private var lastPositionAt: EngineInstant?
  private var lastRadiusMeters: Double?
  private var waiting: (report: GPSDReport, since: EngineInstant)?
  private var flushed: (time: UTCTime, hasPosition: Bool)?
  private var needsBreak = false
  private var hasFix = false
  /// Reports left out because they came from a device that is not in use.
  package private(set) var otherDevicesReports = 0

  /// - Parameters:
  ///   - assumeAccuracyMeters: the 68 % radius of a fix that does not tell its own; nil for a typical one.
  ///   - isLive: whether an epoch should end as soon as that can be known, rather than with the next one.
  package init(assumeAccuracyMeters: Double?, isLive: Bool = false) {
    self.assumeAccuracyMeters = assumeAccuracyMeters
    pace = isLive ? EpochPace() : nil
  }

  /// Since when an epoch has been open; nil where none is.
  package var openSince: EngineInstant? { waiting?.since }

  /// gpsd has told a device's driver, or that the device is there.
  package mutating func found(_ number: Int, driver: Driver?) {
    let index = index(of: number)
    if let driver { devices[index].driver = driver }
  }

  /// gpsd has let go of a device; the next one that reports is used.
  package mutating func lost(_ number: Int, into items: inout [TrackItem]) {
    guard deviceInUse == number else { return }
    flush(into: &items)
    deviceInUse = nil
    needsBreak = true
  }

  /// The connection to gpsd is a new one: the device in use has a while to report again before another may.
  package mutating func reconnected(at instant: EngineInstant) {
    waiting = nil
    if lastPositionAt != nil { lastPositionAt = instant }
  }

  /// A SKY report: the geometry that the device's `eph` is modelled from is fresh.
  package mutating func sky(device number: Int, at instant: EngineInstant) {
    let index = index(of: number)
    devices[index].skyAt = instant
  }

  /// A GST report: standard deviations along the axes, metres.
  package mutating func gst(device number: Int, time: UTCTime?, latitudeSigma: Double, longitudeSigma: Double)
  {
    let sigma = ((latitudeSigma * latitudeSigma + longitudeSigma * longitudeSigma) / 2).squareRoot()
    guard let time, sigma > 0, sigma.isFinite else { return }
    let index = index(of: number)
    devices[index].gstSigmaMeters = sigma
    devices[index].gstTime = time
  }

  /// A TPV report. The fix of its epoch is appended once the epoch is over.
  package mutating func tpv(_ report: GPSDReport, at instant: EngineInstant, into items: inout [TrackItem]) {
    guard takes(report, at: instant, into: &items) else {
      otherDevicesReports += 1
      return
    }
    if report.hasPosition, report.fix.time != nil { lastPositionAt = instant }
    guard let time = report.fix.time else {
      flush(into: &items)
      waiting = (report, instant)
      return flush(into: &items)
    }
    let isComplete = pace?.isComplete(with: time) ?? false
    if let previous = waiting, previous.report.fix.time == time {
      // A report without a position never removes one, unless the receiver calls the position simulated.
      if report.hasPosition || report.isSimulated || !previous.report.hasPosition { waiting?.report = report }
    } else if let flushed, flushed.time == time, flushed.hasPosition || !report.hasPosition {
      // Its epoch had been taken to be over.
    } else {
      flush(into: &items)
      waiting = (report, instant)
    }
    if isComplete { flush(into: &items) }
  }

  /// Appends the fix that waits for the end of its epoch, if there is one.
  package mutating func flush(into items: inout [TrackItem]) {
    guard let (report, instant) = waiting else { return }
    waiting = nil
    flushed = report.fix.time.map { ($0, report.hasPosition) }
    if needsBreak, hasFix { items.append(.segmentBreak) }
    needsBreak = false
    hasFix = true
    var fix = report.fix
    fix.accuracy = accuracy(of: report, at: instant)
    if report.hasPosition { lastRadiusMeters = fix.accuracy.radiusMeters }
    items.append(.fix(fix))
  }
}

// MARK: - Which device

extension GPSDTrack {
  /// Whether a report's device is the one in use; it may become that.
  private mutating func takes(
    _ report: GPSDReport, at instant: EngineInstant, into items: inout [TrackItem]
  ) -> Bool {
    guard let current = deviceInUse, current != report.device else {
      deviceInUse = report.device
      return true
    }
    guard report.hasPosition, report.fix.time != nil else { return false }
    let isSilent = lastPositionAt.map { $0.seconds(to: instant) >= Self.silenceSeconds } ?? true
    guard isSilent || hasLongBeenBetter(report, at: instant) else { return false }
    flush(into: &items)
    deviceInUse = report.device
    needsBreak = true
    flushed = nil
    if pace != nil { pace = EpochPace() }
    for index in devices.indices { devices[index].betterSince = nil }
    return true
  }

  /// Whether a device that is not in use has been the more accurate one for long enough, and without a pause.
  private mutating func hasLongBeenBetter(_ report: GPSDReport, at instant: EngineInstant) -> Bool {
    let radius = accuracy(of: report, at: instant).radiusMeters
    let index = index(of: report.device)
    guard let inUse = lastRadiusMeters, radius < Self.betterShare * inUse else {
      devices[index].betterSince = nil
      return false
    }
    let paused = devices[index].betterAt.map { $0.seconds(to: instant) >= Self.silenceSeconds } ?? true
    let since = paused ? instant : devices[index].betterSince ?? instant
    devices[index].betterSince = since
    devices[index].betterAt = instant
    return since.seconds(to: instant) >= Self.betterSeconds
  }

  /// A handful at most: the decoder numbers no more than ``maximumDevices``.
  private mutating func index(of number: Int) -> Int {
    if let index = devices.firstIndex(where: { $0.number == number }) { return index }
    devices.append(Device(number: number, driver: .other))
    return devices.count - 1
  }

  /// Devices beyond this share one number.
  package static let maximumDevices = 16
}

// MARK: - How accurate

extension GPSDTrack {
  /// GST, else `eph`, else `epx` and `epy`, else an assumption; never a mixture, because gpsd models them in
  /// different ways.
  private mutating func accuracy(of report: GPSDReport, at instant: EngineInstant) -> Accuracy {
    let device = devices[index(of: report.device)]
    var accuracy: Accuracy
    var isModelled = false
    if let sigma = device.gstSigmaMeters, let gstTime = device.gstTime, let time = report.fix.time,
      abs(gstTime.seconds(to: time)) < Self.gstLifetimeSeconds
    {
      accuracy = Accuracy(radiusMeters: sigma * Accuracy.sigmasIn68Percent, source: .reported)
    } else if let error = report.horizontalErrorMeters, error > 0, error.isFinite {
      isModelled = true
      switch device.driver {
      case .nmea0183: accuracy = .from95Percent(error)
      case .other: accuracy = Accuracy(radiusMeters: error, source: .reported)
      }
    } else if let east = report.eastErrorMeters, let north = report.northErrorMeters,
      max(east, north) > 0, max(east, north).isFinite
    {
      isModelled = true
      let sigma = max(east, north) / Self.sigmasIn95PercentOfOneAxis
      accuracy = Accuracy(radiusMeters: sigma * Accuracy.sigmasIn68Percent, source: .reported)
    } else {
      accuracy = Accuracy(
        metersAt68Percent: nil, hdop: nil, assumedMeters: assumeAccuracyMeters, mode: report.fix.mode)
    }
    if isModelled, let sky = device.skyAt, sky.seconds(to: instant) > Self.skyLifetimeSeconds {
      accuracy.radiusMeters *= Self.staleErrorFactor
    }
    if report.isDeadReckoned { accuracy.radiusMeters *= Self.deadReckoningFactor }
    return accuracy
  }
}

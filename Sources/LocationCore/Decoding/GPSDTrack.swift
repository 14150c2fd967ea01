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
  package var northErrorMeters: Double?
  /// Whether the position is carried on from earlier ones without satellites.
  package var isDeadReckoned: Bool

  package init(
    device: Int, fix: FixReport, horizontalErrorMeters: Double? = nil, eastErrorMeters: Double? = nil,
    northErrorMeters: Double? = nil, isDeadReckoned: Bool = false
  ) {
    self.device = device
    self.fix = fix
    self.horizontalErrorMeters = horizontalErrorMeters
    self.eastErrorMeters = eastErrorMeters
    self.northErrorMeters = northErrorMeters
    self.isDeadReckoned = isDeadReckoned
  }

  fileprivate var hasPosition: Bool { !fix.latitude.isNaN && !fix.longitude.isNaN }
}

/// Makes a track of gpsd's reports: one device, one fix an epoch, one meaning of accuracy.
///
/// gpsd mixes the reports of all its devices, and sends several for one epoch where it does not know when a
/// receiver's cycle ends (gpsd 3.22, `gpsd.c`, `all_reports`); the last one is the most complete.
package struct GPSDTrack {
  /// What a device's driver means by `eph`.
  package enum Driver: Hashable, Sendable {
    /// gpsd models it from HDOP for 95 % (gpsd 3.22, `gpsd_error_model`).
    case nmea0183
    /// The receiver's own figure, whose level is not documented, or an unknown driver. It is taken as 68 %,
    /// the reading that claims less.
    case other
  }

  /// Seconds of fix time without a position from the device in use, after which another may take over.
  package static let silenceSeconds = 10.0
  /// How long a GST report, seconds, says how good the fixes of its device are.
  package static let gstLifetimeSeconds = 3.0
  /// Standard deviations in the 95 % interval of one axis.
  private static let sigmasIn95PercentOfOneAxis = 1.96
  /// Dead reckoning drifts; by how much nobody says.
  private static let deadReckoningFactor = 2.0

  private struct Device {
    var number: Int
    var driver: Driver
    var gstSigmaMeters: Double?
    var gstTime: UTCTime?
  }

  private let assumeAccuracyMeters: Double?
  private var devices: [Device] = []
  private var deviceInUse: Int?
  private var lastPositionTime: UTCTime?
  private var waiting: GPSDReport?
  private var needsBreak = false
  private var hasFix = false
  /// Reports left out because they came from a device that is not in use.
  package private(set) var otherDevicesReports = 0

  /// - Parameter assumeAccuracyMeters: the 68 % radius of a fix that does not tell its own; nil for a typical
  ///   one.
  package init(assumeAccuracyMeters: Double?) { self.assumeAccuracyMeters = assumeAccuracyMeters }

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

  /// A GST report: standard deviations along the axes, metres.
  package mutating func gst(device number: Int, time: UTCTime?, latitudeSigma: Double, longitudeSigma: Double)
  {
    let sigma = ((latitudeSigma * latitudeSigma + longitudeSigma * longitudeSigma) / 2).squareRoot()
    guard let time, sigma > 0, sigma.isFinite else { return }
    let index = index(of: number)
    devices[index].gstSigmaMeters = sigma
    devices[index].gstTime = time
  }

  /// A TPV report. The fix of its epoch is appended once a report of another epoch comes.
  package mutating func tpv(_ report: GPSDReport, into items: inout [TrackItem]) {
    guard takes(report, into: &items) else {
      otherDevicesReports += 1
      return
    }
    if report.hasPosition, let time = report.fix.time { lastPositionTime = time }
    if let previous = waiting {
      if let time = report.fix.time, previous.fix.time == time {
        // A report without a position never takes one away.
        if report.hasPosition || !previous.hasPosition { waiting = report }
        return
      }
      flush(into: &items)
    }
    waiting = report
    if report.fix.time == nil { flush(into: &items) }
  }

  /// Appends the fix that waits for the end of its epoch, if there is one.
  package mutating func flush(into items: inout [TrackItem]) {
    guard let report = waiting else { return }
    waiting = nil
    if needsBreak, hasFix { items.append(.segmentBreak) }
    needsBreak = false
    hasFix = true
    var fix = report.fix
    fix.accuracy = accuracy(of: report)
    items.append(.fix(fix))
  }

  /// Whether a report's device is the one in use; it may become that.
  private mutating func takes(_ report: GPSDReport, into items: inout [TrackItem]) -> Bool {
    guard let current = deviceInUse, current != report.device else {
      deviceInUse = report.device
      return true
    }
    guard report.hasPosition, let time = report.fix.time else { return false }
    if let last = lastPositionTime, last.seconds(to: time) < Self.silenceSeconds { return false }
    flush(into: &items)
    deviceInUse = report.device
    needsBreak = true
    return true
  }

  /// GST, else `eph`, else `epx` and `epy`, else an assumption; never a mixture, because gpsd models them in
  /// different ways.
  private mutating func accuracy(of report: GPSDReport) -> Accuracy {
    let device = devices[index(of: report.device)]
    var accuracy: Accuracy
    if let sigma = device.gstSigmaMeters, let gstTime = device.gstTime, let time = report.fix.time,
      abs(gstTime.seconds(to: time)) < Self.gstLifetimeSeconds
    {
      accuracy = Accuracy(radiusMeters: sigma * Accuracy.sigmasIn68Percent, source: .reported)
    } else if let error = report.horizontalErrorMeters, error > 0, error.isFinite {
      switch device.driver {
      case .nmea0183: accuracy = .from95Percent(error)
      case .other: accuracy = Accuracy(radiusMeters: error, source: .reported)
      }
    } else if let east = report.eastErrorMeters, let north = report.northErrorMeters,
      max(east, north) > 0, max(east, north).isFinite
    {
      let sigma = max(east, north) / Self.sigmasIn95PercentOfOneAxis
      accuracy = Accuracy(radiusMeters: sigma * Accuracy.sigmasIn68Percent, source: .reported)
    } else {
      accuracy = Accuracy(
        metersAt68Percent: nil, hdop: nil, assumedMeters: assumeAccuracyMeters, mode: report.fix.mode)
    }
    if report.isDeadReckoned { accuracy.radiusMeters *= Self.deadReckoningFactor }
    return accuracy
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

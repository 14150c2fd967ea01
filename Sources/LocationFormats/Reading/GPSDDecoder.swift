import CGPSD
package import LocationCore

/// Decodes lines of gpsd's protocol, positions with libgps. The only file that imports libgps.
///
/// `gps_unpack` says 0 for a truncated report, for garbage and for what it does not know, and then leaves the
/// previous line's values in place; it drops the offset of a time and makes 1899 of a time that it cannot read; and
/// it loops for ever over a list of five devices. So libgps gets only what ``/LocationCore/LibgpsText`` composes
/// from a TPV or GST report, devices and times are read here, what libgps may leave behind is cleared before each
/// line, and nothing is believed that is not finite.
///
/// It is a class because it owns a struct of 24 kB that must be freed once. One line in, items out: recorded
/// and live lines take the same way.
@safe package final class GPSDDecoder {
  private let data: UnsafeMutablePointer<gps_data_t>
  private var track: GPSDTrack
  private var paths: [[UInt8]] = []
  private var text = LibgpsText()
  private let acceptsSimulated: Bool
  /// The time that a recording has come to.
  private var recorded = EngineInstant(microseconds: 0)
  /// Devices that gpsd has, by number, in the order in which it told of them.
  private var present: [Int] = []
  /// TPV reports so far.
  package private(set) var reports = 0
  /// Reports with a position that libgps did not find.
  package private(set) var unreadable = 0

  /// - Parameters:
  ///   - assumeAccuracyMeters: see ``TrackOptions``.
  ///   - isLive: whether the lines come now, and not from a recording.
  ///   - acceptsSimulated: whether a position that the receiver itself calls simulated is one; else it is no fix.
  package init(
    assumeAccuracyMeters: Double?, isLive: Bool = false, acceptsSimulated: Bool = true
  ) throws(Failure) {
    guard let data = unsafe locwatch_gps_new() else {
      throw Failure(.tryAgain, what: "no memory for libgps", remedy: Failure.memoryRemedy)
    }
    unsafe self.data = data
    self.acceptsSimulated = acceptsSimulated
    track = GPSDTrack(assumeAccuracyMeters: assumeAccuracyMeters, isLive: isLive)
  }

  deinit { unsafe free(data) }

  /// Reports left out because they came from a device that is not in use.
  package var otherDevicesReports: Int { track.otherDevicesReports }

  /// Since when an epoch has been open; nil where none is.
  package var openSince: EngineInstant? { track.openSince }

  /// The path of the device whose reports are used; nil while none is.
  package var deviceInUse: String? {
    track.deviceInUse.flatMap { number in
      paths.indices.contains(number) ? String(decoding: paths[number], as: UTF8.self) : nil
    }
  }

  /// How many devices gpsd has.
  package var deviceCount: Int { present.count }

  /// The version of the interface of libgps, major and minor.
  package static var version: (major: Int, minor: Int) {
    (Int(locwatch_gps_api_major()), Int(locwatch_gps_api_minor()))
  }

  /// Takes one line that is a whole JSON object.
  ///
  /// - Parameters:
  ///   - scan: what ``/LocationCore/FixLine`` says of the line.
  ///   - instant: when it came; nil in a recording, whose own times count.
  ///   - items: gets the fixes that are complete with it.
  package func read(
    _ line: Span<UInt8>, _ scan: GPSDLine, at instant: EngineInstant? = nil, into items: inout [TrackItem]
  ) {
    if let time = scan.time { recorded = EngineInstant(microseconds: time.microseconds) }
    let instant = instant ?? recorded
    switch scan.kind {
    case .tpv:
      text.composeReport(from: line)
      unpack()
      tpv(scan, of: device(of: scan, in: line), at: instant, into: &items)
    case .gst:
      text.composeDeviations(from: line)
      unpack()
      gst(scan, of: device(of: scan, in: line))
    case .sky:
      if scan.device != nil { track.sky(device: device(of: scan, in: line), at: instant) }
    case .device: readDevice(line, into: &items)
    case .devices: readDevices(line)
    case .version, .error, .other: break
    }
  }

  /// The connection to gpsd is a new one.
  package func reconnected(at instant: EngineInstant) {
    present.removeAll()
    track.reconnected(at: instant)
  }

  /// Appends the fix whose epoch is still open, if there is one.
  package func flush(into items: inout [TrackItem]) { track.flush(into: &items) }

  /// Hands the text to libgps.
  private func unpack() {
    unsafe locwatch_gps_clear(data)
    unsafe text.characters.withUnsafeBufferPointer { characters in
      guard let start = characters.baseAddress else { return }
      _ = unsafe locwatch_gps_unpack(start, data)
    }
  }

  private func tpv(
    _ scan: GPSDLine, of device: Int, at instant: EngineInstant, into items: inout [TrackItem]
  ) {
    reports += 1
    let fix = unsafe data.pointee.fix
    let isRefused = unsafe !acceptsSimulated && locwatch_gps_is_simulated(data) != 0
    let mode = isRefused ? .noFix : FixMode(gpsdMode: Double(fix.mode))
    var position = (latitude: Double.nan, longitude: Double.nan)
    if fix.latitude.isFinite, fix.longitude.isFinite, mode == .twoD || mode == .threeD {
      position = (fix.latitude, fix.longitude)
    } else if scan.hasPosition, mode == .twoD || mode == .threeD {
      unreadable += 1
    }
    let altitude = fix.altMSL.isFinite ? fix.altMSL : fix.altHAE
    let report = FixReport(
      time: scan.time, latitude: position.latitude, longitude: position.longitude,
      accuracy: .assumed(mode), mode: mode, speedMetersPerSecond: FixReport.speed(fix.speed),
      courseDegrees: FixReport.course(fix.track), altitudeMeters: altitude.isFinite ? altitude : nil)
    track.tpv(
      GPSDReport(
        device: device, fix: report, horizontalErrorMeters: fix.eph.isNaN ? nil : fix.eph,
        eastErrorMeters: fix.epx.isNaN ? nil : fix.epx, northErrorMeters: fix.epy.isNaN ? nil : fix.epy,
        isDeadReckoned: unsafe locwatch_gps_is_dead_reckoned(data) != 0, isSimulated: isRefused),
      at: instant, into: &items)
  }

  private func gst(_ scan: GPSDLine, of device: Int) {
    guard unsafe locwatch_gps_has_gst(data) != 0 else { return }
    unsafe track.gst(
      device: device, time: scan.time, latitudeSigma: data.pointee.gst.lat_err_deviation,
      longitudeSigma: data.pointee.gst.lon_err_deviation)
  }

  private func readDevice(_ line: Span<UInt8>, into items: inout [TrackItem]) {
    guard let device = GPSDDevice(line: line) else { return }
    let number = number(of: line.extracting(device.path))
    if device.isActive {
      if !present.contains(number) { present.append(number) }
      track.found(number, driver: device.driver)
    } else {
      present.removeAll { $0 == number }
      track.lost(number, into: &items)
    }
  }

  private func readDevices(_ line: Span<UInt8>) {
    present.removeAll()
    for device in GPSDDevice.list(of: line) ?? [] {
      let number = number(of: line.extracting(device.path))
      if !present.contains(number) { present.append(number) }
      track.found(number, driver: device.driver)
    }
  }

  /// The number of the device that a report is from; none is a device too, because recordings may leave it out.
  private func device(of scan: GPSDLine, in line: Span<UInt8>) -> Int {
    number(of: line.extracting(scan.device ?? 0..<0))
  }

  /// A small number for a device's path.
  private func number(of path: Span<UInt8>) -> Int {
    let path = path.extracting(0..<min(path.count, Self.maximumPathBytes))
    for number in paths.indices where path.equals(paths[number]) { return number }
    guard paths.count < GPSDTrack.maximumDevices else { return paths.count }
    paths.append(path.array)
    return paths.count - 1
  }

  /// The longest path that is told from others, bytes: gpsd's own limit (`GPS_PATH_MAX`).
  private static let maximumPathBytes = 128
}

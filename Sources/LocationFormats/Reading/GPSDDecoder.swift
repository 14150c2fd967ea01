import CGPSD
package import LocationCore

/// Decodes lines of gpsd's protocol with libgps. The only file that imports libgps.
///
/// `gps_unpack` says 0 for a truncated report, for garbage and for what it does not know, and then leaves the
/// previous line's values in place; it drops the offset of a time and makes 1899 of a time it can't read. So
/// only lines that ``/LocationCore/FixLine`` has found to be whole objects of a class that matters come here,
/// what it may leave behind is cleared before each line, nothing is believed that is not finite, and the time
/// is taken from the text by our own parser.
///
/// It is a class because it owns a struct of 24 kB that must be freed once. One line in, items out: recorded
/// and live lines take the same way.
@safe package final class GPSDDecoder {
  private let data: UnsafeMutablePointer<gps_data_t>
  private var track: GPSDTrack
  private var paths: [[UInt8]] = []
  private var scratch: [CChar] = []
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
    guard let data = unsafe locwatch_gps_new() else { throw Failure(.tryAgain, what: "no memory for libgps") }
    unsafe self.data = data
    self.acceptsSimulated = acceptsSimulated
    track = GPSDTrack(assumeAccuracyMeters: assumeAccuracyMeters, isLive: isLive)
  }

  deinit { unsafe free(data) }

  /// Reports left out because they came from a device that is not in use.
  package var otherDevicesReports: Int { track.otherDevicesReports }

  /// Reports left out because they came when their epoch had been taken to be over.
  package var lateReports: Int { track.lateReports }

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
      unpack(line)
      tpv(scan, at: instant, into: &items)
    case .gst:
      unpack(line)
      gst(scan)
    case .sky:
      if let path = scan.device { track.sky(device: number(of: line.extracting(path)), at: instant) }
    case .device:
      unpack(line)
      device(into: &items)
    case .devices:
      unpack(line)
      devices()
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

  /// Hands the line to libgps.
  private func unpack(_ line: Span<UInt8>) {
    Self.compact(line, into: &scratch)
    unsafe locwatch_gps_clear(data)
    unsafe scratch.withUnsafeMutableBufferPointer { text in
      guard let start = text.baseAddress else { return }
      _ = unsafe locwatch_gps_unpack(start, data)
    }
  }

  /// A C string without the white space between values, which libgps does not expect: gpsd writes none, but
  /// other programs rewrite its lines.
  private static func compact(_ line: Span<UInt8>, into text: inout [CChar]) {
    if text.count <= line.count { text = [CChar](repeating: 0, count: line.count + 1) }
    var length = 0
    var isInString = false
    var isEscaped = false
    for index in 0..<line.count {
      let byte = line[index]
      if !isInString, byte.isXMLSpace { continue }
      text[length] = CChar(bitPattern: byte)
      length += 1
      if byte == UInt8(ascii: "\""), !isEscaped { isInString.toggle() }
      isEscaped = isInString && byte == UInt8(ascii: "\\") && !isEscaped
    }
    text[length] = 0
  }

  private func tpv(_ scan: GPSDLine, at instant: EngineInstant, into items: inout [TrackItem]) {
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
    let device = unsafe number(of: locwatch_gps_path(data))
    track.tpv(
      GPSDReport(
        device: device, fix: report, horizontalErrorMeters: fix.eph.isNaN ? nil : fix.eph,
        eastErrorMeters: fix.epx.isNaN ? nil : fix.epx, northErrorMeters: fix.epy.isNaN ? nil : fix.epy,
        isDeadReckoned: unsafe locwatch_gps_is_dead_reckoned(data) != 0),
      at: instant, into: &items)
  }

  private func gst(_ scan: GPSDLine) {
    guard unsafe locwatch_gps_has_gst(data) != 0 else { return }
    let device = unsafe number(of: locwatch_gps_path(data))
    unsafe track.gst(
      device: device, time: scan.time, latitudeSigma: data.pointee.gst.lat_err_deviation,
      longitudeSigma: data.pointee.gst.lon_err_deviation)
  }

  /// libgps sets no flag for a device that was let go, so the flags are not looked at.
  private func device(into items: inout [TrackItem]) {
    let device = unsafe locwatch_gps_device(data)
    guard let device = unsafe device else { return }
    let number = unsafe number(of: locwatch_device_path(device))
    if unsafe locwatch_device_is_active(device) != 0 {
      if !present.contains(number) { present.append(number) }
      unsafe track.found(number, driver: driver(of: device))
    } else {
      present.removeAll { $0 == number }
      track.lost(number, into: &items)
    }
  }

  private func devices() {
    present.removeAll()
    for index in 0..<max(0, unsafe data.pointee.devices.ndevices) {
      guard let device = unsafe locwatch_gps_listed_device(data, index) else { continue }
      let number = unsafe number(of: locwatch_device_path(device))
      if !present.contains(number) { present.append(number) }
      unsafe track.found(number, driver: driver(of: device))
    }
  }

  /// Nil where gpsd does not know the driver yet.
  private func driver(of device: UnsafePointer<devconfig_t>) -> GPSDTrack.Driver? {
    guard let name = unsafe locwatch_device_driver(device), unsafe name.pointee != 0 else { return nil }
    return unsafe String(cString: name) == "NMEA0183" ? .nmea0183 : .other
  }

  /// A small number for a device's path; none is a device too, because recordings may leave it out.
  private func number(of path: UnsafePointer<CChar>?) -> Int {
    guard let path = unsafe path else { return 0 }
    return unsafe UnsafeBufferPointer(start: path, count: strlen(path)).withMemoryRebound(to: UInt8.self) {
      unsafe number(of: Span(_unsafeElements: $0))
    }
  }

  private func number(of path: Span<UInt8>) -> Int {
    known: for (number, known) in paths.enumerated() where known.count == path.count {
      for index in known.indices where path[index] != known[index] { continue known }
      return number
    }
    guard paths.count < GPSDTrack.maximumDevices else { return paths.count }
    var bytes: [UInt8] = []
    for index in 0..<path.count { bytes.append(path[index]) }
    paths.append(bytes)
    return paths.count - 1
  }
}

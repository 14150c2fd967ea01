/// A `trkpt`, `rtept` or `wpt` while its parts come in.
struct GPXPoint {
  /// A part of a point that is told in text.
  enum Field {
    case time, elevation, hdop, fix, source, accuracy, speed, course, bearing

    /// Whether it is told in words; else it is a number.
    var isWords: Bool { self == .time || self == .fix || self == .source }
  }

  private var report = FixReport(
    time: nil, latitude: .nan, longitude: .nan, accuracy: Accuracy(radiusMeters: 0, source: .assumed))
  private var hdop: Double?
  private var accuracyMeters: Double?
  private var bearingDegrees: Double?
  private var isFromNetwork = false

  /// Degrees north as the point's attribute says; NaN where it has none or it is no decimal.
  var latitude: Double {
    @inline(__always) get { report.latitude }
    @inline(__always) set { report.latitude = newValue }
  }

  /// Degrees east, likewise.
  var longitude: Double {
    @inline(__always) get { report.longitude }
    @inline(__always) set { report.longitude = newValue }
  }

  /// Starts with what the point's attributes say.
  init(latitude: Double = .nan, longitude: Double = .nan) {
    report.latitude = latitude
    report.longitude = longitude
  }

  /// Takes the text of a field; a text that is not what the field demands leaves it unknown.
  mutating func set(_ field: Field, to text: Span<UInt8>) {
    switch field {
    case .time: report.time = UTCTime(rfc3339: text)
    case .fix: report.mode = Self.mode(text)
    case .source: isFromNetwork = FixMode(provider: text) == .network
    case .elevation, .hdop, .accuracy, .speed, .course, .bearing:
      set(field, to: Double(xsdDecimal: text).flatMap { $0.isFinite ? $0 : nil })
    }
  }

  /// Takes the time; nil where it is not known.
  @inline(__always)
  mutating func setTime(_ time: UTCTime?) { report.time = time }

  /// Takes the number of a field that has one, finite; nil where it is not known.
  @inline(__always)
  mutating func set(_ field: Field, to number: Double?) {
    switch field {
    case .elevation: report.altitudeMeters = number
    case .hdop: hdop = number
    case .accuracy: accuracyMeters = number
    case .speed: report.speedMetersPerSecond = number.flatMap { FixReport.speed($0) }
    case .course: report.courseDegrees = number.flatMap { FixReport.course($0) }
    case .bearing: bearingDegrees = number.flatMap { FixReport.course($0) }
    case .time, .fix, .source: break
    }
  }

  /// The finished report.
  ///
  /// - Parameter assumeAccuracyMeters: the 68 % radius of a point that does not tell its own; nil for a
  ///   typical one.
  func finished(assumeAccuracyMeters: Double?) -> FixReport {
    var report = report
    if isFromNetwork, report.mode != .noFix { report.mode = .network }
    report.accuracy = Accuracy(
      metersAt68Percent: accuracyMeters, hdop: hdop, assumedMeters: assumeAccuracyMeters, mode: report.mode)
    if report.courseDegrees == nil { report.courseDegrees = bearingDegrees }
    return report
  }

  /// The field of a direct child of a point, by its name in GPX 1.0 and 1.1.
  static func field(named name: Span<UInt8>) -> Field? {
    if name.equals("time") { return .time }
    if name.equals("ele") { return .elevation }
    if name.equals("hdop") { return .hdop }
    if name.equals("fix") { return .fix }
    if name.equals("src") { return .source }
    return fieldOfExtension(named: name)
  }

  /// The field of an element in extensions, by its local name: the spellings of iOS and Android recorders,
  /// of Garmin's TrackPointExtension v2 and of OpenTracks. All give metres, metres a second and degrees.
  static func fieldOfExtension(named name: Span<UInt8>) -> Field? {
    switch name.count {
    case 3:
      return name.equals("acc") ? .accuracy : nil
    case 4:
      return name.equals("hAcc") || name.equals("hacc") ? .accuracy : nil
    case 5:
      return name.equals("speed") ? .speed : nil
    case 6:
      return name.equals("course") ? .course : nil
    case 7:
      return name.equals("bearing") ? .bearing : nil
    case 8:
      return name.equals("accuracy") ? .accuracy : nil
    case 12:
      return name.equals("hor_accuracy") ? .accuracy : nil
    case 18:
      return name.equals("horizontalAccuracy") ? .accuracy : nil
    case 19:
      return name.equals("horizontal_accuracy") || name.equals("accuracy_horizontal") ? .accuracy : nil
    default:
      return nil
    }
  }

  /// `none`, `2d`, `3d`, `dgps`, `pps` (GPX 1.1, `fixType`); a differential fix is one in three dimensions.
  private static func mode(_ text: Span<UInt8>) -> FixMode {
    let word = text.extracting(text.rangeWithinXMLSpace)
    if word.equals("3d") || word.equals("dgps") || word.equals("pps") { return .threeD }
    if word.equals("2d") { return .twoD }
    return word.equals("none") ? .noFix : .unknown
  }
}

import LocationCore
import LocationFormats

/// Writes GPX 1.1: one `trkpt` a line, the order of elements as its schema has it.
enum GPXText {
  /// The namespace of our extensions: `accuracy` (68 % radius, metres), `speed` (m/s), `course` (degrees).
  static let extensionNamespace = "urn:locwatch:gpx:1"

  static func appendHead(of scenario: SynthScenario, to text: inout [UInt8]) {
    text.append(
      text: """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="locwatch" xmlns="http://www.topografix.com/GPX/1/1" \
        xmlns:lw="\(extensionNamespace)">
        <metadata>

        """)
    if let name = scenario.name { text.append(text: "<name>\(Markup.escaped(name))</name>\n") }
    let about = scenario.about.map { Markup.escaped($0) + " " } ?? ""
    text.append(text: "<desc>\(about)Made by locwatch synth, seed \(scenario.seed).</desc>\n<time>")
    scenario.start.appendShort(to: &text)
    text.append(text: "</time>\n</metadata>\n<trk>\n")
    if let name = scenario.name { text.append(text: "<name>\(Markup.escaped(name))</name>\n") }
    text.append(text: "<trkseg>\n")
  }

  static func appendTail(to text: inout [UInt8]) { text.append(text: "</trkseg>\n</trk>\n</gpx>\n") }

  static func append(_ fix: SynthFix, fields: Set<SynthScenario.Field>, to text: inout [UInt8]) {
    if fix.startsSegment { text.append(text: "</trkseg>\n<trkseg>\n") }
    text.append(text: "<trkpt lat=\"")
    FixedPoint.append(fix.coordinate.latitude, decimals: 7, to: &text)
    text.append(text: "\" lon=\"")
    FixedPoint.append(fix.coordinate.longitude, decimals: 7, to: &text)
    text.append(text: "\">")
    if fields.contains(.elevation), let elevation = fix.elevationMeters {
      appendElement("ele", elevation, decimals: 1, to: &text)
    }
    text.append(text: "<time>")
    fix.time.appendShort(to: &text)
    text.append(text: "</time>")
    if fields.contains(.hdop) { appendElement("hdop", fix.hdop, decimals: 2, to: &text) }
    appendExtensions(fix, fields: fields, to: &text)
    text.append(text: "</trkpt>\n")
  }

  private static func appendExtensions(
    _ fix: SynthFix, fields: Set<SynthScenario.Field>, to text: inout [UInt8]
  ) {
    let course = fields.contains(.course) ? fix.courseDegrees : nil
    guard fields.contains(.accuracy) || fields.contains(.speed) || course != nil else { return }
    text.append(text: "<extensions>")
    if fields.contains(.accuracy) {
      appendElement("lw:accuracy", fix.accuracyMeters, decimals: 2, to: &text)
    }
    if fields.contains(.speed) {
      appendElement("lw:speed", fix.speedMetersPerSecond, decimals: 2, to: &text)
    }
    if let course {
      text.append(text: "<lw:course>")
      FixedPoint.append(course.tenthsOfDegrees, decimals: 1, to: &text)
      text.append(text: "</lw:course>")
    }
    text.append(text: "</extensions>")
  }

  private static func appendElement(
    _ name: String, _ value: Double, decimals: Int, to text: inout [UInt8]
  ) {
    text.append(text: "<\(name)>")
    FixedPoint.append(value, decimals: decimals, to: &text)
    text.append(text: "</\(name)>")
  }
}

extension SynthFix {
  /// The dilution of precision from which a reader derives the accuracy of this fix.
  var hdop: Double {
    accuracyMeters * (Accuracy.sigmasIn95Percent / Accuracy.sigmasIn68Percent) / Accuracy.metersPerHDOP95
  }
}

extension Double {
  /// Tenths of degrees of a course, 0 to 3599.
  var tenthsOfDegrees: Int64 { Int64((self * 10).rounded()) % 3600 }
}

extension UTCTime {
  /// Appends the time in RFC 3339, with milliseconds only where there are some.
  func appendShort(to text: inout [UInt8]) {
    appendRFC3339(to: &text)
    if text.suffix(Self.noMilliseconds.count).elementsEqual(Self.noMilliseconds) {
      text.removeLast(Self.noMilliseconds.count)
      text.append(UInt8(ascii: "Z"))
    }
  }

  private static let noMilliseconds = Array(".000Z".utf8)
}

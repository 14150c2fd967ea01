import LocationCore
import Testing

@Suite("A line of JSON that names a position")
struct FixLineTests {
  static func read(_ text: String, assuming meters: Double? = nil) -> FixLine {
    FixLine(Array(text.utf8).span, assumeAccuracyMeters: meters)
  }

  static func fix(_ text: String, assuming meters: Double? = nil) -> FixReport? {
    guard case .fix(let report) = read(text, assuming: meters) else { return nil }
    return report
  }

  @Test(
    "a time is RFC 3339 text, epoch seconds, or epoch milliseconds where seconds are impossible",
    arguments: [
      (#""time":"2024-05-01T10:00:00.25Z""#, 1_714_557_600_250_000),
      (#""ts":1714557600.25"#, 1_714_557_600_250_000),
      (#""timestamp":1714557600"#, 1_714_557_600_000_000),
      (#""time":1714557600250"#, 1_714_557_600_250_000),
      (#""time":-1"#, -1_000_000),
      (#""time":253402300799"#, 253_402_300_799_000_000),
      (#""time":"yesterday""#, nil), (#""time":null"#, nil), (#""time":1e300"#, nil), (#""a":1"#, nil),
    ] as [(String, Int64?)])
  func times(member: String, microseconds: Int64?) {
    let fix = Self.fix("{\"lat\":1,\"lon\":2,\(member)}")
    #expect(fix != nil && fix?.time?.microseconds == microseconds)
  }

  @Test("members may come in any order, with white space and with others between")
  func anyOrder() {
    let fix = Self.fix(
      #" { "speed_mps" : 3, "x":[1,{"lat":9}], "lng":-2.5, "tags":{"lon":7}, "lat":1.5e0,"course_deg":360,"alt_m":-3.5 } "#
    )
    #expect(fix?.latitude == 1.5 && fix?.longitude == -2.5)
    #expect(fix?.speedMetersPerSecond == 3 && fix?.courseDegrees == 0 && fix?.altitudeMeters == -3.5)
  }

  @Test(
    "accuracy is what the line says, else what the caller assumes, else typical for the mode",
    arguments: [
      (#""acc_m":12.5"#, nil, Accuracy(radiusMeters: 12.5, source: .reported)),
      (#""acc_m":0"#, nil, Accuracy.assumed(.unknown)),
      (#""acc_m":-1"#, 30, Accuracy(radiusMeters: 30, source: .assumed)),
      (#""mode":2"#, nil, Accuracy.assumed(.twoD)),
      (#""provider":"network""#, nil, Accuracy.assumed(.network)),
      (#""provider":"network","mode":3"#, nil, Accuracy.assumed(.network)),
      (#""provider":"network","mode":1"#, nil, Accuracy.assumed(.noFix)),
      (#""provider":"gps","mode":2"#, nil, Accuracy.assumed(.twoD)),
      (#""mode":3"#, 50, Accuracy(radiusMeters: 50, source: .assumed)),
    ] as [(String, Double?, Accuracy)])
  func accuracy(member: String, assumed: Double?, expected: Accuracy) {
    #expect(Self.fix("{\"lat\":1,\"lon\":2,\(member)}", assuming: assumed)?.accuracy == expected)
  }

  @Test("a negative speed or course is unknown, as phones write it")
  func negativeMeansUnknown() {
    let fix = Self.fix(#"{"lat":1,"lon":2,"speed_mps":-1,"course_deg":-1}"#)
    #expect(fix != nil && fix?.speedMetersPerSecond == nil && fix?.courseDegrees == nil)
  }

  @Test(
    "a position with a part missing or no number is delivered, so that it is counted",
    arguments: [
      #"{"lat":1}"#, #"{"lon":1}"#, #"{"lat":"1","lon":2}"#, #"{"lat":null,"lon":null}"#,
      #"{"lat":[1],"lon":{}}"#,
    ])
  func missingParts(line: String) {
    let fix = Self.fix(line)
    #expect(fix.map { $0.latitude.isNaN || $0.longitude.isNaN } == true)
  }

  @Test("OwnTracks locations are read in OwnTracks's units; its other messages are no positions")
  func ownTracks() {
    let fix = Self.fix(
      #"{"_type":"location","tst":1714557600,"lat":48.1,"lon":11.5,"acc":9,"vel":36,"cog":90,"alt":520}"#)
    #expect(fix?.time?.microseconds == 1_714_557_600_000_000)
    #expect(fix?.accuracy == Accuracy(radiusMeters: 9, source: .reported))
    #expect(fix?.speedMetersPerSecond == 10 && fix?.courseDegrees == 90 && fix?.altitudeMeters == 520)
    guard case .other = Self.read(#"{"_type":"waypoint","lat":48.1,"lon":11.5}"#) else {
      Issue.record("a waypoint is not where somebody was")
      return
    }
  }

  @Test(
    "gpsd's objects are told by their class",
    arguments: [
      (#"{"class":"TPV","mode":3,"lat":1,"lon":2,"time":"1970-01-01T00:00:01Z"}"#, GPSDLine.Kind.tpv, true),
      (#"{"class":"GST"}"#, .gst, false), (#"{"class":"DEVICES","devices":[]}"#, .devices, false),
      (#"{"class":"DEVICE"}"#, .device, false), (#"{"class":"SKY","satellites":[{}]}"#, .sky, false),
      (#"{"class":"VERSION"}"#, .version, false), (#"{"class":"ERROR","message":"x"}"#, .error, false),
      (#"{"class":"AIS","lat":1,"lon":2}"#, .other, true),
      (#"{"mode":3,"lat":1,"class":"TPV"}"#, .tpv, false),
    ])
  func gpsdClasses(line: String, kind: GPSDLine.Kind, hasPosition: Bool) {
    guard case .gpsd(let scan) = Self.read(line) else {
      Issue.record("not told as gpsd's")
      return
    }
    #expect(scan.kind == kind && scan.hasPosition == hasPosition)
  }

  @Test(
    "what is not one whole JSON object is malformed",
    arguments: [
      "", "x", "[]", "{", "{}x", "{}{}", #"{"lat":1"#, #"{"lat":1,}"#, #"{"lat":1 "lon":2}"#, #"{"lat"}"#,
      #"{lat:1}"#, #"{"lat":01}"#, #"{"lat":+1}"#, #"{"lat":1.}"#, #"{"lat":NaN}"#, #"{"lat":-}"#,
      #"{"a":tru}"#, #"{"a":"\x"}"#, #"{"a":"\u12g4"}"#, #"{"a":"\u12"#, "{\"a\":\"\u{1}\"}", #"{"a":"b}"#,
      #"{"a":[1,]}"#, #"{"a":[1}"#, #"{"a":{"b":01}}"#, #"{"a":[1 2]}"#, #"{"a":{"b"}}"#,
      "{\"a\":" + String(repeating: "[", count: 100_000) + "}",
      #"{"class":"TPV","mode":3,"lat":48.1,"lon":11.5"#,
    ])
  func malformed(line: String) {
    guard case .malformed = Self.read(line) else {
      Issue.record("\(line.prefix(60))")
      return
    }
  }

  @Test(
    "a whole object without a position is something else",
    arguments: [
      "{}", #"{"time":"2024-05-01T10:00:00Z"}"#,
      #"{"a":[[],{},"\"\\\/\b\f\n\r\té",true,false,null,-0.5e-3]}"#,
    ])
  func others(line: String) {
    guard case .other = Self.read(line) else {
      Issue.record("\(line)")
      return
    }
  }
}

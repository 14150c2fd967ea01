import LocationCore
import LocationFormats
import Testing

@Suite("Reading gpsd's reports")
struct GPSDReadingTests {
  static func tpv(_ second: Int, _ members: String) -> String {
    "{\"class\":\"TPV\",\"device\":\"/dev/a\",\"mode\":3,\"time\":\"2024-05-01T10:00:0\(second)Z\",\(members)}"
  }

  static let place = "\"lat\":48.1,\"lon\":11.5"

  @Test("a report gives time, place, accuracy, speed, course and altitude above the sea")
  func fields() throws {
    let reading = try Reading(
      """
      {"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}
      {"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","driver":"u-blox","activated":"2024-05-01T09:59:59.000Z"}]}
      {"class":"WATCH","enable":true,"json":true}
      {"class":"TPV","device":"/dev/a","mode":3,"time":"2024-05-01T10:00:00.123Z","lat":48.100000001,"lon":-11.5,"altHAE":500.5,"altMSL":450.25,"eph":4.5,"epx":1,"epy":1,"speed":1.5,"track":271.5}
      """)
    let expected = FixReport(
      time: UTCTime(rfc3339: "2024-05-01T10:00:00.123Z"), latitude: 48.100000001, longitude: -11.5,
      accuracy: Accuracy(radiusMeters: 4.5, source: .reported), mode: .threeD, speedMetersPerSecond: 1.5,
      courseDegrees: 271.5, altitudeMeters: 450.25)
    #expect(reading.failure == nil && reading.fixes == [expected])
    #expect(reading.notes == [])
  }

  @Test("the driver of a DEVICE line says what eph means")
  func driver() throws {
    for (line, radius) in [
      (
        #"{"class":"DEVICE","path":"/dev/a","driver":"NMEA0183","activated":"2024-05-01T09:59:59.000Z"}"#,
        10.585
      ),
      (
        #"{"class":"DEVICE","path":"/dev/b","driver":"NMEA0183","activated":"2024-05-01T09:59:59.000Z"}"#,
        17.1
      ),
    ] {
      let reading = try Reading(line + "\n" + Self.tpv(0, Self.place + ",\"eph\":17.1"))
      #expect(reading.fixes.map { ($0.accuracy.radiusMeters * 1000).rounded() / 1000 } == [radius])
    }
  }

  @Test("nothing of a line is left in the next one")
  func noLeftovers() throws {
    let reading = try Reading(
      Self.tpv(0, Self.place + ",\"speed\":5,\"track\":90,\"eph\":3") + "\n" + Self.tpv(1, "\"alt\":1") + "\n"
        + Self.tpv(2, Self.place))
    #expect(reading.fixes.map { $0.latitude.isNaN } == [false, true, false])
    #expect(reading.fixes.map(\.speedMetersPerSecond) == [5, nil, nil])
    #expect(reading.fixes.map(\.courseDegrees) == [90, nil, nil])
    #expect(reading.fixes.map(\.accuracy.source) == [.reported, .assumed, .assumed])
  }

  @Test(
    "a report without a position, or with one that libgps can't read, is delivered without it",
    arguments: [
      #"{"class":"TPV","mode":1,"time":"2024-05-01T10:00:00Z"}"#,
      #"{"class":"TPV","mode":1,"time":"2024-05-01T10:00:00Z","lat":1,"lon":2}"#,
      #"{"class":"TPV","mode":3,"time":"2024-05-01T10:00:00Z","lat":48}"#,
      #"{"class":"TPV","mode":3,"time":"2024-05-01T10:00:00Z","lat":"48","lon":11}"#,
      #"{"class":"TPV","mode":3,"time":"2024-05-01T10:00:00Z","lat":null,"lon":11}"#,
      #"{"class":"TPV"}"#,
    ])
  func noPosition(line: String) throws {
    let reading = try Reading(line)
    #expect(reading.fixes.count == 1)
    #expect(reading.fixes.first.map { $0.latitude.isNaN && $0.longitude.isNaN } == true)
  }

  @Test("the offset of a time counts, and a time that is none does not")
  func times() throws {
    func time(_ text: String) throws -> UTCTime? {
      let line = "{\"class\":\"TPV\",\"mode\":3,\"time\":\(text),\(Self.place)}"
      return try Reading(line).fixes.first?.time
    }
    let expected = UTCTime(rfc3339: "2024-05-01T10:00:00Z")
    #expect(try time("\"2024-05-01T12:00:00+02:00\"") == expected)
    #expect(try time("1714557600") == expected)
    #expect(try time("\"garbage\"") == nil)
  }

  @Test("lines that another program rewrote with spaces are read too")
  func spaces() throws {
    let reading = try Reading(
      #"{ "class" : "TPV", "mode": 3, "time": "2024-05-01T10:00:00Z", "lat": 4.81e1 , "lon": 11.5, "x": "a \" b" }"#
    )
    #expect(reading.failure == nil && reading.fixes.map(\.latitude) == [48.1])
  }

  @Test("lines that are not JSON are skipped and counted; a report that is cut off is an error")
  func otherLines() throws {
    let good = Self.tpv(0, Self.place)
    let reading = try Reading("# log\n$GPGGA,x\n\(good)\n!AIVDM,y\n\(Self.tpv(1, Self.place).dropLast(3))")
    #expect(reading.fixes.count == 1)
    #expect(reading.notes == ["3 lines that are not JSON, skipped"])
    #expect(reading.failure?.line == 5 && reading.failure?.what == "the JSON object is cut off")
  }

  @Test("dead reckoning doubles the error, and several reports of one time are one fix")
  func statusAndEpochs() throws {
    let reading = try Reading(
      [
        Self.tpv(0, Self.place), Self.tpv(0, Self.place + ",\"eph\":10"),
        Self.tpv(1, Self.place + ",\"eph\":10,\"status\":5"),
      ].joined(separator: "\n"))
    #expect(reading.fixes.map(\.accuracy.radiusMeters) == [10, 20])
  }

  @Test("a log of a receiver without a fix is whole, though it has no position")
  func noFixAtAll() throws {
    let reading = try Reading(#"{"class":"TPV","mode":1}"# + "\n" + #"{"class":"TPV","mode":1}"#)
    #expect(reading.failure == nil && reading.fixes.count == 2)
  }
}

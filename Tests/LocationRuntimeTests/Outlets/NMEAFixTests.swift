import Testing

@testable import LocationCore
@testable import LocationFormats

/// A fix in the words of GeoClue.
@Suite struct NMEAFixTests {
  private func fix(_ latitude: Double, _ longitude: Double, accuracy: Double) throws -> Fix {
    let time = try #require(UTCTime(rfc3339: "2026-05-01T06:01:02.345Z"))
    return Fix(
      time: time, instant: EngineInstant(microseconds: time.microseconds),
      coordinate: Coordinate(uncheckedLatitude: latitude, longitude: longitude),
      accuracy: Accuracy(radiusMeters: accuracy, source: .reported))
  }

  @Test func `a sentence has degrees and minutes, and a sum that holds`() throws {
    let sentence = try #require(
      NMEAFix.gga(try fix(48.1371, -11.5754, accuracy: 4.2), altitudeMeters: 519.26))
    #expect(sentence.hasPrefix("$GPGGA,060102.34,4808.22600,N,01134.52400,W,1,08,10.0,519.3,M,,M,,*"))
    let body = sentence.utf8.dropFirst().prefix { $0 != UInt8(ascii: "*") }
    let sum = try #require(UInt8(sentence.dropLast().suffix(2), radix: 16))
    #expect(body.reduce(UInt8(0)) { $0 ^ $1 } == sum)
    let south = try #require(NMEAFix.gga(try fix(-0.5, 179.999_999_99, accuracy: 2)))
    #expect(south.contains(",0030.00000,S,18000.00000,E,1,08,5.0,,M"))
  }

  @Test(arguments: [(0.5, "2.0"), (3, "5.0"), (3.1, "10.0"), (99, "20.0"), (300, "50.0"), (300.1, nil)])
  func `no accuracy is claimed that the fix does not have`(meters: Double, hdop: String?) throws {
    let sentence = NMEAFix.gga(try fix(1, 2, accuracy: meters))
    #expect(sentence?.split(separator: ",")[8].description == hdop)
  }
}

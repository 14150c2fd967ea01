import LocationCore
import Testing

@testable import LocationRuntime

/// Sentences of NMEA 0183 in gpsd's words.
@Suite struct NMEABridgeTests {
  private static let place = "$GPRMC,120000,A,4807.038,N,01131.000,E,0,0,230394,,*13\n"
  private static let height = "$GPGGA,120000,4807.038,N,01131.000,E,1,08,,545.4,M,46.9,M,,*6E\n"
  private static let twoDimensions = "$GPGSA,A,2,04,05,,,,,,,,,,,,,*1C\n"
  private static let threeDimensions = "$GPGSA,A,3,04,05,,,,,,,,,,,,,*1D\n"

  /// Without a dilution, so that the accuracy follows from the dimensions.
  @Test(arguments: [place, twoDimensions + place, threeDimensions + place, place + height])
  func `a fix is as accurate live as in a file`(sentences: String) throws {
    var bridge = NMEABridge(name: "boat")
    let live = try Reading(bridge.greeting + bridge.read(Array(sentences.utf8).span))
    let file = try Reading(sentences)
    #expect(file.fixes.count == 1 && file.failure == nil)
    #expect(live.fixes.map(\.accuracy) == file.fixes.map(\.accuracy))
  }
}

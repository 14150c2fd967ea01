import Foundation
import LocationCore
import LocationLab
import TestSupport

/// A drive of 200 m, as a receiver tells it.
///
/// It stands for ten seconds first: gpsd opens its receiver for the first client, and what was said before is lost.
enum ShortDrive {
  /// Seconds from one sentence to the next, of which each fix has two.
  static let secondsBetweenSentences = 0.5
  /// Settings for who may get its fixes late, as beside other tests.
  static let settings = "fix: {max_age_s: 600}\n"
  /// A region of 60 m around its end, `end`, as GeoJSON.
  static let places = """
    {"type":"FeatureCollection","features":[{"type":"Feature","id":"end","properties":{"radius_m":60},
    "geometry":{"type":"Point","coordinates":[13.3777,52.5181]}}]}
    """

  /// Now, by the machine's clock.
  static var now: UTCTime { UTCTime(microseconds: Int64(Date().timeIntervalSince1970 * 1e6)) }

  /// Writes it as NMEA; its path.
  static func log(startingAt time: UTCTime, in folder: TemporaryFolder) throws -> String {
    let scenario = """
      start: \(time.rfc3339)
      seed: 7
      by: car
      steps: [at: [52.5163, 13.3777], stop_s: 10, to: [52.5181, 13.3777], stop_s: 6]
      """
    var text = SynthText(try SynthScenario(yaml: Array(scenario.utf8), file: "drive.yaml"), as: .nmea)
    var bytes: [UInt8] = []
    text.write { bytes += $0 }
    return folder.write("drive.nmea", String(decoding: bytes, as: UTF8.self))
  }
}

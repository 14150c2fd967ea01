import Foundation
package import LocationCore

/// What a receiver that stands still says, in NMEA 0183.
package enum ReceiverText {
  /// One epoch, at this moment.
  package static func epoch() -> String {
    epoch(at: UTCTime(microseconds: Int64(Date().timeIntervalSince1970 * 1e6)))
  }

  /// One epoch: 52.5163 north, 13.3777 east, HDOP 0.9.
  package static func epoch(at time: UTCTime) -> String {
    let now = Array(time.rfc3339.utf8)
    func text(_ ranges: ClosedRange<Int>...) -> String {
      ranges.map { String(decoding: now[$0], as: UTF8.self) }.joined()
    }
    let clock = text(11...12, 14...15, 17...22)
    let date = text(8...9, 5...6, 2...3)
    let place = "5230.978000,N,01322.662000,E"
    return sentence("GPRMC,\(clock),A,\(place),0.0,0.0,\(date),,,A")
      + sentence("GPGGA,\(clock),\(place),1,08,0.9,34.0,M,0.0,M,,")
  }

  private static func sentence(_ body: String) -> String {
    let sum = body.utf8.reduce(0) { $0 ^ $1 }
    let hex = String(sum, radix: 16, uppercase: true)
    return "$\(body)*\(hex.count < 2 ? "0" : "")\(hex)\r\n"
  }
}

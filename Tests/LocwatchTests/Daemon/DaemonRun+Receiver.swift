import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// Where the machine is, and what became of its receiver.
extension DaemonRun {
  /// Says where the machine is, as of so many seconds ago.
  func say(_ latitude: Double, ago seconds: Double = 0) {
    let time = UTCTime(microseconds: Int64((Date().timeIntervalSince1970 - seconds) * 1e6)).rfc3339
    gpsd.say(
      #"{"class":"TPV","device":"/dev/ttyTEST","mode":3,"time":"\#(time)","eph":5.0,"lon":11.5,"#
        + #""lat":\#(latitude),"speed":20.0}"#)
  }

  /// Waits until it asks gpsd for fixes, which may take half a minute: other tests go on meanwhile.
  func waitForSearch(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await wait("a connection to gpsd", sourceLocation: sourceLocation) { gpsd.connect(seconds: 0) }
  }

  /// Waits until it has let go of gpsd.
  func waitForRelease(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await wait("the release of gpsd", sourceLocation: sourceLocation) { gpsd.waitForRelease(seconds: 0) }
  }

  /// What the engine was told, as the journal has it.
  func journaled() throws -> [Stamped] {
    var events: [Stamped] = []
    try StateDatabase.openToRead(path: state)?.journal(after: 0) { stamped in
      events.append(stamped)
      return true
    }
    return events
  }

  /// When the receiver was switched, and how.
  func switches() throws -> [(at: EngineInstant, event: ReceiverEvent)] {
    try journaled().compactMap { stamped in
      if case .receiver(let event) = stamped.event { (stamped.at, event) } else { nil }
    }
  }
}

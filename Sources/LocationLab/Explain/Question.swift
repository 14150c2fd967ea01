package import LocationCore
import LocationRuntime

/// Why something did, or did not, happen: what is asked about. What is nil is left open.
package struct Question: Hashable, Sendable {
  /// When; the newest moment that is known where neither this nor an event is named.
  package var at: UTCTime?
  /// The id of a record, or of a report.
  package var event: Int?
  /// A region's id.
  package var region: String?
  /// A subscriber's name.
  package var subscriber: String?

  package init(
    at: UTCTime? = nil, event: Int? = nil, region: String? = nil, subscriber: String? = nil
  ) {
    self.at = at
    self.event = event
    self.region = region
    self.subscriber = subscriber
  }

  /// The last microsecond that is asked about: a time in whole seconds means all of that second, as it is printed.
  var until: UTCTime? {
    at.map { at in
      let isWhole = at.microseconds % 1_000_000 == 0
      return isWhole ? UTCTime(microseconds: at.microseconds.saturatingAdd(999_999)) : at
    }
  }
}

import LocationCore
import LocationFormats

/// What a program that is started for one event finds in its environment: the record in plain words.
package enum EventVariables {
  /// The names, all of which are set or absent for each event.
  package static let names = [
    "LOCWATCH_EVENT", "LOCWATCH_REGION", "LOCWATCH_TIME", "LOCWATCH_LAT", "LOCWATCH_LON", "LOCWATCH_ACCURACY",
    "LOCWATCH_DWELL_S",
  ]

  /// `NAME=VALUE` for what the record says.
  ///
  /// - Parameter line: a record as a line of JSON; of anything else follows nothing.
  package static func entries(of line: [UInt8]) -> [String] {
    guard let record = try? JSONTree(line), let type = record["type"]?.string else { return [] }
    var entries: [String] = []
    func add(_ name: String, _ value: String?) { if let value { entries.append("\(name)=\(value)") } }
    func number(_ key: String) -> String? {
      if case .number(let text) = record[key] { text } else { nil }
    }
    func time(_ key: String) -> UTCTime? { record[key]?.string.flatMap { UTCTime(rfc3339: $0) } }
    add("LOCWATCH_EVENT", EventKind(type: type)?.rawValue ?? type)
    add("LOCWATCH_REGION", record["region"]?.string)
    add("LOCWATCH_TIME", record["time"]?.string)
    add("LOCWATCH_LAT", number("lat"))
    add("LOCWATCH_LON", number("lon"))
    add("LOCWATCH_ACCURACY", number("acc_m") ?? number("radius_m"))
    if let seconds = number("inside_s") {
      add("LOCWATCH_DWELL_S", seconds)
    } else if let arrived = time("arrived"), let departed = time("departed") ?? time("seen") ?? time("time") {
      add("LOCWATCH_DWELL_S", Wording.number(arrived.seconds(to: departed), FixedPoint.thousandths))
    }
    return entries
  }
}

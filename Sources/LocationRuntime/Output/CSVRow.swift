import LocationCore
import LocationFormats

/// A record as a row of comma-separated values, one column set for all types.
enum CSVRow {
  static let header =
    "seq,id,type,time,track,lat,lon,acc_m,region,subscriber,action,rule,state_before,state_after,event,reason\n"

  /// The row after its number.
  static func encode(_ record: Record, track: String?) -> [UInt8] {
    var row = ["\(record.id)", record.type, record.time.rfc3339, track ?? ""]
    var place = ["", "", ""]
    var rest = [String](repeating: "", count: 8)
    func locate(_ coordinate: Coordinate, _ accuracy: Accuracy) {
      place = [
        Wording.number(coordinate.latitude, FixedPoint.degrees),
        Wording.number(coordinate.longitude, FixedPoint.degrees),
        Wording.number(accuracy.radiusMeters, FixedPoint.meters),
      ]
    }
    switch record.body {
    case .significant(let change):
      locate(change.fix.coordinate, change.fix.accuracy)
      rest[7] = change.reason.rawValue
    case .region(let event):
      locate(event.coordinate, event.accuracy)
      rest[0] = event.region
      rest[7] = event.reason.rawValue
    case .visit(let event):
      locate(event.coordinate, Accuracy(radiusMeters: event.radiusMeters, source: .reported))
      rest[7] = event.reason.rawValue
    case .location(let update):
      locate(update.coordinate, update.accuracy)
      rest[7] = update.reason.rawValue
    case .pause(let event):
      rest[1] = event.subscriber
      rest[7] = event.reason.rawValue
    case .gap(_, let reason): rest[7] = reason.rawValue
    case .source(.found(let name)), .source(.switched(let name)): rest[7] = name
    case .source(.stale(let reason, _)): rest[7] = reason.rawValue
    case .source(.dropped): rest[7] = "dropped"
    case .fixAccepted(let fix, _): locate(fix.coordinate, fix.accuracy)
    case .fixRejected(let reason, let report):
      if report.latitude.isFinite { place[0] = Wording.number(report.latitude, FixedPoint.degrees) }
      if report.longitude.isFinite { place[1] = Wording.number(report.longitude, FixedPoint.degrees) }
      rest[7] = reason.rawValue
    case .decision(let decision):
      rest = [
        "", decision.subscriber, decision.action.rawValue, decision.rule.rawValue, decision.before.rawValue,
        decision.after.rawValue, decision.event.map(String.init) ?? "", decision.reason.rawValue,
      ]
    case .subscriberState(let move):
      rest = [
        "", move.subscriber, "", "", move.before.rawValue, move.after.rawValue, "", move.cause.rawValue,
      ]
    case .power(let entry):
      rest[1] = entry.subscriber
      rest[3] = entry.rule.rawValue
      rest[7] = entry.component.rawValue
    case .advice(let advice):
      rest[1] = advice.subscriber
      rest[3] = advice.rule.rawValue
      rest[7] = advice.cheaper.rawValue
    case .receiver(let order): rest[7] = order.reason.rawValue
    case .refused(let what, let reason): rest[7] = "\(what): \(reason)"
    }
    row += place + rest
    return Array(("," + row.map(quoted).joined(separator: ",")).utf8)
  }

  /// RFC 4180: quoted where it holds a comma, a quote or a line end.
  private static func quoted(_ field: String) -> String {
    guard field.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return field }
    var text = "\""
    for character in field { text += character == "\"" ? "\"\"" : String(character) }
    return text + "\""
  }
}

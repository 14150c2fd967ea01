package import LocationCore

extension RecordFields {
  /// The fields of a record that was kept as a line.
  package init(_ line: JSONTree) {
    self.init(type: line["type"]?.string ?? "?")
    guard case .object(let members) = line else { return }
    for member in members {
      switch member.value {
      case .string(let text): add(member.key, .text(text))
      case .number(let digits): if let value = Double(digits) { add(member.key, .number(value)) }
      case .object, .array, .boolean, .null: break
      }
    }
    recordTime = line["time"]?.string.flatMap { UTCTime(rfc3339: $0) }
    if let latitude = line["lat"]?.double, let longitude = line["lon"]?.double {
      position(latitude: latitude, longitude: longitude, "")
    }
    if let meters = line["acc_m"]?.double {
      let source = line["acc_source"]?.string.flatMap { Accuracy.Source(rawValue: $0) }
      accuracy(Accuracy(radiusMeters: meters, source: source ?? .reported), "")
    }
  }
}

extension TextRecord {
  /// A record of its line; nil for one that people get otherwise.
  package init?(_ line: JSONTree, in units: MeasureUnits = .metric, tellsNotifications: Bool = false) {
    var fields = RecordFields(line)
    fields.units = units
    fields.tellsNotifications = tellsNotifications
    self.init(fields, other: line.text)
  }
}

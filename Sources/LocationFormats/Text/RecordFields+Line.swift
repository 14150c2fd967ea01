package import LocationCore

extension RecordFields {
  /// The fields of a record that was kept as a line.
  package init(_ line: JSONTree) {
    self.init(type: line["type"]?.text(or: nil) ?? "?")
    guard case .object(let members) = line else { return }
    func number(_ key: String) -> Double? {
      if case .number(let digits) = line[key] { Double(digits) } else { nil }
    }
    for member in members {
      switch member.value {
      case .string(let text): add(member.key, .text(text))
      case .number(let digits): if let value = Double(digits) { add(member.key, .number(value)) }
      case .object, .array, .boolean, .null: break
      }
    }
    if let latitude = number("lat"), let longitude = number("lon") {
      position(latitude: latitude, longitude: longitude, "")
    }
    if let meters = number("acc_m") {
      let source = line["acc_source"]?.text(or: nil).flatMap { Accuracy.Source(rawValue: $0) }
      accuracy(Accuracy(radiusMeters: meters, source: source ?? .reported), "")
    }
  }
}

extension TextRecord {
  /// A record of its line; nil for one that people get otherwise.
  package init?(_ line: JSONTree, in units: MeasureUnits = .metric) {
    var fields = RecordFields(line)
    fields.units = units
    self.init(fields, other: line.text)
  }
}

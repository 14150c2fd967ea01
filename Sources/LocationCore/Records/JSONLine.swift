/// Writes the members of one JSON object in the order in which they are given.
package struct JSONLine {
  /// The bytes written so far, without the opening brace's own line.
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false

  package init() {}

  /// The bytes of an object with these members, and the line's end.
  package static func line(_ members: (inout JSONLine) -> Void) -> [UInt8] {
    var line = JSONLine()
    line.open()
    members(&line)
    line.close()
    return line.bytes + [UInt8(ascii: "\n")]
  }

  /// Starts over, keeping the memory.
  package mutating func reset() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  /// Goes on in an object whose first members were written elsewhere.
  package mutating func resume() { needsComma = true }

  /// Opens the line, or an object that is a member.
  package mutating func open(_ key: StaticString? = nil) {
    if let key { self.key(key) }
    bytes.append(UInt8(ascii: "{"))
    needsComma = false
  }

  /// Opens an object that is a member and whose key is data.
  package mutating func open(named key: String) {
    self.key(named: key)
    open()
  }

  /// Closes the innermost object.
  package mutating func close() {
    bytes.append(UInt8(ascii: "}"))
    needsComma = true
  }

  /// A member; none where the value is not known.
  package mutating func member(_ key: StaticString, _ value: String?) {
    guard let value else { return }
    self.key(key)
    string(value)
  }

  /// A member; none where the value is not known.
  package mutating func member(_ key: StaticString, _ value: Int?) {
    guard let value else { return }
    self.key(key)
    FixedPoint.append(value, to: &bytes)
  }

  /// A member; none where the value is not known.
  package mutating func member(_ key: StaticString, _ value: Double?, decimals: Int) {
    guard let value, value.isFinite else { return }
    self.key(key)
    FixedPoint.append(value, decimals: decimals, to: &bytes)
  }

  /// A member; none where the value is not known.
  package mutating func member(_ key: StaticString, _ value: UTCTime?) {
    guard let value else { return }
    self.key(key)
    bytes.append(UInt8(ascii: "\""))
    value.appendRFC3339(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// A member that is a list of strings.
  package mutating func member(_ key: StaticString, _ value: [String]) {
    list(key, value) { $0.string($1) }
  }

  /// A member; none where the value is not known.
  package mutating func member(_ key: StaticString, _ value: Bool?) {
    guard let value else { return }
    self.key(key)
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  /// A member that is JSON already; none where the value is not known.
  package mutating func member(json key: StaticString, _ value: String?) {
    guard let value else { return }
    self.key(key)
    bytes.append(contentsOf: value.utf8)
  }

  /// A member that is a list of objects.
  package mutating func objects<Element>(
    _ key: StaticString, _ values: [Element], _ describe: (Element, inout JSONLine) -> Void
  ) {
    list(key, values) { line, value in
      line.open()
      describe(value, &line)
      line.close()
    }
  }

  /// A member that is a list of numbers.
  package mutating func array(_ key: StaticString, _ values: [Double], decimals: Int) {
    list(key, values) { FixedPoint.append($1, decimals: decimals, to: &$0.bytes) }
  }

  /// A member whose key is data.
  package mutating func member(named key: String, _ value: String) {
    self.key(named: key)
    string(value)
  }

  /// A member whose key is data.
  package mutating func member(named key: String, _ value: Int) {
    self.key(named: key)
    FixedPoint.append(value, to: &bytes)
  }

  private mutating func list<Element>(
    _ key: StaticString, _ values: [Element], _ write: (inout JSONLine, Element) -> Void
  ) {
    self.key(key)
    bytes.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      write(&self, value)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func key(named key: String) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
    string(key)
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func key(_ key: StaticString) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
    bytes.append(UInt8(ascii: "\""))
    key.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func string(_ value: String) { JSONString.append(value, to: &bytes) }
}

extension JSONLine: RecordVisitor {
  /// Writes a record's members: the common ones after `v` and `seq`, then those of its type.
  package mutating func write(_ record: Record, track: String?) {
    member("id", record.id)
    member("type", record.type)
    member("time", record.time)
    member("track", track)
    record.body.describe(to: &self)
  }

  package mutating func text(
    _ key: StaticString, _ value: String?, _ meaning: StaticString, column: CSVColumn?
  ) {
    member(key, value)
  }

  package mutating func count(_ key: StaticString, _ value: Int?, _ meaning: StaticString) {
    member(key, value)
  }

  package mutating func number(
    _ key: StaticString, _ value: Double?, _ unit: RecordUnit, _ meaning: StaticString, column: CSVColumn?
  ) {
    member(key, value, decimals: unit.decimals)
  }

  package mutating func time(_ key: StaticString, _ value: UTCTime?, _ meaning: StaticString) {
    member(key, value)
  }

  package mutating func position(latitude: Double, longitude: Double, _ meaning: StaticString) {
    member("lat", latitude, decimals: FixedPoint.degrees)
    member("lon", longitude, decimals: FixedPoint.degrees)
  }

  package mutating func accuracy(_ accuracy: Accuracy, _ meaning: StaticString) {
    member("acc_m", accuracy.radiusMeters, decimals: FixedPoint.meters)
  }

  package mutating func verdicts(
    _ key: StaticString, _ verdicts: [RegionVerdict], _ meaning: StaticString
  ) {
    guard !verdicts.isEmpty else { return }
    open(key)
    for verdict in verdicts {
      open(named: verdict.region)
      verdict.describe(to: &self)
      close()
    }
    close()
  }

  package mutating func flag(_ key: StaticString, _ value: Bool?, _ meaning: StaticString) {
    member(key, value)
  }

  package mutating func inputs(
    _ key: StaticString, _ inputs: Decision.Inputs?, _ meaning: StaticString
  ) {
    guard let inputs else { return }
    open(key)
    inputs.describe(to: &self)
    close()
  }
}

/// A string as JSON has it.
package enum JSONString {
  /// Appends a string, escaped where it must be.
  package static func append(_ value: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    var value = value
    value.withUTF8 { text in
      if unsafe text.contains(where: isEscaped) {
        for place in text.indices { appendCharacter(unsafe text[place], to: &bytes) }
      } else {
        unsafe bytes.append(contentsOf: text)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether JSON does not let the byte stand in a string as it is.
  @inline(__always)
  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func appendCharacter(_ byte: UInt8, to bytes: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    case 0..<0x20:
      bytes.append(contentsOf: "\\u00".utf8)
      bytes.append(hexadecimal: byte)
    default: bytes.append(byte)
    }
  }
}

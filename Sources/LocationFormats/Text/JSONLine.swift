package import LocationCore

/// Writes the members of one JSON object in the order in which they are given.
package struct JSONLine {
  /// The bytes written so far, without the opening brace's own line.
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false

  package init() {}

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
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    string(key)
    bytes.append(UInt8(ascii: ":"))
    bytes.append(UInt8(ascii: "{"))
    needsComma = false
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

  /// A member; none where the value is not known.
  package mutating func member(_ key: StaticString, _ value: [String]) {
    self.key(key)
    bytes.append(UInt8(ascii: "["))
    for (index, element) in value.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      string(element)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// A member.
  package mutating func member(_ key: StaticString, _ value: Bool?) {
    guard let value else { return }
    self.key(key)
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  /// A member that is a list of numbers.
  package mutating func array(_ key: StaticString, _ values: [Double], decimals: Int) {
    self.key(key)
    bytes.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      FixedPoint.append(value, decimals: decimals, to: &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// A member whose key is data.
  package mutating func member(named key: String, _ value: Int) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
    string(key)
    bytes.append(UInt8(ascii: ":"))
    FixedPoint.append(value, to: &bytes)
  }

  private mutating func key(_ key: StaticString) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
    bytes.append(UInt8(ascii: "\""))
    key.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func string(_ value: String) { JSONText.append(value, to: &bytes) }
}

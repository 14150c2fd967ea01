/// The text of one report that libgps reads: composed here, from the members that our own scan has found.
///
/// libgps's parser of a list of devices loops for ever over a fifth device (gpsd 3.22, `json_device_read`), and
/// other faults of that kind may be left in it. So no byte of a line reaches it unseen. It gets one flat object
/// with these members, in this order, each at most once:
///
/// | class | members |
/// | --- | --- |
/// | `TPV` | ``integers``, then ``reportNumbers`` |
/// | `GST` | ``deviationNumbers`` |
///
/// An integer has one or two digits. A number has at most ``maximumNumberBytes`` bytes, each a digit or one of
/// `+-.eE`. The text has no white space and no strings but these names, and at most ``maximumBytes`` bytes.
package struct LibgpsText {
  /// The longest number, bytes: gpsd prints at most 20, and a double never needs more than 24.
  package static let maximumNumberBytes = 40
  /// The longest text, bytes: twice what the longest names and numbers come to.
  package static let maximumBytes = 1024

  /// Members of a TPV report that are small integers.
  package static let integers: [StaticString] = ["mode", "status"]
  /// Members of a TPV report that are numbers.
  package static let reportNumbers: [StaticString] = [
    "lat", "lon", "alt", "altHAE", "altMSL", "speed", "track", "eph", "epx", "epy",
  ]
  /// Members of a GST report: standard deviations to the north and to the east.
  package static let deviationNumbers: [StaticString] = ["lat", "lon"]

  /// The text as a C string.
  package private(set) var characters: [CChar] = []
  /// Where in the line the value of each member stands.
  private var values: [Range<Int>?] = []

  package init() {}

  /// Composes the text of a TPV report.
  ///
  /// - Parameter line: one whole JSON object.
  package mutating func composeReport(from line: Span<UInt8>) {
    begin("{\"class\":\"TPV\"")
    append(Self.integers, from: line, isInteger: true)
    append(Self.reportNumbers, from: line, isInteger: false)
    end()
  }

  /// Composes the text of a GST report.
  ///
  /// - Parameter line: one whole JSON object.
  package mutating func composeDeviations(from line: Span<UInt8>) {
    begin("{\"class\":\"GST\"")
    append(Self.deviationNumbers, from: line, isInteger: false)
    end()
  }

  private mutating func begin(_ head: StaticString) {
    characters.removeAll(keepingCapacity: true)
    append(head)
  }

  private mutating func end() {
    append("}")
    characters.append(0)
  }

  private mutating func append(_ names: [StaticString], from line: Span<UInt8>, isInteger: Bool) {
    find(names, in: line, isInteger: isInteger)
    for (name, value) in zip(names, values) {
      guard let value else { continue }
      append(",\"")
      append(name)
      append("\":")
      for index in value { characters.append(CChar(bitPattern: line[index])) }
    }
  }

  /// Notes where the values stand. Of a member that is there twice the last counts, as for ``FixLine``.
  private mutating func find(_ names: [StaticString], in line: Span<UInt8>, isInteger: Bool) {
    values.removeAll(keepingCapacity: true)
    for _ in names { values.append(nil) }
    var scanner = JSONScanner()
    guard scanner.take(UInt8(ascii: "{"), in: line) else { return }
    repeat {
      guard let key = scanner.string(in: line), scanner.take(UInt8(ascii: ":"), in: line),
        let value = scanner.value(in: line)
      else { return }
      guard let index = Self.index(of: line.extracting(key), in: names) else { continue }
      values[index] = Self.accepted(value, in: line, isInteger: isInteger)
    } while scanner.take(UInt8(ascii: ","), in: line)
  }

  private static func index(of key: Span<UInt8>, in names: [StaticString]) -> Int? {
    for index in names.indices where key.equals(names[index]) { return index }
    return nil
  }

  private static func accepted(_ value: JSONScanner.Value, in line: Span<UInt8>, isInteger: Bool) -> Range<
    Int
  >? {
    guard case .number(let range) = value else { return nil }
    guard isInteger else { return range.count <= maximumNumberBytes ? range : nil }
    guard range.count <= 2 else { return nil }
    for index in range where line[index].decimalDigit == nil { return nil }
    return range
  }

  private mutating func append(_ text: StaticString) {
    for index in 0..<text.utf8CodeUnitCount {
      unsafe characters.append(CChar(bitPattern: text.utf8Start[index]))
    }
  }
}

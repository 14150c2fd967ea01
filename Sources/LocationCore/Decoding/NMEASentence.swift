/// One sentence of NMEA 0183, taken apart: `$GPRMC,085417.000,A,…*67`.
package struct NMEASentence {
  /// Its last three letters, such as `RMC`; who talks stands before them and does not matter.
  package let kind: [UInt8]
  /// Where its fields stand in the line, without the address; empty fields are empty ranges.
  private let fields: [Range<Int>]
  private let line: [UInt8]

  /// The longest line that is looked at, bytes: NMEA 0183 allows 82, and loggers put their own words before it.
  package static let maximumLineBytes = 1024

  /// Finds the sentence in a line; loggers may put a time or a tag block before it, and a serial line that overran the
  /// beginning of another.
  ///
  /// - Parameter verifies: whether a wrong checksum counts.
  /// - Returns: nil where there is none, or where its checksum says that it was damaged. A sentence without a checksum
  ///   is taken as it is.
  package init?(_ text: Span<UInt8>, verifies: Bool = true) {
    for place in text.indices where text[place] == Self.dollar {
      guard let body = Self.body(text, after: place, verifies: verifies) else { continue }
      let line = text.extracting(body).array
      let parts = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      guard let address = parts.first, address.count == 5,
        address.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
      else { continue }
      kind = Array(address.suffix(3))
      fields = parts.dropFirst().map(\.indices)
      self.line = line
      return
    }
    return nil
  }

  private static let dollar = UInt8(ascii: "$")

  /// What lies between a `$` and the checksum, or the end of the line; nil where it is damaged.
  private static func body(_ text: Span<UInt8>, after place: Int, verifies: Bool) -> Range<Int>? {
    let start = place + 1
    var end = start
    var sum: UInt8 = 0
    while end < text.count, text[end] != UInt8(ascii: "*"), !text[end].isXMLSpace || text[end] == 0x20 {
      // This sentence lost its end: the next one begins here.
      if text[end] == dollar { return nil }
      sum ^= text[end]
      end += 1
    }
    guard verifies, end < text.count, text[end] == UInt8(ascii: "*") else { return start..<end }
    guard end + 2 < text.count, let high = text[end + 1].hexadecimalDigit,
      let low = text[end + 2].hexadecimalDigit, high << 4 | low == sum
    else { return nil }
    return start..<end
  }

  /// Whether it is of a kind, given as three letters.
  package func isKind(_ name: StaticString) -> Bool { kind.span.equals(name) }

  /// The bytes of a field, counted from 1; none where it is missing.
  private func bytes(_ field: Int) -> ArraySlice<UInt8> {
    fields.indices.contains(field - 1) ? line[fields[field - 1]] : []
  }

  /// A number; nil where the field is empty or no number.
  package func number(_ field: Int) -> Double? { Double(xsdDecimal: Array(bytes(field)).span) }

  /// The first letter of a field; nil where it is empty.
  package func letter(_ field: Int) -> UInt8? { bytes(field).first }

  /// All letters of a field; none where it is empty.
  package func letters(_ field: Int) -> [UInt8] { Array(bytes(field)) }

  /// Degrees from `ddmm.mmm` and the letter of the next field, which is `negative` for south or west.
  package func degrees(_ field: Int, negative: UInt8) -> Double? {
    guard let number = number(field), number >= 0, let letter = letter(field + 1) else { return nil }
    let whole = (number / 100).rounded(.down)
    let degrees = whole + (number - whole * 100) / 60
    return letter == negative ? -degrees : degrees
  }

  /// Microseconds since midnight from `hhmmss.sss`.
  package func timeOfDay(_ field: Int) -> Int64? {
    guard let number = number(field), number >= 0, number < 240_000, bytes(field).count >= 6 else {
      return nil
    }
    let whole = Int64(number)
    let (hour, minute, second) = (whole / 10_000, whole / 100 % 100, whole % 100)
    guard minute < 60, second < 61 else { return nil }
    let fraction = Int64(((number - Double(whole)) * 1_000_000).rounded())
    return ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction
  }

  /// Days since 1970 from `ddmmyy`.
  package func day(_ field: Int) -> Int? {
    guard bytes(field).count == 6, let number = number(field) else { return nil }
    let whole = Int(number)
    return CivilDate(year: Self.year(whole % 100), month: whole / 100 % 100, day: whole / 10_000)?
      .daysSince1970
  }

  /// A year of two digits: no receiver is older than 1980.
  private static func year(_ digits: Int) -> Int { digits < 80 ? 2000 + digits : 1900 + digits }

  /// Days since 1970 from three fields: day, month, year. Some receivers write two digits of the year here too.
  package func day(ofFields first: Int) -> Int? {
    guard let day = number(first), let month = number(first + 1), let year = number(first + 2),
      (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    let whole = year < 100 ? Self.year(Int(year)) : Int(year)
    return CivilDate(year: whole, month: Int(month), day: Int(day))?.daysSince1970
  }
}

extension NMEASentence {
  /// Whether ``NMEADecoder`` makes anything of it.
  package var isOfPosition: Bool {
    isKind("RMC") || isKind("GGA") || isKind("GNS") || isKind("GLL") || isKind("ZDA")
  }

  /// Appends a sentence: `$`, the body that `fill` appends, its checksum and the end of the line.
  package static func append(to text: inout [UInt8], _ fill: (inout [UInt8]) -> Void) {
    func hexDigit(_ value: UInt8) -> UInt8 {
      value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
    text.append(dollar)
    let first = text.count
    fill(&text)
    let checksum = text[first...].reduce(0, ^)
    text += [UInt8(ascii: "*"), hexDigit(checksum >> 4), hexDigit(checksum & 15)]
    text += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
  }
}

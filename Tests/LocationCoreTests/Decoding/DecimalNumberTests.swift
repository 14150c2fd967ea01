import LocationCore
import TestSupport
import Testing

@Suite("Decimal numbers")
struct DecimalNumberTests {
  static func decimal(_ text: String) -> Double? { Double(xsdDecimal: Array(text.utf8).span) }
  static func json(_ text: String) -> Double? { Double(jsonNumber: Array(text.utf8).span) }

  @Test(
    "an XML Schema decimal has an optional sign, digits and at most one point",
    arguments: [
      ("45.5", 45.5), ("+45.5", 45.5), (" 45.5 ", 45.5), ("-0", -0.0), (".5", 0.5), ("5.", 5), ("007", 7),
      ("-45.49999999999999999999999999", -45.5), ("0.1", 0.1), ("11.5754000000000000", 11.5754),
      ("0." + String(repeating: "3", count: 400), 1.0 / 3), (String(repeating: "1", count: 400), .infinity),
      ("-122.40666670000001", -122.40666670000001), ("0.000000000000000000000000000001", 1e-30),
    ])
  func decimals(text: String, value: Double) {
    let read = Self.decimal(text)
    #expect(read == value && read?.sign == value.sign, "\(text)")
  }

  @Test(
    "exponents, other number systems and decorations are no decimals",
    arguments: [
      "", " ", ".", "-", "+", "4.55e1", "4.55E+01", "0x2D", "NaN", "nan", "INF", "inf", "-Infinity", "45,5",
      "45.5°", "N45.5", "45.5.5", "45 5", "45_5", "45.5f", "--45", "+-45", "٤٥.٥", "−45.5", "1e", "\u{0}5",
    ])
  func notDecimals(text: String) {
    #expect(Self.decimal(text) == nil)
  }

  @Test("every spelling of the corpus has the value of its table", .enabled(if: Corpus.folder != nil))
  func corpus() {
    let rows = CorpusTable.rows("hostile/num-latitudes.expected.csv")
    #expect(rows.count == 52)
    for row in rows where !row[1].contains("...") {
      let value = Self.decimal(row[1])
      #expect((value != nil) == (row[2] == "1"), "\(row)")
      if let expected = Double(row[3]) {
        #expect(value == expected, "\(row)")
      } else if let value {
        #expect(abs(value) > 90, "\(row)")
      }
    }
  }

  @Test(
    "a JSON number follows RFC 8259",
    arguments: [
      ("0", 0), ("-0", -0.0), ("10", 10), ("-1.5", -1.5), ("1e3", 1000), ("1E-3", 0.001), ("1.25e+2", 125),
      ("0e5", 0), ("1e400", .infinity), ("1e-400", 0), ("1e99999999999", .infinity),
      ("123456789012345678901234567890", 1.2345678901234568e29),
      ("2.2250738585072014e-308", 2.2250738585072014e-308), ("4.9e-324", .leastNonzeroMagnitude),
    ])
  func jsonNumbers(text: String, value: Double) {
    #expect(Self.json(text) == value)
  }

  @Test(
    "what RFC 8259 does not allow is no JSON number",
    arguments: ["", "-", "+1", ".5", "5.", "01", "-01", "1.e3", "1e", "1e+", "0x1", "NaN", " 1", "1 ", "1-"])
  func notJSONNumbers(text: String) {
    #expect(Self.json(text) == nil)
  }

  @Test("every decimal is rounded as the standard library rounds it")
  func rounding() {
    var random = SeededRandom(12)
    for _ in 0..<4000 {
      let digits = (0..<Int.random(in: 1...24, using: &random)).map { _ in
        "\(Int.random(in: 0...9, using: &random))"
      }
      let point = Int.random(in: 0...digits.count, using: &random)
      let text =
        (random.chance(0.5) ? "-" : "") + digits[..<point].joined() + "." + digits[point...].joined()
      #expect(Self.decimal(text)?.bitPattern == Double(text)?.bitPattern, "\(text) \(random)")
      let scientific =
        "\(Int.random(in: 1...9, using: &random)).\(digits.joined())e\(Int.random(in: -330...310, using: &random))"
      #expect(Self.json(scientific)?.bitPattern == Double(scientific)?.bitPattern, "\(scientific) \(random)")
    }
  }

  @Test("halfway cases go to the even neighbour")
  func halfway() {
    var random = SeededRandom(13)
    for _ in 0..<1000 {
      // Exactly between two doubles: an odd 54-bit number over a power of two, written in full.
      let odd = (UInt64.random(in: (1 << 53)..<(1 << 54), using: &random)) | 1
      #expect(Self.decimal("\(odd)") == Double(odd), "\(odd) \(random)")
      let half = "\(odd / 2 | 1 << 52).5"
      #expect(Self.decimal(half) == Double(half), "\(half) \(random)")
    }
  }
}

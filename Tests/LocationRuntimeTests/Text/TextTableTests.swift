import Testing

@testable import LocationFormats

/// Tables for terminals.
@Suite struct TextTableTests {
  private let table = TextTable(
    header: ["POLICY", "FOUND", "", "ENERGY"],
    rows: [["one", "3 of 3", "", "12 J"], ["the other", "", "", "4 J"]])

  @Test func `a table that fits is a table`() {
    let lines = "POLICY     FOUND   ENERGY\none        3 of 3  12 J\nthe other          4 J\n"
    #expect(table.text == lines)
    #expect(table.text(fitting: nil) == lines)
    #expect(table.text(fitting: 25) == lines)
  }

  @Test func `a table that is too wide is a block for each row`() {
    #expect(
      table.text(fitting: 24) == "one\n  found   3 of 3\n  energy  12 J\nthe other\n  energy  4 J\n")
  }
}

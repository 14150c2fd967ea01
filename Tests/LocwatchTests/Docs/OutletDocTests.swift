import Testing

@testable import LocationFormats

/// `Docs/Outlets.md` has every kind of outlet and every body, and no other.
@Suite struct OutletDocTests {
  private let document: Markdown

  init() throws { document = try Markdown("Docs/Outlets.md") }

  @Test(arguments: OutletSettings.Kind.allCases)
  func `every kind has a section and a command that adds one`(_ kind: OutletSettings.Kind) {
    let headings = document.text.split(separator: "\n").filter { $0.hasPrefix("## ") }
    #expect(headings.contains { $0.lowercased().hasPrefix("## \(kind.rawValue)") })
    #expect(document.text.contains("--\(kind.rawValue) \(kind.scheme)s://"))
  }

  @Test func `the table of bodies has every format`() throws {
    let section = try #require(document.section("Webhooks"))
    let ahead = try #require(section.firstRange(of: "\n### "))
    let rows = Markdown.rows(in: String(section[..<ahead.lowerBound]))
    #expect(rows.flatMap { Markdown.codes(in: $0[0]) } == OutletSettings.Format.allCases.map(\.rawValue))
  }
}

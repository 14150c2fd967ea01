import Testing

@testable import LocationRuntime

/// `Docs/Live.md` and the help have each kind of source.
@Suite struct LiveDocTests {
  @Test func `every kind of source has a row, and every row is read as a source of its kind`() throws {
    let section = try #require(try Markdown("Docs/Live.md").section("The source"))
    var kinds: Set<SourceTraits.Kind> = []
    for code in Markdown.rows(in: section).flatMap({ Markdown.codes(in: $0[0]) }) {
      let named = SourceTraits.Kind.allCases.first { code.hasPrefix($0.rawValue) }
      let address = try SourceAddress(source: code.replacing("PORT", with: "10110"))
      // What names no kind is an address of gpsd.
      #expect(address.traits.kind == named ?? .gpsd, "\(code)")
      if let named { kinds.insert(named) }
    }
    #expect(kinds == Set(SourceTraits.Kind.allCases))
  }

  @Test(arguments: ["run", "watch"])
  func `the help names every kind of source`(command: String) throws {
    let help = try Markdown("Tests/LocwatchTests/Goldens/help-\(command).txt").text
    for kind in SourceTraits.Kind.allCases { #expect(help.contains(kind.rawValue), "\(kind)") }
  }
}

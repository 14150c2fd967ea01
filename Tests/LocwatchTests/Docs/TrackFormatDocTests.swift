import Testing

@testable import LocationFormats

/// The documents name every format of a track; messages and help are made of the same list.
@Suite struct TrackFormatDocTests {
  @Test func `README and the page of replay name every format`() throws {
    let readme = try #require(
      try Markdown("README.md").text.split(separator: "\n").first { $0.hasPrefix("Any GPX file works") })
    let page = try #require(try Markdown("Docs/Replay.md").section("Tracks"))
    for format in TrackReader.formats.split(separator: ", ") {
      #expect(readme.contains(format), "\(format)")
      #expect(page.contains(format), "\(format)")
    }
  }

  @Test func `the page of formats names every column of a table that is read`() throws {
    let section = try #require(try Markdown("Docs/Wire.md").section("CSV tracks"))
    for name in TableHeader.Column.allCases.flatMap(\.names) {
      #expect(section.contains("`\(name)`"), "\(name)")
    }
  }
}

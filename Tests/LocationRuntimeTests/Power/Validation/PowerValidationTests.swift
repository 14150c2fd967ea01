import Foundation
import TestSupport
import Testing

/// The model against measured phone batteries. `Docs/PowerValidation.md` has what came of it: its tables are made here,
/// and `LOCWATCH_RECORD=1` writes them.
@Suite(.enabled(if: Corpus.isPresent && Corpus.isFull)) struct PowerValidationTests {
  private static let document = "Docs/PowerValidation.md"

  @Test func theTablesOfTheDocumentAreWhatTheModelComesTo() throws {
    let data = try MobilityNet()
    let validation = try PowerValidation(data)
    let tables = ValidationTables(validation)
    let days = TrackTradeOff.days(data)
    let tradeOff = TrackTradeOff.Sampling.allCases.map {
      ($0, TrackTradeOff.result(days, $0, .iphoneClass))
    }
    var text = String(
      decoding: FileManager.default.contents(atPath: PackageRoot.file(Self.document)) ?? Data(), as: UTF8.self
    )
    for (name, table) in [
      ("errors", tables.errors), ("floor", tables.floor), ("regimes", tables.regimes),
      ("order", tables.order),
      ("bands", tables.bands), ("trade-off", ValidationTables.tradeOff(tradeOff)),
    ] {
      text = try #require(
        Self.replacing(name, in: text, with: table), "no place for \(name) in \(Self.document)")
    }
    Golden.expect(Self.document, text)

    // What the document promises.
    #expect(tables.error(.ios) <= 0.20)
    #expect(tables.error(.android, leastPoints: 10) <= 0.15)
    #expect(tables.error(.android, trips: true) <= 0.15)
    #expect(tables.coverage(.android) >= 0.80 && tables.coverage(.android) < 0.975)
    #expect(tables.coverage(.ios) >= 0.80 && tables.coverage(.ios) < 0.975)
  }

  /// The text with what stands between the marks of that name replaced; nil where they are missing.
  private static func replacing(_ name: String, in text: String, with table: [String]) -> String? {
    let begin = "<!-- \(name) -->\n"
    let end = "<!-- end of \(name) -->"
    guard let from = text.range(of: begin), let to = text.range(of: end), from.upperBound <= to.lowerBound
    else {
      return nil
    }
    return text[..<from.upperBound] + table.joined(separator: "\n") + "\n" + text[to.lowerBound...]
  }
}

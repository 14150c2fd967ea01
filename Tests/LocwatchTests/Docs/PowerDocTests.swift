import Foundation
import LocationFormats
import TestSupport
import Testing

@testable import LocationCore

/// `Docs/Power.md` has every number of every profile, as the program has it.
@Suite struct PowerDocTests {
  @Test func `the tables are those of the profiles`() throws {
    var document = try Markdown("Docs/Power.md")
    for profile in PowerProfile.builtIn {
      let text = try #require(
        document.replacing(generated: profile.name, with: Self.table(of: profile)),
        "no place for \(profile.name)")
      document = Markdown(path: document.path, text: text)
    }
    Golden.expect(document.path, document.text)
  }

  @Test func `every component is described`() throws {
    let section = try #require(try Markdown("Docs/Power.md").section("Components"))
    let described = Markdown.rows(in: section).flatMap { Markdown.codes(in: $0[0]) }
    #expect(described == PowerLedger.Component.allCases.map(\.rawValue))
  }

  /// In the order in which they are declared, without what the device has not.
  private static func table(of profile: PowerProfile) -> String {
    let rows = PowerParameter.allCases.map { name -> [String] in
      let parameter = profile[name]
      return [
        "`\(name.rawValue)`", plain(parameter.value), plain(parameter.spread), parameter.evidence.rawValue,
        parameter.source,
      ]
    }
    return Markdown.table(["parameter", "value", "spread", "mark", "source"], rows)
  }

  private static func plain(_ value: Double) -> String {
    value == value.rounded() ? "\(Int(value))" : "\(value)"
  }
}

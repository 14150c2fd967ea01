import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationLab
@testable import LocationRuntime

/// `Docs/Wire.md` names every record, key and code that is written, and every key that is read.
@Suite struct WireTests {
  static let document = "Docs/Wire.md"

  private func section(_ words: String) throws -> String {
    try #require(try Markdown(Self.document).section(words), "no section \(words)")
  }

  /// The first column of the tables in a section.
  private func firstColumn(_ words: String) throws -> [String] {
    Markdown.rows(in: try section(words)).flatMap { Markdown.codes(in: $0[0]) }
  }

  // MARK: Records

  @Test(arguments: WireSample.all)
  func `every key of a record is described, and no other`(_ sample: WireSample) throws {
    let common = Set(try firstColumn("Common keys"))
    let described = Set(try firstColumn("`\(sample.type)`"))
    let written = sample.keys
    #expect(written.subtracting(common) == described.intersection(written).subtracting(common))
    #expect(written.subtracting(common).subtracting(described).isEmpty, "\(sample.type) is missing keys")
    // Keys of one table may belong to some of its types only.
    let ofAll = WireSample.all.filter { $0.heading == sample.heading }.reduce(into: Set()) {
      $0.formUnion($1.keys)
    }
    #expect(described.subtracting(ofAll).isEmpty, "\(sample.type) does not have these keys")
    #expect(common.subtracting(written).subtracting(["time", "track"]).isEmpty)
  }

  @Test func `the tables of records are made of what the records say of themselves`() throws {
    var document = try Markdown(Self.document)
    // A table is named for the types whose fields it has, or for an object inside of a record.
    let names = document.text.matches(of: /<!-- generated: (.+) -->/).map { String($0.1) }
    let types = names.flatMap { $0.components(separatedBy: ", ") }
    #expect(Set(types) == Set(Record.families.flatMap { $0.types }).union(["verdict", "inputs"]))
    for name in names {
      var table = FieldTable()
      for body in WireSample.bodies {
        if case .fixAccepted(_, let verdicts, _) = body, name == "verdict" {
          verdicts[0].describe(to: &table)
        }
        if case .decision(let decision) = body, name == "inputs" { decision.inputs?.describe(to: &table) }
        let type = Record(id: 7, time: Fix.sample.time, body: body).type
        if name.components(separatedBy: ", ").contains(type) { body.describe(to: &table) }
      }
      document = Markdown(
        path: document.path,
        text: try #require(document.replacing(generated: name, with: table.text), "no place for \(name)"))
    }
    Golden.expect(document.path, document.text)
  }

  @Test func `every case of a record has a sample and a family`() throws {
    let source = try String(
      contentsOfFile: PackageRoot.file("Sources/LocationCore/Records/Record.swift"), encoding: .utf8)
    let body = try #require(source.split(separator: "public enum Body").last)
    let cases = body.prefix { $0 != "}" }.matches(of: /case (\w+)/).map { String($0.1) }
    let sampled = WireSample.bodies.compactMap { Mirror(reflecting: $0).children.first?.label }
    #expect(Set(cases) == Set(sampled))
    let types = WireSample.bodies.map { Record(id: 7, time: Fix.sample.time, body: $0).type }
    #expect(Set(types) == Set(Record.families.flatMap { $0.types }))
  }

  @Test func `the columns of CSV are described in their order`() throws {
    let text = try section("CSV")
    #expect(text.contains("`" + CSVRow.header.trimmingCharacters(in: .newlines) + "`"))
  }

  // MARK: Codes

  @Test(arguments: [
    ("Why a fix is refused", RejectReason.allCases.map(\.rawValue)),
    ("Actions", Decision.Action.allCases.map(\.rawValue)),
    ("Reasons of a decision", Decision.Reason.allCases.map(\.rawValue)),
    ("Kinds of a call", ModeCall.Kind.allCases.map(\.rawValue)),
    ("Reasons of a notification", NotificationRecord.Reason.allCases.map(\.rawValue)),
    ("Reasons of a region event", RegionEvent.Reason.allCases.map(\.rawValue)),
    ("Reasons of a significant change", SignificantChange.Reason.allCases.map(\.rawValue)),
    ("Verdicts on a region", RegionVerdict.Reason.allCases.map(\.rawValue)),
    ("Reasons why nobody asks", Explanation.Outcome.Silence.allCases.map(\.rawValue)),
    ("Reasons of a standard update", LocationUpdate.Reason.allCases.map(\.rawValue)),
    ("Reasons of a pause", PauseEvent.Reason.allCases.map(\.rawValue)),
    ("Reasons of a visit", VisitEvent.Reason.allCases.map(\.rawValue)),
    ("Reasons of a gap", Record.Gap.allCases.map(\.rawValue)),
    ("Why there are no live fixes", SourceEvent.Staleness.allCases.map(\.rawValue)),
    ("Reasons of the receiver", ReceiverOrder.Reason.allCases.map(\.rawValue)),
    ("Reasons of a change of state", StateMove.Cause.allCases.map(\.rawValue)),
    ("States of a region", RegionState.allCases.map(\.rawValue)),
    ("States of a subscriber", SubscriberState.allCases.map(\.rawValue)),
    ("Where an accuracy comes from", Accuracy.Source.allCases.map(\.rawValue)),
    ("Components", PowerLedger.Component.allCases.map(\.rawValue)),
    ("Exit codes", ["0"] + Failure.Code.allCases.map { "\($0.rawValue)" }),
  ])
  func `every code is described, and no other`(heading: String, codes: [String]) throws {
    #expect(try firstColumn(heading) == codes)
  }

  @Test func `every rule that a record can name is a rule of the policy`() throws {
    let policy = try Markdown("Docs/Policy.md")
    let described = Markdown.rows(in: policy.text).flatMap { Markdown.codes(in: $0[0]) }
    #expect(Set(Rule.allCases.map(\.rawValue)).subtracting(described).isEmpty)
  }

  // MARK: Files

  @Test func `every key of a manifest is described`() throws {
    #expect(try firstColumn("Subscriber manifest") == SubscriberManifest.Key.allCases.map(\.rawValue))
    let text = try section("Subscriber manifest")
    let words =
      SubscriberManifest.Service.allCases.map(\.rawValue) + SubscriberManifest.Mode.allCases.map(\.rawValue)
      + Subscriber.Authorization.allCases.map(\.rawValue) + Subscriber.Style.allCases.map(\.rawValue)
      + Subscriber.AccuracyAuthorization.allCases.map(\.rawValue)
      + StandardTerms.DesiredAccuracy.allCases.map(\.rawValue)
      + StandardTerms.Activity.allCases.map(\.rawValue)
    for word in words { #expect(text.contains("`\(word)`"), "\(word)") }
  }

  @Test func `every key of a scenario is described`() throws {
    let described = try firstColumn("Scenario")
    let known =
      Scenario.Key.allCases.map(\.rawValue)
      + Scenario.Step.Key.allCases.map(\.rawValue)
    #expect(Set(described) == Set(known))
  }

  @Test func `every property of a region is described`() throws {
    #expect(Set(try firstColumn("Regions")) == Set(RegionProperty.allCases.map(\.rawValue)))
  }

  @Test func `every setting is described with its unit, default and range`() throws {
    let rows = Markdown.rows(in: try section("Settings")).map { Array($0.prefix(4)) }
    let known = Setting.all.map { setting in
      let value = setting.value(in: EngineConfiguration())
      let text = value == .word("") ? "\"\"" : "\(value)"
      return ["`\(setting.key)`", setting.unit ?? "", "`\(text)`", Self.range(of: setting)]
    }
    let difference = Set(rows).symmetricDifference(known)
    #expect(difference.isEmpty)
    // A file with every default is one, and sets nothing else.
    let yaml = Dictionary(grouping: zip(Setting.all, known), by: \.0.section).map { section, settings in
      settings.reduce("\(section):\n") { $0 + "  \($1.0.name): \($1.1[2].filter { $0 != "`" })\n" }
    }
    let read = try temporary(yaml.joined()) { path in
      var (configuration, daemon) = (EngineConfiguration(), DaemonSettings())
      try Settings.read(path: path, into: &configuration, &daemon)
      return (configuration, daemon)
    }
    #expect(read.0 == EngineConfiguration() && read.1 == DaemonSettings())
  }

  @Test func `each key by which a program says something stands in its page`() throws {
    let page = try String(contentsOfFile: PackageRoot.file("Docs/Subscribers.md"), encoding: .utf8)
    let missing = SubscriberAnswer.Key.allCases.map(\.rawValue).filter { !page.contains("\"\($0)\"") }
    #expect(missing.isEmpty)
  }

  /// The values that a setting takes, in words; empty where that is no matter of numbers.
  private static func range(of setting: Setting) -> String {
    let (low, high): (Double, Double)
    switch setting.place {
    case .number(_, let range), .kept(_, let range), .daemon(_, let range):
      (low, high) = (range.lowerBound, range.upperBound)
    case .count(_, _, let range): (low, high) = (Double(range.lowerBound), Double(range.upperBound))
    case .flag, .sampling, .command, .path: return ""
    }
    let bound = setting.bound.map {
      ", at \($0.isUpper ? "most" : "least") `\(setting.section).\($0.name)`"
    }
    return "\(grouped(low)) to \(grouped(high))\(bound ?? "")"
  }

  /// A number with commas between thousands.
  private static func grouped(_ number: Double) -> String {
    Int(exactly: number).map(Wording.count) ?? "\(number)"
  }

  @Test func `the files shown can be read`() throws {
    let blocks = try Markdown(Self.document).fences
    let manifest = try #require(blocks.first { $0.info == "yaml" && $0.lines[0].hasPrefix("name:") })
    let scenario = try #require(blocks.first { $0.info == "yaml" && $0.lines[0].hasPrefix("protect") })
    let settings = try #require(blocks.first { $0.info == "yaml" && $0.lines[0].hasPrefix("significant") })
    let regions = try #require(
      blocks.first { $0.info == "json" && $0.lines[0].contains("FeatureCollection") })
    let name = try temporary(manifest.lines.joined(separator: "\n")) {
      try SubscriberManifest.read(path: $0).name
    }
    let steps = try temporary(scenario.lines.joined(separator: "\n")) {
      try Scenario(path: $0, subscribers: [name]).steps
    }
    #expect(steps.count >= 10)
    try temporary(settings.lines.joined(separator: "\n")) { path in
      var configuration = EngineConfiguration()
      var daemon = DaemonSettings()
      try Settings.read(path: path, into: &configuration, &daemon)
      #expect(configuration != EngineConfiguration())
    }
    let read = try temporary(regions.lines.joined(separator: "\n")) { try RegionFile.read(path: $0) }
    #expect(read.regions.count >= 1)
    #expect(read.warnings.isEmpty && read.leftOut.isEmpty)
  }

  private func temporary<Value>(_ text: String, _ body: (String) throws -> Value) throws -> Value {
    let url = FileManager.default.temporaryDirectory.appending(path: "locwatch-" + UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: url) }
    try text.write(to: url, atomically: true, encoding: .utf8)
    return try body(url.path)
  }
}

/// The fields of one or more records as a table of `Docs/Wire.md`.
private struct FieldTable: RecordVisitor {
  private var rows: [(key: String, unit: String, meaning: String)] = []

  var text: String {
    Markdown.table(["key", "unit", "meaning"], rows.map { ["`\($0.key)`", $0.unit, $0.meaning] })
      // An empty cell is one space wide.
      .replacing("|  |", with: "| |")
  }

  private mutating func add(_ key: StaticString, _ unit: String, _ meaning: StaticString) {
    guard !rows.contains(where: { $0.key == key.description }) else { return }
    rows.append((key.description, unit, meaning.description))
  }

  mutating func text(_ key: StaticString, _ value: String?, _ meaning: StaticString, column: CSVColumn?) {
    add(key, "", meaning)
  }

  mutating func count(_ key: StaticString, _ value: Int?, _ meaning: StaticString) { add(key, "", meaning) }

  mutating func number(
    _ key: StaticString, _ value: Double?, _ unit: RecordUnit, _ meaning: StaticString, column: CSVColumn?
  ) {
    add(key, unit.symbol, meaning)
  }

  mutating func time(_ key: StaticString, _ value: UTCTime?, _ meaning: StaticString) {
    add(key, "UTC", meaning)
  }

  mutating func position(latitude: Double, longitude: Double, _ meaning: StaticString) {
    add("lat", "degrees", meaning)
    add("lon", "degrees", "likewise")
  }

  mutating func accuracy(_ accuracy: Accuracy, _ meaning: StaticString) { add("acc_m", "m", meaning) }

  mutating func verdicts(_ key: StaticString, _ verdicts: [RegionVerdict], _ meaning: StaticString) {
    add(key, "", meaning)
  }

  mutating func flag(_ key: StaticString, _ value: Bool?, _ meaning: StaticString) { add(key, "", meaning) }

  mutating func inputs(_ key: StaticString, _ inputs: Decision.Inputs?, _ meaning: StaticString) {
    add(key, "", meaning)
  }
}

extension RecordUnit {
  /// As `Docs/Wire.md` has it.
  fileprivate var symbol: String {
    switch self {
    case .degrees, .course: "degrees"
    case .meters: "m"
    case .metersPerSecond: "m/s"
    case .seconds: "s"
    case .joules: "J"
    case .probability: "0 to 1"
    case .ratio: "factor"
    }
  }
}

import Foundation
import TestSupport
import Testing

@testable import LocationCore

/// What many engines share, and what each keeps small.
@Suite struct SeldomTests {
  @Test func `a change leaves the others as they were`() {
    let shared = Seldom(wrappedValue: [1, 2])
    var changed = shared
    changed.wrappedValue.append(3)
    #expect(shared.wrappedValue == [1, 2] && changed.wrappedValue == [1, 2, 3])
    #expect(shared != changed)
  }

  private struct Holder: Codable, Hashable {
    @Rare var rare: [Int]?
    @Seldom var seldom: Int
    @Count var count: Int
  }

  /// Optional values in the memory of the values alone.
  private struct Optionals: Codable, Hashable {
    @Maybe var meters: Double?
    @Maybe var instant: EngineInstant?
    @Maybe var place: Coordinate?

    static let empty = Optionals(meters: nil, instant: nil, place: nil)
    static let full = Optionals(
      meters: 0, instant: EngineInstant(microseconds: .max), place: Coordinate(latitude: -90, longitude: 0))
  }

  /// Reads a value, and expects that it is written as it was read.
  private func read<Value: Codable>(_ text: String, as type: Value.Type = Value.self) throws -> Value {
    let value = try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == text)
    return value
  }

  @Test func `they are coded as the values themselves`() throws {
    #expect(try read(#"{"count":5,"seldom":4}"#) == Holder(rare: nil, seldom: 4, count: 5))
    #expect(try read(#"{"count":5,"rare":[7],"seldom":4}"#) == Holder(rare: [7], seldom: 4, count: 5))
    #expect(try read("{}") == Optionals.empty)
    let all = #"{"instant":9223372036854775807,"meters":0,"place":{"latitude":-90,"longitude":0}}"#
    #expect(try read(all) == Optionals.full)
  }

  @Test func `optional values take no more memory than the values`() {
    #expect(MemoryLayout<Optionals>.size == 32)
  }

  @Test func `an optional value comes and goes`() {
    var values = Optionals.full
    #expect(values.meters == 0 && values.instant?.microseconds == .max && values.place?.latitude == -90)
    values.meters = nil
    values.instant = nil
    values.place = nil
    #expect(values.meters == nil && values.instant == nil && values.place == nil)
    #expect(values == .empty && values != .full)
  }

  @Test func `a rare value comes, changes where it is, and goes`() {
    var holder = Holder(rare: nil, seldom: 0, count: 0)
    let without = holder
    holder.rare?.append(1)
    #expect(holder == without)
    holder.rare = [1]
    let before = holder
    holder.rare?.append(2)
    #expect(holder.rare == [1, 2] && before.rare == [1])
    holder.rare = nil
    #expect(holder == without)
  }

  @Test func `a count stays at its end`() {
    var holder = Holder(rare: nil, seldom: 0, count: Int(Int32.max))
    holder.count += 1
    #expect(holder.count == Int(Int32.max))
  }

  @Test func `a way in is coded as columns, and known again`() throws {
    let text =
      #"{"count":3,"east":[1,2,3,0,0,0,0,0],"north":[0,0,5,0,0,0,0,0],"reachMeters":9,"#
      + #""seconds":[0,12,24,0,0,0,0,0]}"#
    let path = try read(text, as: ArrivalPath.self)
    #expect(path.seconds(to: TangentPlane.Point(east: 3, north: 5), within: 0.5, VisitConfiguration()) == 24)
    #expect(path.seconds(to: TangentPlane.Point(east: 1, north: 0), within: 0.5, VisitConfiguration()) == 0)
  }

  @Test func `counts of regions are coded as a dictionary`() throws {
    let counts = try read(#"{"enter":2,"state":1}"#, as: RegionCounts.self)
    #expect(counts["enter"] == 2 && counts["exit"] == nil && counts.all.map(\.name) == ["enter", "state"])
  }

  /// An engine of a fleet leaves out the ledger, and nothing else.
  @Test func `an engine that books no power records all but power`() {
    for seed in 1...3 as ClosedRange<UInt64> {
      let drive = EngineContractTests.drive(seed: seed)
      var usual = Engine()
      var light = Engine(settings: EngineSettings(booksPower: false), catalog: RegionCatalog())
      var expected: [Effect] = []
      var effects: [Effect] = []
      for event in drive.events {
        usual.handle(event, into: &expected)
        light.handle(event, into: &effects)
      }
      let power = expected.filter(\.isOfPower)
      #expect(!power.isEmpty)
      #expect(effects == expected.filter { !$0.isOfPower })
      #expect(light.ledger.entries.isEmpty)
    }
  }

  /// The plan of a receiver that is switched off and on follows from the ledger.
  @Test func `an engine that switches its receiver books power`() {
    var configuration = EngineConfiguration()
    #expect(!EngineSettings(configuration, booksPower: false).booksPower)
    configuration.sampling.mode = .adaptive
    #expect(EngineSettings(configuration, booksPower: false).booksPower)
  }
}

extension Effect {
  fileprivate var isOfPower: Bool {
    if case .record(let record) = self, case .power = record.body { return true }
    return false
  }
}

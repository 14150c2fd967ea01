import Foundation
import Testing

@testable import LocationCore

/// Optional values in the memory of the values alone.
@Suite struct MaybeTests {
  private struct Holder: Codable, Hashable {
    @Maybe var meters: Double?
    @Maybe var instant: EngineInstant?
    @Maybe var place: Coordinate?
  }

  private static let full = Holder(
    meters: 0, instant: EngineInstant(microseconds: .max), place: Coordinate(latitude: -90, longitude: 0))

  @Test func `they take no more memory than the values`() {
    #expect(MemoryLayout<Holder>.size == 32)
  }

  @Test func `a value comes and goes`() {
    var holder = Self.full
    #expect(holder.meters == 0 && holder.instant?.microseconds == .max && holder.place?.latitude == -90)
    holder.meters = nil
    holder.instant = nil
    holder.place = nil
    #expect(holder.meters == nil && holder.instant == nil && holder.place == nil)
    #expect(holder == Holder(meters: nil, instant: nil, place: nil) && holder != Self.full)
  }

  @Test(
    arguments: [
      (Holder(meters: nil, instant: nil, place: nil), "{}"),
      (
        full,
        #"{"instant":9223372036854775807,"meters":0,"place":{"latitude":-90,"longitude":0}}"#
      ),
    ])
  private func `they are coded as optional values`(_ holder: Holder, _ text: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(String(decoding: try encoder.encode(holder), as: UTF8.self) == text)
    #expect(try JSONDecoder().decode(Holder.self, from: Data(text.utf8)) == holder)
  }
}

import LocationFormats
import Testing

@testable import LocationFleet

struct FleetCatalogTests {
  /// Circles whose names make each line of a version so many bytes long.
  private static func catalog(_ sizes: [Int]) throws -> FleetCatalog {
    var features: [RegionFeature] = []
    for (index, size) in sizes.enumerated() {
      func text(_ name: String) -> String {
        #"{"type":"Feature","id":"r\#(index)","properties":{"radius_m":150,"name":"\#(name)"},"#
          + #""geometry":{"type":"Point","coordinates":[11.5,48.1]}}"#
      }
      func feature(_ count: Int) throws -> RegionFeature {
        let name = String(repeating: "n", count: count)
        return try RegionFile.read(bytes: Array(text(name).utf8), name: "test").feature(at: 0)
      }
      let bare = try feature(1).geoJSON.utf8.count - 1
      features.append(try feature(size - bare - "1 \n".utf8.count))
    }
    return try FleetCatalog().next(putting: features)
  }

  @Test(
    arguments: [
      ([], []), ([500], [500]), ([500, 500], [1_000]), ([500, 501], [500, 501]),
      ([300, 2_000, 300, 300, 300, 300], [300, 2_000, 900, 300]), ([2_000, 2_000], [2_000, 2_000]),
    ] as [([Int], [Int])])
  func `regions are stored together, but never beyond what the servers take`(sizes: [Int], chunks: [Int])
    throws
  {
    let found = try Self.catalog(sizes).chunks(of: 1_000, atMost: 2_000)
    #expect(found.map(\.count) == chunks)
  }

  @Test func `a region that the servers do not take is named`() throws {
    let catalog = try Self.catalog([500, 2_001])
    let error = #expect(throws: Failure.self) { try catalog.chunks(of: 1_000, atMost: 2_000) }
    #expect(error?.code == .data)
    #expect(error?.what == "region \"r1\" has 2001 bytes; the servers take 2000")
  }
}

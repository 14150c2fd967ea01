import Foundation
import TestSupport
import Testing

/// What a replay says on standard error without failing.
@Suite struct ReplayWarningsTests {
  @Test func `a region that can't be watched is told`() async throws {
    let regions = """
      {"type": "FeatureCollection", "features": [
        {"type": "Feature", "id": "home", "geometry": {"type": "MultiPoint", "coordinates": [[8.6, 46.7]]}},
        {"type": "Feature", "id": "door", "properties": {"radius_m": 50},
         "geometry": {"type": "Point", "coordinates": [8.6, 46.7]}}]}
      """
    let file = FileManager.default.temporaryDirectory.appending(path: "locwatch-" + UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try regions.write(to: file, atomically: true, encoding: .utf8)
    let run = try await Binary.run(["replay", "Tracks/tunnel.gpx", "--regions", file.path])
    #expect(run.status == 0)
    #expect(run.stderr.contains("home"))
    #expect(run.stderr.contains("MultiPoint"))
  }
}

import Foundation
import LocationCore
import Testing

@testable import LocationFormats
@testable import LocationLab

/// The tracks in `Tracks/`: each is what its scenario makes, to the byte, and complete.
@Suite struct ShippedTracksTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Tracks").standardizedFileURL.path

  static let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()

  static let slugs = files.filter { $0.hasSuffix(".synth.yaml") }.map { String($0.dropLast(11)) }

  /// The track of a slug, packed or not.
  static func track(_ slug: String) throws -> String {
    try #require(files.first { $0 == slug + ".gpx" || $0 == slug + ".gpx.gz" })
  }

  static func scenario(_ slug: String) throws -> SynthScenario {
    let (name, bytes) = try StrictYAML.bytes(ofFile: "\(folder)/\(slug).synth.yaml")
    return try SynthScenario(yaml: bytes, file: name)
  }

  @Test func `there are tracks`() {
    #expect(Self.slugs.count >= 6)
  }

  @Test(arguments: slugs)
  func `a track is what its scenario makes, to the byte`(slug: String) throws {
    var input = try InputBytes(path: "\(Self.folder)/\(Self.track(slug))")
    var committed: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = try input.read(into: &piece), count > 0 { committed += piece[..<count] }
    let made = SynthText.whole(try Self.scenario(slug), as: .gpx)
    #expect(made == committed, "run scripts as in Tracks/README.md, look at the difference, commit it")
  }

  @Test(arguments: slugs)
  func `a track is read as it was made`(slug: String) throws {
    let scenario = try Self.scenario(slug)
    var made = SynthTrack(scenario)
    var reader = try TrackReader(path: "\(Self.folder)/\(Self.track(slug))")
    var batch: [TrackItem] = []
    while try reader.read(into: &batch) {
      for item in batch {
        guard case .fix(let report) = item else { continue }
        guard let fix = made.next() else {
          Issue.record("more fixes than were made")
          return
        }
        #expect(report.time == fix.time && report.latitude == fix.coordinate.latitude)
        #expect(report.longitude == fix.coordinate.longitude)
        // Two decimals of metres, or of the dilution.
        let reported = scenario.fields.contains(.accuracy)
        #expect(abs(report.accuracy.radiusMeters - fix.accuracyMeters) < (reported ? 0.0051 : 0.06))
        #expect(report.accuracy.source == (reported ? .reported : .hdop))
      }
    }
    #expect(made.next() == nil)
  }

  @Test(arguments: slugs)
  func `a track says what it proves and has regions, a scenario and a subscriber`(slug: String) throws {
    let scenario = try Self.scenario(slug)
    #expect(scenario.name == slug && scenario.about != nil)
    for part in ["regions.geojson", "scenario.yaml", "subscriber.yaml"] {
      #expect(Self.files.contains("\(slug).\(part)"))
    }
    let readme = try String(contentsOfFile: "\(Self.folder)/README.md", encoding: .utf8)
    #expect(readme.contains("`\(slug)`"))
  }

  @Test func `the tracks stay small`() throws {
    var total = 0
    for file in Self.files {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(Self.folder)/\(file)")
      let bytes = try #require(attributes[.size] as? Int)
      #expect(bytes <= 300_000, "\(file)")
      total += bytes
    }
    #expect(total <= 1_700_000)
  }
}

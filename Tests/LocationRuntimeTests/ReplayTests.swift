import Foundation
import LocationCore
import LocationFormats
import LocationRuntime
import TestSupport
import Testing

@testable import LocationLab

/// Replays through the library.
@Suite struct ReplayTests {
  /// What a replay prints, and the code of its first failure.
  static func replay(_ tracks: [String], _ request: ReplayRequest) async throws -> (String, Failure.Code?) {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let code = try await Replay.run(tracks, request, to: OutputFile(path: path)) { _ in }
    return (String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self), code)
  }

  @Test(arguments: ShippedTrack.all) func theLibraryGivesTheGoldenToo(_ track: ShippedTrack) async throws {
    var request = ReplayRequest()
    request.format = .ndjson
    request.regions = try RegionFile.read(path: PackageRoot.file(track.regions)).regions
    request.subscribers = [try SubscriberManifest.read(path: PackageRoot.file(track.subscriber))]
    let scenario = try Scenario(
      path: PackageRoot.file(track.scenario), subscribers: request.subscribers.map(\.name))
    request.configuration.policy.protectUntilFirstUnlock = scenario.protectUntilFirstUnlock ?? false
    request.scenario = scenario
    let (text, code) = try await Self.replay([PackageRoot.file(track.track)], request)
    #expect(code == nil)
    Golden.expect(track.golden, text)
  }

  static let minimal = (0..<1000).map { second in
    let time = UTCTime(microseconds: Drive.instant(Double(second)).microseconds).rfc3339
    return #"{"time":"\#(time)","lat":\#(48 + Double(second) * 0.0001),"lon":11,"acc_m":5}"#
  }

  @Test func aTruncatedFileGivesTheEventsOfWhatIsWholeAndThenTheError() async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let broken = Self.minimal.joined(separator: "\n") + "\n{\"time\":\"2026-0"
    try broken.write(toFile: path, atomically: false, encoding: .utf8)
    var request = ReplayRequest()
    request.format = .ndjson
    let (text, code) = try await Self.replay([path], request)
    #expect(code == .data)
    #expect(text.contains("\"type\":\"significant\""))
    #expect(text.contains("\"fixes\":1000,"))
  }

  @Test func `a replay at the speed of time does not wait out a clock that is set`() async throws {
    let lines = (0..<20).map { second in
      let time = Drive.instant(Double(second) + (second < 10 ? 0 : WeekRollover.seconds))
      let text = UTCTime(microseconds: time.microseconds).rfc3339
      return "{\"time\":\"\(text)\",\"lat\":48,\"lon\":11,\"acc_m\":5}\n"
    }
    let folder = TemporaryFolder()
    let track = TrackPart(path: folder.write("set.ndjson", lines.joined()))
    var request = ReplayRequest()
    request.speed = 1
    let source = try TrackSource.open(track, options: request.track)
    var run = try TrackRun(source, isNamed: false, request)
    let batch = await source.read()
    var place = 0
    var end: ContinuousClock.Instant?
    while place < batch.count {
      run.take(batch, from: &place)
      end = run.pause() ?? end
    }
    // The clock is ahead by twenty years, the track takes 19 s.
    #expect(try #require(end) < ContinuousClock.now + .seconds(3_600))
  }

  @Test func fromAndToTakeAPart() async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Self.minimal.joined(separator: "\n").write(toFile: path, atomically: false, encoding: .utf8)
    var request = ReplayRequest()
    request.format = .ndjson
    request.from = UTCTime(microseconds: Drive.instant(100).microseconds)
    request.to = UTCTime(microseconds: Drive.instant(199).microseconds)
    let (text, _) = try await Self.replay([path], request)
    #expect(text.contains("\"fixes\":100,\"accepted\":100,"))
  }

  @Test(arguments: RecordFormat.allCases) func everyFormatIsTheSameInEveryRun(_ format: RecordFormat)
    async throws
  {
    var request = ReplayRequest()
    request.format = format
    let track = PackageRoot.file("Tracks/walk-around-the-block.gpx")
    let first = try await Self.replay([track], request).0
    #expect(try await Self.replay([track], request).0 == first)
    #expect(!first.isEmpty)
  }
}

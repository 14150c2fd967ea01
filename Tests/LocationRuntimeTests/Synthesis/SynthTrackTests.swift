import LocationCore
import Testing

@testable import LocationFormats
@testable import LocationLab

@Suite struct SynthTrackTests {
  static func fixes(_ text: String, seed: UInt64? = nil) throws(Failure) -> [SynthFix] {
    Array(SynthTrack(try scenario("start: 2026-05-04T06:30:00Z\n" + text), seed: seed))
  }

  static let exact = "noise: {sigma_m: 0, speed_sigma_mps: 0}"

  @Test func `without noise the fixes are the truth`() throws {
    let fixes = try Self.fixes(
      "\(Self.exact)\nby: car\nsteps: [at: [52.5, 13.4], to: [52.51, 13.4], stop_s: 5]")
    for fix in fixes {
      #expect(Geodesy.distanceMeters(fix.truth, fix.coordinate) < 0.01)
      #expect(fix.accuracyMeters == 1)
    }
    #expect(Geodesy.distanceMeters(fixes[0].truth, Coordinate(latitude: 52.5, longitude: 13.4)!) < 1e-6)
    #expect(
      Geodesy.distanceMeters(fixes[fixes.count - 1].truth, Coordinate(latitude: 52.51, longitude: 13.4)!)
        < 1e-3)
  }

  @Test func `a fix is due every interval, from the start to the end`() throws {
    let fixes = try Self.fixes("interval_s: 0.1\nsteps: [at: [1, 2], stop_s: 2, {stop_s: 3, interval_s: 1}]")
    let seconds = fixes.map { ($0.time.microseconds - fixes[0].time.microseconds) / 1000 }
    #expect(seconds == Array(stride(from: 0, to: 2000, by: 100)) + [2000, 3000, 4000, 5000])
  }

  @Test func `speed never exceeds what was asked, nor changes faster`() throws {
    let fixes = try Self.fixes(
      """
      \(Self.exact)
      interval_s: 0.2
      steps:
        - at: [52.5, 13.4]
        - {along: [[52.503, 13.4], [52.503, 13.405], [52.5, 13.405]], speed_mps: 12, accel_mps2: 1, brake_mps2: 2}
        - {to: [52.5, 13.4], speed_mps: 6}
      """)
    for (before, fix) in zip(fixes, fixes.dropFirst()) {
      #expect(fix.speedMetersPerSecond <= 12 + 1e-9)
      let change = fix.speedMetersPerSecond - before.speedMetersPerSecond
      #expect(change <= 0.2 + 1e-6 && change >= -0.4 - 1e-6)
      let moved = Geodesy.distanceMeters(before.truth, fix.truth)
      #expect(moved <= 0.2 * max(before.speedMetersPerSecond, fix.speedMetersPerSecond) + 0.02)
    }
    // Around the block and back, less what the rounded corners cut off.
    let motion = SynthMotion(
      try scenario(
        "start: 2026-05-04T06:30:00Z\nby: car\nsteps: [at: [52.5, 13.4], along: [[52.503, 13.4], [52.503, 13.405]]]"
      ))
    let straight =
      Geodesy.distanceMeters(place(52.5, 13.4), place(52.503, 13.4))
      + Geodesy.distanceMeters(place(52.503, 13.4), place(52.503, 13.405))
    #expect(motion.meters < straight && motion.meters > straight - 10)
  }

  @Test func `a corner is passed within its rounding, at the speed its arc allows`() throws {
    let fixes = try Self.fixes(
      """
      \(Self.exact)
      interval_s: 0.1
      speed_mps: 20
      rounding_m: 10
      lateral_mps2: 2.5
      steps: [at: [52.5, 13.4], along: [[52.505, 13.4], [52.505, 13.408]]]
      """)
    let corner = place(52.505, 13.4)
    let nearest = fixes.map { Geodesy.distanceMeters($0.truth, corner) }.min()!
    // A right angle rounded from 10 m before it: the arc of 10 m radius passes it at 10·(√2 - 1).
    #expect(abs(nearest - 4.142) < 0.2)
    let near = fixes.filter { Geodesy.distanceMeters($0.truth, corner) < 9 }
    #expect(near.map(\.speedMetersPerSecond).max()! < 5.01)
  }

  @Test func `turning back comes to rest at the place`() throws {
    let fixes = try Self.fixes(
      "\(Self.exact)\ninterval_s: 0.1\nby: car\nsteps: [at: [52.5, 13.4], along: [[52.505, 13.4], [52.5, 13.4]]]"
    )
    let nearest = fixes.min { a, b in
      Geodesy.distanceMeters(a.truth, place(52.505, 13.4))
        < Geodesy.distanceMeters(b.truth, place(52.505, 13.4))
    }!
    #expect(Geodesy.distanceMeters(nearest.truth, place(52.505, 13.4)) < 0.1)
    #expect(nearest.speedMetersPerSecond < 0.3)
  }

  @Test func `a step without signal gives no fixes but goes on`() throws {
    let fixes = try Self.fixes(
      """
      \(Self.exact)
      speed_mps: 10
      rounding_m: 0
      steps:
        - at: [0, 0]
        - to: [0, 0.01]
        - {to: [0, 0.02], signal: lost}
        - to: [0, 0.03]
      """)
    let longitudes = fixes.map(\.truth.longitude)
    #expect(longitudes.allSatisfy { $0 <= 0.0101 || $0 >= 0.0199 })
    let gap = zip(fixes, fixes.dropFirst()).map { $0.time.seconds(to: $1.time) }.max()!
    #expect(abs(gap - 112) < 2)
    #expect(fixes.allSatisfy { !$0.startsSegment })
  }

  @Test func `a gap lasts its time while the steps go on`() throws {
    let fixes = try Self.fixes(
      "\(Self.exact)\nby: walk\nsteps: [at: [0, 0], stop_s: 10, gap_s: 20, stop_s: 5, to: [0, 0.001]]")
    let seconds = fixes.map { fixes[0].time.seconds(to: $0.time) }
    #expect(seconds.allSatisfy { $0 < 10 || $0 >= 30 })
    #expect(seconds.contains(9) && seconds.contains(30))
    #expect(fixes[10].truth.longitude > 0.0001)
  }

  @Test func `a gap between two moves begins at the place, without stopping there`() throws {
    let fixes = try Self.fixes(
      "\(Self.exact)\nspeed_mps: 10\nrounding_m: 0\nsteps: [at: [0, 0], to: [0, 0.01], gap_s: 30, to: [0, 0.02]]"
    )
    let jump = zip(fixes, fixes.dropFirst()).first { $0.time.seconds(to: $1.time) > 1 }!
    #expect(abs(jump.0.truth.longitude - 0.01) < 0.0001)
    #expect(abs(jump.0.speedMetersPerSecond - 10) < 1e-6)
    #expect(abs(Geodesy.distanceMeters(jump.0.truth, jump.1.truth) - 300) < 21)
  }

  @Test func `segments begin where asked, never with the first fix, never empty`() throws {
    let fixes = try Self.fixes(
      """
      steps:
        - new_segment: true
          interval_s: 1
      """.replacing("- new_segment: true", with: "- at: [0, 0]")
        + "\n  - new_segment: true\n  - stop_s: 3\n  - new_segment: true\n  - new_segment: true\n  - stop_s: 2"
        + "\n  - new_segment: true")
    #expect(fixes.map(\.startsSegment) == [false, false, false, true, false, true])
  }

  @Test func `a receiver carried while switched off is somewhere else`() throws {
    let fixes = try Self.fixes("\(Self.exact)\nsteps: [at: [0, 0], stop_s: 2, at: [1, 1], stop_s: 2]")
    #expect(fixes.map { $0.truth.latitude > 0.5 } == [false, false, true, true, true])
  }

  @Test func `moving to where one is takes no time`() throws {
    let fixes = try Self.fixes(
      "\(Self.exact)\nby: car\nsteps: [at: [0, 0], to: [0, 0], gap_s: 2, along: [[0, 0], [0, 0]], stop_s: 3]")
    #expect(fixes.map { fixes[0].time.seconds(to: $0.time) } == [0, 1])
  }

  @Test func `elevations are interpolated`() throws {
    let fixes = try Self.fixes(
      "\(Self.exact)\nspeed_mps: 10\nsteps: [at: [0, 0, 100], to: [0, 0.01, 200], stop_s: 1]")
    for fix in fixes {
      #expect(abs(fix.elevationMeters! - (100 + fix.truth.longitude / 0.01 * 100)) < 0.01)
    }
  }

  @Test func `the same seed gives the same track and another another`() throws {
    let text = "steps: [at: [52, 13], stop_s: 100]"
    let track = try Self.fixes(text)
    #expect(try Self.fixes(text) == track)
    #expect(try Self.fixes("seed: 1\n" + text) == track)
    #expect(try Self.fixes(text, seed: 1) == track)
    #expect(try Self.fixes(text, seed: 2) != track)
    #expect(try Self.fixes("seed: 2\n" + text) == Self.fixes(text, seed: 2))
  }

  @Test func `outliers leave the noise of the other fixes alone`() throws {
    let clean = try Self.fixes("steps: [at: [52, 13], stop_s: 1000]")
    let dirty = try Self.fixes(
      "outliers: {share: 0.1, min_m: 1000, max_m: 100000}\nsteps: [at: [52, 13], stop_s: 1000]")
    #expect(abs(dirty.filter(\.isOutlier).count - 100) < 40)
    for (a, b) in zip(clean, dirty) {
      #expect(a.accuracyMeters == b.accuracyMeters && a.speedMetersPerSecond == b.speedMetersPerSecond)
      let off = Geodesy.distanceMeters(b.coordinate, b.truth)
      #expect(b.isOutlier ? (999.9...100_000.1).contains(off) : a == b)
    }
  }

  @Test func `the course is left out where a receiver could not tell it`() throws {
    let standing = try Self.fixes("steps: [at: [52, 13], stop_s: 100]")
    #expect(standing.allSatisfy { $0.courseDegrees == nil && $0.speedMetersPerSecond < 0.5 })
    let moving = try Self.fixes("\(Self.exact)\nspeed_mps: 10\nsteps: [at: [0, 0], to: [0, 0.01]]")
    #expect(
      moving.filter { $0.speedMetersPerSecond > 5 }.allSatisfy { abs(($0.courseDegrees ?? 0) - 90) < 0.01 })
  }

  private func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
    Coordinate(latitude: latitude, longitude: longitude)!
  }
}

import LocationCore
import Testing

@testable import LocationFormats
@testable import LocationLab

/// A scenario from its text.
func scenario(_ text: String) throws(Failure) -> SynthScenario {
  try SynthScenario(yaml: Array(text.utf8), file: "s.yaml")
}

@Suite struct SynthScenarioTests {
  @Test func `what is left out has its default`() throws {
    let scenario = try scenario("start: 2026-05-04T06:30:00Z\nsteps: [at: [1, 2]]")
    #expect(scenario.name == nil && scenario.about == nil && scenario.seed == 1)
    #expect(scenario.outliers == .none)
    #expect(scenario.fields == [.accuracy, .hdop, .speed, .course])
    #expect(scenario.steps.count == 1 && scenario.steps[0].settings == .standard)
    #expect(scenario.steps[0].action == .at(.init(coordinate: Coordinate(latitude: 1, longitude: 2)!)))
  }

  @Test func `settings hold until another step changes them`() throws {
    let scenario = try scenario(
      """
      start: 2026-05-04T06:30:00Z
      interval_s: 2
      noise: {sigma_m: 9}
      steps:
        - {at: [1, 2], by: walk}
        - {to: [1, 2.001]}
        - {to: [1, 2.002], speed_mps: 3, noise: {tau_s: 5}}
        - {stop_s: 10, interval_s: 0.5, signal: lost}
        - {to: [1, 2.003], by: car, rounding_m: 0}
      """)
    let settings = scenario.steps.map(\.settings)
    #expect(settings.map(\.speedMetersPerSecond) == [1.4, 1.4, 3, 3, 13.9])
    #expect(settings.map(\.intervalMicroseconds) == [2_000_000, 2_000_000, 2_000_000, 500_000, 500_000])
    #expect(settings.map(\.noise.sigmaMeters) == [9, 9, 9, 9, 9])
    #expect(settings.map(\.noise.correlationSeconds) == [60, 60, 5, 5, 5])
    #expect(settings.map(\.roundingMeters) == [1, 1, 1, 1, 0])
    #expect(scenario.steps.map(\.signalLost) == [false, false, false, true, false])
  }

  @Test func `places have names, and elevations when all have`() throws {
    let scenario = try scenario(
      """
      start: 2026-05-04T06:30:00Z
      by: car
      places: {home: [52.5, 13.4, 34], work: [52.6, 13.5, 50]}
      steps: [{at: home}, {along: [[52.55, 13.45, 40], work]}]
      """)
    #expect(scenario.fields.contains(.elevation))
    guard case .move(let points) = scenario.steps[1].action else {
      Issue.record("no move")
      return
    }
    #expect(points.map(\.elevationMeters) == [40, 50])
  }

  @Test(arguments: [
    ("steps: [at: [1, 2]]", "s.yaml:1: `start` is missing"),
    ("start: noon\nsteps: []", "s.yaml:1: start: expected a time as 2026-05-01T06:00:00Z, found \"noon\""),
    ("\(start)\nsteps: []", "s.yaml:2: steps: no step says where the track begins; begin with `at`"),
    ("\(start)\nintervall_s: 1", "s.yaml:2: unknown key \"intervall_s\"; did you mean \"interval_s\"?"),
    ("\(start)\nspeed: 1", "s.yaml:2: unknown key \"speed\"; did you mean \"speed_mps\"?"),
    (
      "\(start)\nsteps:\n  - {to: [1, 2], speed_mps: 1}",
      "s.yaml:3: steps[0].to: the track has not begun; begin with `at`"
    ),
    (
      "\(start)\nsteps:\n  - {at: [1, 2]}\n  - {to: [1, 2]}",
      "s.yaml:4: steps[1].to: no speed so far; give `speed_mps`, or `by` (walk, bicycle, car, train, ferry)"
    ),
    (
      "\(start)\nsteps:\n  - {at: [91, 2]}", "s.yaml:3: steps[0].at[0]: 91 is outside -90 to 90"
    ),
    (
      "\(start)\nsteps:\n  - {at: [1, 2, 3, 4]}",
      "s.yaml:3: steps[0].at: expected [latitude, longitude] or [latitude, longitude, elevation], found 4 values"
    ),
    (
      "\(start)\nsteps:\n  - {at: [1, 2, 3]}\n  - {at: [1, 2]}",
      "s.yaml:4: steps[1].at: give every waypoint an elevation, or none"
    ),
    (
      "\(start)\nplaces: {home: [1, 2]}\nsteps:\n  - {at: hom}",
      "s.yaml:4: steps[0].at: unknown place \"hom\"; did you mean \"home\"?"
    ),
    (
      "\(start)\nsteps:\n  - {at: hom}",
      "s.yaml:3: steps[0].at: unknown place \"hom\"; name it under `places`, or write [latitude, longitude]"
    ),
    (
      "\(start)\nsteps:\n  - {at: [1, 2], stop_s: 5}", "s.yaml:3: steps[0].stop_s: can't stand beside `at`"
    ),
    (
      "\(start)\nsteps:\n  - {at: [1, 2], signal: lost}",
      "s.yaml:3: steps[0].signal: only a step that takes time can be without signal (to, along, stop_s)"
    ),
    (
      "\(start)\nsteps:\n  - {at: [1, 2]}\n  - {stop_s: 5, signal: weak}",
      "s.yaml:4: steps[1].signal: unknown word \"weak\"; words here: good, lost"
    ),
    (
      "\(start)\nsteps:\n  - {at: [1, 2]}\n  - new_segment: false",
      "s.yaml:4: steps[1].new_segment: has only one meaning: true"
    ),
    (
      "\(start)\nby: plane\nsteps: []",
      "s.yaml:2: by: unknown word \"plane\"; words here: walk, bicycle, car, train, ferry"
    ),
    (
      "\(start)\nby: car\nsteps:\n  - {at: [1, 2]}\n  - {along: []}",
      "s.yaml:5: steps[1].along: no place in it"
    ),
    ("\(start)\nnoise: {sigma: 1}", "s.yaml:2: noise: unknown key \"sigma\"; did you mean \"sigma_m\"?"),
    (
      "start: 9999-12-31T23:59:50Z\nsteps: [at: [1, 2], stop_s: 10]",
      "s.yaml:1: start: the track ends after the year 9999; begin earlier, or make it shorter"
    ),
    ("\(start)\nwrite: [time]", "s.yaml:2: write[0]: unknown word \"time\""),
    (
      "\(start)\noutliers: {share: 2, min_m: 1, max_m: 2}",
      "s.yaml:2: outliers.share: 2 is outside 0 to 1"
    ),
    (
      "\(start)\noutliers: {share: 0.1, min_m: 10, max_m: 2}",
      "s.yaml:2: outliers.max_m: 2 is outside 10 to 10000000"
    ),
    ("\(start)\nseed: -1", "s.yaml:2: seed: -1 is outside 0 to 9223372036854775807"),
    ("\(start)\ninterval_s: 0", "s.yaml:2: interval_s: 0 is outside 0.001 to 86400"),
    (
      "\(start)\nby: car\nsteps:\n  - {at: [0, 0]}\n  - {to: [0, 120]}",
      "s.yaml:5: steps[1].to: more than 10,000 km from the place before; put a waypoint between them"
    ),
  ])
  func `a mistake is told with file, line, key and what to do`(text: String, expected: String) {
    do {
      _ = try scenario(text)
      Issue.record("no failure")
    } catch {
      #expect(error.code == .data)
      #expect(error.description.hasPrefix(expected), "\(error)")
    }
  }

  static let start = "start: 2026-05-04T06:30:00Z"
}

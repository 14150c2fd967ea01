import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationLab

/// The policies side by side on the shipped day with a commute.
@Suite struct ComparisonTests {
  @Test(
    arguments: [
      ([3], 0.5, 3), ([0.5, 50], 0.5, 25.25), ([9, 1, 4], 0.5, 4), ([4, 3, 2, 1], 0.5, 2.5),
      ([1, 2], 0.95, 2),
      ((1...20).map(Double.init), 0.95, 19.5),
    ] as [([Double], Double, Double)])
  func `a quantile lies between its neighbours`(values: [Double], share: Double, wanted: Double) {
    #expect(PolicyResult.quantile(share, values) == wanted)
    #expect(PolicyResult.quantile(share, []) == nil)
  }

  @Test(arguments: [ComparedPolicy.continuous, .standard])
  func `a policy is tried on the wanted part alone`(policy: ComparedPolicy) throws {
    var request = ReplayRequest()
    request.from = Drive.report(100, east: 0).time
    request.to = Drive.report(160, east: 0).time
    let trial = PolicyTrial(policy, request)
    // At rest the distance filter holds all but the first back.
    for second in 0..<600 { trial.take(.fix(Drive.report(Double(second), east: 0))) }
    let seconds = trial.finish().use.receiverOnSeconds
    #expect(seconds > 0 && seconds <= 120, "\(seconds)")
  }

  private static func day() throws -> Comparison {
    var request = ReplayRequest()
    request.regions =
      try RegionFile.read(path: PackageRoot.file("Tracks/day-with-commute.regions.geojson")).regions
    var comparison = Comparison(profile: request.configuration.profile)
    try comparison.add(PackageRoot.file("Tracks/day-with-commute.gpx.gz"), request)
    return comparison
  }

  @Test func `adaptive sampling misses nothing, and beats a fixed cycle on events and on time`() throws {
    let results = try Self.day().results
    func result(_ policy: ComparedPolicy) throws -> PolicyResult {
      try #require(results.first { $0.policy == policy })
    }
    let always = try result(.continuous)
    let adaptive = try result(.adaptive)
    let regions = try result(.regions)
    let fixed = try result(.fixed120)
    #expect(always.found == 12 && always.missed == 0 && always.extra == 0)
    #expect(always.delays.allSatisfy { $0 == 0 } && always.errors.allSatisfy { $0 == 0 })
    #expect(adaptive.missed == 0 && adaptive.movesMissed == 0)
    #expect(regions.missed == 0)
    #expect(adaptive.receiverOnSeconds <= 0.15 * always.receiverOnSeconds)
    #expect(adaptive.missed < fixed.missed && adaptive.receiverOnSeconds < fixed.receiverOnSeconds)
    for result in results {
      #expect(result.found + result.missed == 12, "\(result.policy)")
      #expect(result.receiverOnSeconds <= result.seconds, "\(result.policy)")
      #expect(result.seconds == always.seconds, "\(result.policy)")
      #expect(
        result.policy == .continuous
          || result.use.joules(under: .rpi4UbloxM8) < always.use.joules(under: .rpi4UbloxM8))
    }
  }

  @Test func `text and JSON have a row for each policy`() throws {
    let comparison = try Self.day()
    let text = comparison.text()
    let json = comparison.json
    for policy in ComparedPolicy.allCases {
      #expect(text.contains(policy.title))
      #expect(json.contains("\"policy\":\"\(policy.rawValue)\""))
    }
    #expect(text.contains("modelled, not measured"))
  }

  @Test func `the page of a report brackets what a policy does not ask for, as the text does`() throws {
    let comparison = try Self.day()
    let html = ReportPicture.html(of: comparison, in: .metric)
    var bracketed = 0
    for result in comparison.results where !result.policy.asks(for: .regions) {
      #expect(html.contains("<td class=\"n\">(\(result.found) of \(result.found + result.missed))</td>"))
      bracketed += 1
    }
    #expect(bracketed > 0)
  }

  @Test func `a receiver that is on after the last fix is on for all of the time, not more`() {
    var result = PolicyResult(.continuous)
    #expect(result.receiverShare == nil)
    result.seconds = 80
    result.receiverOnSeconds = 90
    #expect(result.receiverShare == 1)
    result.receiverOnSeconds = 20
    #expect(result.receiverShare == 0.25)
  }

  @Test func `the verdict says what adaptive sampling finds and uses`() throws {
    let comparison = try Self.day()
    let verdict = try #require(PolicyVerdict(comparison))
    let adaptive = try #require(comparison.results.first { $0.policy == .adaptive })
    #expect(verdict.found == adaptive.found + adaptive.movesFound && verdict.missed == 0)
    #expect(verdict.receiverShare > 0 && verdict.receiverShare < 0.2)
    #expect(verdict.deviceShare > verdict.receiverShare && verdict.deviceShare < 1)
    let text = verdict.text
    #expect(text.hasPrefix("both, adaptive: finds all \(verdict.found) events with "), "\(text)")
    #expect(comparison.text().contains(text + "\n"))
    #expect(PolicyVerdict(Comparison(profile: .rpi4UbloxM8)) == nil)
  }

  @Test func `the verdict says why nothing is found on a track with a fix each four minutes`() throws {
    let request = ReplayRequest()
    var comparison = Comparison(profile: request.configuration.profile)
    try comparison.add(PackageRoot.file("Tracks/night-of-the-clocks.gpx"), request)
    let verdict = try #require(PolicyVerdict(comparison))
    #expect(verdict.found == 0 && verdict.missed > 0)
    let lack =
      "most fixes of the track are 90 s or more apart, and a search of the receiver is given up after 90 s"
    #expect(verdict.text.contains("; \(lack)"), "\(verdict.text)")
    #expect(comparison.text().contains(verdict.text + "\n"))
    #expect(!comparison.json.contains("most fixes"))
    #expect(try !Self.day().text().contains("most fixes"))
  }

  @Test func `errors are told in the units asked for`() throws {
    let comparison = try Self.day()
    #expect(comparison.text(in: .imperial).contains(" ft"))
    #expect(!comparison.text(in: .metric).contains(" ft"))
  }
}

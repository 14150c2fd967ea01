import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// What adaptive sampling has to reach, against the receiver that is always on and one that asks every 120 s.
@Suite struct SamplingTargetTests {
  private static let home = SampledJourney.Place(id: "home", east: 0, north: 0, radius: 150, latency: 120)
  private static let station = SampledJourney.Place(
    id: "station", east: 600, north: 200, radius: 100, latency: 120)
  private static let bakery = SampledJourney.Place(
    id: "bakery", east: 5200, north: 2600, radius: 80, latency: 120)
  private static let office = SampledJourney.Place(
    id: "office", east: 6000, north: 3000, radius: 200, latency: 120)

  /// From home to the station, by train to town, past the bakery to the office, and back.
  private static func day(hoursAtHome: Double = 2.5, hoursAtOffice: Double = 4) -> SampledJourney {
    var day = SampledJourney(places: [home, station, bakery, office])
    day.stay(Int(hoursAtHome * 3600))
    day.go(to: station.east, station.north, metersPerSecond: 1.4)
    day.stay(180)
    day.go(to: 5000, 2400, metersPerSecond: 15)
    day.go(to: bakery.east, bakery.north, metersPerSecond: 1.4)
    day.stay(150)
    day.go(to: office.east, office.north, metersPerSecond: 1.4)
    day.stay(Int(hoursAtOffice * 3600))
    day.go(to: 5000, 2400, metersPerSecond: 1.4)
    day.go(to: station.east, station.north, metersPerSecond: 15)
    day.stay(60)
    day.go(to: home.east, home.north, metersPerSecond: 1.4)
    day.stay(Int(hoursAtHome * 3600))
    return day
  }

  private static func sampling(_ mode: SamplingConfiguration.Mode) -> SamplingConfiguration {
    var sampling = SamplingConfiguration()
    sampling.mode = mode
    return sampling
  }

  /// What happened, in order, by region.
  private static func story(_ events: [RegionEvent], of region: String) -> [String] {
    events.filter { $0.region == region }.map { "\($0.kind.name)" }
  }

  @Test func `a working day needs the receiver for 15 % of the time at most, and misses nothing`() {
    let day = Self.day()
    let always = day.replay(Self.sampling(.continuous), noise: 5, seed: 1)
    let adaptive = day.replay(Self.sampling(.adaptive), noise: 5, seed: 1)
    let fixed = day.replay(Self.sampling(.fixed(periodSeconds: 120)), noise: 5, seed: 1)
    for place in day.places {
      #expect(
        Self.story(always.events, of: place.id) == Self.story(adaptive.events, of: place.id), "\(place.id)")
    }
    #expect(always.summary.receiverOnSeconds == always.summary.durationSeconds)
    #expect(adaptive.summary.receiverOnSeconds <= 0.15 * always.summary.receiverOnSeconds)
    #expect(adaptive.summary.receiverOnSeconds < fixed.summary.receiverOnSeconds)
    #expect(fixed.events.count < always.events.count)
  }

  @Test func `a region 50 km away costs a fifth at most in two hours of driving`() {
    var drive = SampledJourney(places: [
      SampledJourney.Place(id: "far", east: 50_000, north: 0, radius: 200, latency: 120)
    ])
    // A ring road.
    for _ in 0..<6 {
      drive.go(to: 5_000, 0, metersPerSecond: 25)
      drive.go(to: 5_000, 5_000, metersPerSecond: 25)
      drive.go(to: 0, 5_000, metersPerSecond: 25)
      drive.go(to: 0, 0, metersPerSecond: 25)
      drive.stay(400)
    }
    let always = drive.replay(Self.sampling(.continuous), services: .regions)
    let adaptive = drive.replay(Self.sampling(.adaptive), services: .regions)
    #expect(drive.points.count >= 7200)
    #expect(adaptive.events.map(\.kind) == always.events.map(\.kind))
    #expect(adaptive.summary.receiverOnSeconds <= 0.2 * always.summary.receiverOnSeconds)
    #expect(adaptive.summary.energy.value <= 0.2 * always.summary.energy.value)
  }

  @Test func `a pause that the receiver lingers through is not taken, and is booked as tracking`() {
    var profile = PowerProfile.rpi4UbloxM8
    profile.receiverLingerSeconds = 150
    var near = SampledJourney(places: [Self.home])
    near.stay(1800)
    let adaptive = near.replay(Self.sampling(.adaptive), services: .regions, profile: profile)
    let always = near.replay(Self.sampling(.continuous), services: .regions, profile: profile)
    // Until the machine is taken to rest, every pause is shorter than that.
    #expect(adaptive.summary.receiverOnSeconds > 0.3 * always.summary.receiverOnSeconds)
    #expect(adaptive.summary.energy.value <= always.summary.energy.value)
  }
}

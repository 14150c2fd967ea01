import Foundation
import LocationCore
import Testing

/// A source of places that follows from one number, which a failing test prints; `LOCWATCH_SEED` sets it.
struct RandomPlaces: CustomStringConvertible {
  private let seed: UInt64
  private var state: UInt64

  init(_ defaultSeed: UInt64) {
    seed = ProcessInfo.processInfo.environment["LOCWATCH_SEED"].flatMap { UInt64($0) } ?? defaultSeed
    state = seed
  }

  var description: String { "LOCWATCH_SEED=\(seed)" }

  /// Uniform in the range (SplitMix64).
  mutating func number(in range: ClosedRange<Double>) -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    let unit = Double((z ^ (z >> 31)) >> 11) * 0x1p-53
    return range.lowerBound + unit * (range.upperBound - range.lowerBound)
  }

  /// A number whose logarithm is uniform in the range.
  mutating func size(in range: ClosedRange<Double>) -> Double {
    exp(number(in: log(range.lowerBound)...log(range.upperBound)))
  }

  /// Anywhere, or within latitudes.
  mutating func place(latitudes: ClosedRange<Double> = -90...90) -> Coordinate {
    Coordinate.at(latitude: number(in: latitudes), longitude: number(in: -180...180))
  }

  /// Somewhere at a distance.
  mutating func place(from start: Coordinate, meters: Double) -> Coordinate {
    Geodesy.direct(from: start, azimuthDegrees: number(in: -180...180), distanceMeters: meters)
  }
}

extension Coordinate {
  /// A place whose coordinates a test has written down.
  static func at(latitude: Double, longitude: Double) -> Coordinate {
    Coordinate(latitude: latitude, longitude: longitude)!
  }
}

/// `#expect` for loops of thousands: it costs nothing while it holds.
func expectAlways(
  _ holds: Bool, _ note: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation
) {
  if !holds { Issue.record("\(note())", sourceLocation: sourceLocation) }
}

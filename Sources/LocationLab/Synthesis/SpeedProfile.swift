import LocationFormats

/// How fast each piece of a way is travelled: as fast as allowed, with every change of speed at the rate the
/// piece allows, at rest at both ends.
package struct SpeedProfile: Sendable {
  /// One piece of a way.
  package struct Piece: Sendable {
    /// Metres, positive.
    package var lengthMeters: Double
    /// Metres a second, positive, not exceeded.
    package var limitMetersPerSecond: Double
    /// Metres a second squared, positive.
    package var accelerationMetersPerSecondSquared: Double
    /// Metres a second squared, positive.
    package var brakingMetersPerSecondSquared: Double
    /// The most allowed at its end; infinite for no limit there.
    package var endLimitMetersPerSecond = Double.infinity
  }

  /// The run over one piece: speeds up from `entry` to `peak`, holds it, slows down to `exit`.
  package struct Run: Hashable, Sendable {
    /// Metres a second.
    package let entry, peak, exit: Double
    /// Metres a second squared.
    package let acceleration, braking: Double
    /// Metres.
    package let length: Double
    /// Seconds of speeding up, holding and slowing down.
    package let rising, holding, falling: Double

    /// Seconds for the whole piece.
    package var seconds: Double { rising + holding + falling }

    init(_ piece: Piece, entry: Double, exit: Double) {
      let a = piece.accelerationMetersPerSecondSquared
      let b = piece.brakingMetersPerSecondSquared
      let reachable =
        ((2 * a * b * piece.lengthMeters + b * entry * entry + a * exit * exit) / (a + b)).squareRoot()
      let peak = max(entry, exit, min(piece.limitMetersPerSecond, reachable))
      let risingMeters = (peak * peak - entry * entry) / (2 * a)
      let fallingMeters = (peak * peak - exit * exit) / (2 * b)
      self.entry = entry
      self.peak = peak
      self.exit = exit
      acceleration = a
      braking = b
      length = piece.lengthMeters
      rising = (peak - entry) / a
      falling = (peak - exit) / b
      holding = max(0, piece.lengthMeters - risingMeters - fallingMeters) / peak
    }

    /// Metres covered and metres a second, that many seconds after entry; clamped to the piece.
    package func state(at seconds: Double) -> (meters: Double, metersPerSecond: Double) {
      if seconds < rising {
        let t = max(0, seconds)
        return (entry * t + acceleration * t * t / 2, entry + acceleration * t)
      }
      if seconds < rising + holding {
        let risingMeters = (entry + peak) / 2 * rising
        return (min(length, risingMeters + peak * (seconds - rising)), peak)
      }
      let left = max(0, self.seconds - seconds)
      return (max(0, length - (exit * left + braking * left * left / 2)), exit + braking * left)
    }
  }

  /// One run for each piece, in order.
  package let runs: [Run]

  /// The fastest travel over the pieces that keeps every limit, from rest to rest.
  ///
  /// Backward, what can still be braked away; forward, what can be reached; within a piece, a trapezium.
  package init(_ pieces: [Piece]) {
    var speeds = [Double](repeating: 0, count: pieces.count + 1)
    for index in pieces.indices.dropLast() {
      speeds[index + 1] = min(
        pieces[index].endLimitMetersPerSecond, pieces[index].limitMetersPerSecond,
        pieces[index + 1].limitMetersPerSecond)
    }
    for (index, piece) in pieces.enumerated().reversed() {
      let exit = speeds[index + 1]
      let most = (exit * exit + 2 * piece.brakingMetersPerSecondSquared * piece.lengthMeters).squareRoot()
      speeds[index] = min(speeds[index], most)
    }
    for (index, piece) in pieces.enumerated() {
      let entry = speeds[index]
      let most = (entry * entry + 2 * piece.accelerationMetersPerSecondSquared * piece.lengthMeters)
        .squareRoot()
      speeds[index + 1] = min(speeds[index + 1], most)
    }
    runs = pieces.enumerated().map { index, piece in
      Run(piece, entry: speeds[index], exit: speeds[index + 1])
    }
  }
}

@testable import LocationCore

/// Which passages a region reports, and how often one on whose edge a device stands reports what did not happen.
enum DetectionLimit {
  /// A receiver: what it errs by, what it claims, and how often it reports.
  struct Receiver {
    /// Standard deviation along one axis, metres.
    var sigma = 7.0
    var correlationSeconds = 10.0
    /// By how much more it errs than it claims.
    var understates = 1.0
    /// Whole seconds between two fixes.
    var interval = 1
  }

  /// Whether a passage is reported: the device stands well outside a wide region, then for `dwell` seconds so many
  /// standard deviations inside its edge, then outside again.
  static func reports(
    seed: Int, _ sensitivity: Region.Sensitivity, depth sigmas: Double, dwell: Int, _ receiver: Receiver
  ) throws -> Bool {
    var simulated = SimulatedReceiver(
      seed: seed, sigmaMeters: receiver.sigma, correlationSeconds: receiver.correlationSeconds,
      understates: receiver.understates)
    let radius = 5_000.0
    var region = Region(
      id: "home", shape: .circle(center: place(east: -radius, from: munich), radiusMeters: radius),
      initial: .silent, sensitivity: sensitivity)
    region.notify = [.enter]
    var monitor = RegionMonitor()
    try monitor.add(region)
    var events: [RegionEvent] = []
    let begins = 60 + seed % receiver.interval
    for second in 0..<(begins + dwell + 120) {
      let isInside = second >= begins && second < begins + dwell
      let east = isInside ? -sigmas * receiver.sigma : 20 * receiver.sigma
      let fix = simulated.fix(second: second, east: east, north: 0, from: munich)
      if second % receiver.interval == 0 { monitor.observe(fix, into: &events) }
    }
    return !events.isEmpty
  }

  /// The share of passages that are reported.
  static func share(
    of runs: Int, _ sensitivity: Region.Sensitivity, depth sigmas: Double, dwell: Int, _ receiver: Receiver
  ) throws -> Double {
    var count = 0
    for seed in 0..<runs
    where try reports(seed: seed, sensitivity, depth: sigmas, dwell: dwell, receiver) { count += 1 }
    return Double(count) / Double(runs)
  }

  /// Transitions of a region of 100 m on whose edge a device stands for a day after half an hour, and the most in one
  /// day.
  static func transitionsADay(
    of runs: Int, hours: Double, _ sensitivity: Region.Sensitivity, _ receiver: Receiver
  ) throws -> (mean: Double, most: Int) {
    var total = 0
    var most = 0
    for seed in 0..<runs {
      var simulated = SimulatedReceiver(
        seed: seed, sigmaMeters: receiver.sigma, correlationSeconds: receiver.correlationSeconds,
        understates: receiver.understates)
      var region = circle("home", initial: .silent)
      region.sensitivity = sensitivity
      var monitor = RegionMonitor()
      try monitor.add(region)
      var events: [RegionEvent] = []
      for second in 0..<Int((hours + 0.5) * 3_600) {
        monitor.observe(simulated.fix(second: second, east: 100, north: 0, from: munich), into: &events)
      }
      let count = events.filter { $0.instant.microseconds >= 1_800_000_000 }.count
      total += count
      most = Swift.max(most, count)
    }
    return (Double(total) * 24 / (Double(runs) * hours), most)
  }

  /// Seconds from crossing the edge of a region of 100 m to its exit, sorted.
  static func exitDelays(
    of runs: Int, _ sensitivity: Region.Sensitivity, speed: Double, _ receiver: Receiver
  ) throws -> [Double] {
    try (0..<runs).map { seed in
      var simulated = SimulatedReceiver(
        seed: seed, sigmaMeters: receiver.sigma, correlationSeconds: receiver.correlationSeconds)
      var region = circle("home", initial: .silent)
      region.sensitivity = sensitivity
      var monitor = RegionMonitor()
      try monitor.add(region)
      var events: [RegionEvent] = []
      var second = 0
      while events.isEmpty, second < 600 {
        let moving = Swift.max(0, Double(second - 30))
        let fix = simulated.fix(second: second, east: speed * moving, north: 0, from: munich)
        monitor.observe(fix, into: &events)
        second += 1
      }
      return Double(second - 1) - 30 - 100 / speed
    }.sorted()
  }
}

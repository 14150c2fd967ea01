/// Whether a program takes more of the processor than a program in the background may (rule K2). Pure: samples and
/// their times go in.
///
/// The limit is that of iOS for an app in the background: 48 s of processor time in any 60 s (the crash reports say
/// `CPU: 48 seconds cpu time over 60 seconds`, limit 80 %).
package struct ProcessorMeter: Hashable, Sendable {
  /// Seconds over which it is counted.
  package static let windowSeconds = 60.0
  /// Core seconds in a window from which on it is too much.
  package static let limitCoreSeconds = 48.0
  /// Seconds between two samples.
  package static let sampleSeconds = 10.0

  private struct Sample: Hashable, Sendable {
    var at: Double
    var coreSeconds: Double
  }

  private var samples: [Sample] = []

  package init() {}

  /// Takes a sample: processor seconds since the start, which never fall, at a time in seconds. Whether the program
  /// took too much in the window that ends now.
  package mutating func isOver(coreSeconds: Double, at seconds: Double) -> Bool {
    if let last = samples.last, coreSeconds < last.coreSeconds || seconds < last.at { samples = [] }
    // One sample from before the window stays: without it the window's beginning is not known.
    while samples.count > 1, samples[1].at <= seconds - Self.windowSeconds { samples.removeFirst() }
    samples.append(Sample(at: seconds, coreSeconds: coreSeconds))
    guard let first = samples.first else { return false }
    let span = max(seconds - first.at, Self.windowSeconds)
    return (coreSeconds - first.coreSeconds) / span >= Self.limitCoreSeconds / Self.windowSeconds
  }
}

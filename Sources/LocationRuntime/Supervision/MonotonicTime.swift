/// The supervisor's own time: for the seconds between two signals, not for anything that is decided.
enum MonotonicTime {
  private static let start = SuspendingClock.now

  /// Milliseconds of running time since some start. Sleep of the machine does not count: a program can't use it.
  static var milliseconds: Int64 {
    let (seconds, attoseconds) = start.duration(to: .now).components
    return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
  }
}

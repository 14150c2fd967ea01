#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The supervisor's own time: for the seconds between two signals, not for anything that is decided.
enum MonotonicTime {
  /// Milliseconds of running time since some start. Sleep of the machine does not count: a program can't use it.
  static var milliseconds: Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}

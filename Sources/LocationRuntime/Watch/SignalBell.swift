import Glibc
package import LocationFormats
import Synchronization

/// Signals as something that can be waited for.
///
/// A handler may do next to nothing: it notes the signal's number and rings.
package enum SignalBell {
  /// A bit for each signal that came and was not taken yet.
  private static let pending = Atomic<UInt64>(0)
  private static let bell = Result<WakePipe, Failure> { () throws(Failure) in try WakePipe() }

  /// Catches these signals from now on, also where whoever started us had blocked them.
  ///
  /// - Returns: a descriptor that becomes readable when one came.
  /// - Throws: ``Failure`` where the machine has no descriptors left.
  package static func install(_ signals: [Int32]) throws(Failure) -> Int32 {
    let bell = try bell.get()
    for number in signals { _ = signal(number) { SignalBell.note($0) } }
    InheritedSignals.unblock(signals)
    return bell.readEnd
  }

  /// Whether whoever started us has a signal ignored, as `nohup` has the hang-up.
  static func isIgnored(_ number: Int32) -> Bool {
    let before = signal(number, SIG_IGN)
    _ = signal(number, before)
    return unsafe unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Lets these signals do again what they do by themselves.
  package static func uninstall(_ signals: [Int32]) {
    for number in signals { _ = signal(number, SIG_DFL) }
  }

  /// The signals that came since the last call, lowest first.
  package static func take() -> [Int32] {
    if case .success(let bell) = bell { bell.silence() }
    let bits = pending.exchange(0, ordering: .acquiringAndReleasing)
    return (1..<64).filter { bits & (1 << UInt64($0)) != 0 }
  }

  private static func note(_ number: Int32) {
    let saved = errno
    pending.bitwiseOr(1 << UInt64(number), ordering: .acquiringAndReleasing)
    if case .success(let bell) = bell { bell.ring() }
    errno = saved
  }
}

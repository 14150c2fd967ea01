package import LocationCore

/// How short of memory the machine is, made of the kernel's signs and of their absence. Pure: the time is an argument.
package struct MemoryPressureLevel: Hashable, Sendable {
  /// The level.
  package typealias Pressure = MemoryPressure

  /// Milliseconds without a sign after which a level is left: five windows, since the kernel gives a sign at most once
  /// a window while the shortage lasts (Documentation/accounting/psi.rst).
  package static let reliefMilliseconds: Int64 = 10_000

  /// As it was last told.
  package private(set) var told = Pressure.none
  private var warningUntil: Int64?
  private var criticalUntil: Int64?

  package init() {}

  /// Goes on with a level that was told before, as if there had just been a sign of it.
  package mutating func resume(_ level: Pressure, at now: Int64) {
    told = level
    note(level, at: now)
  }

  /// The kernel has given a sign of this level.
  package mutating func note(_ sign: Pressure, at now: Int64) {
    switch sign {
    case .none: break
    case .warning: warningUntil = now + Self.reliefMilliseconds
    case .critical: criticalUntil = now + Self.reliefMilliseconds
    }
  }

  /// The level, where it is another than was told last.
  package mutating func change(at now: Int64) -> Pressure? {
    if let until = warningUntil, until <= now { warningUntil = nil }
    if let until = criticalUntil, until <= now { criticalUntil = nil }
    let level: Pressure = criticalUntil != nil ? .critical : warningUntil != nil ? .warning : .none
    guard level != told else { return nil }
    told = level
    return level
  }

  /// When a level is left unless a sign comes; nil where there is none to leave.
  package var nextDeadline: Int64? { [warningUntil, criticalUntil].compactMap { $0 }.min() }
}

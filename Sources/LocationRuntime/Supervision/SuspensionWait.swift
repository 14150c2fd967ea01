/// When a program that is to be suspended is stopped: once it has read what it was told, and had a moment to act on it
/// (rule A2). Pure: times, in milliseconds, and what it has not read go in.
struct SuspensionWait: Hashable {
  /// When to look next whether it has read.
  private(set) var nextLook: Int64
  /// When it is stopped whether it has read or not.
  private let latest: Int64
  /// Since when it has been seen to have read all.
  private var readAt: Int64?

  /// Its suspension is ordered.
  init(at now: Int64) {
    nextLook = now + SupervisorLimits.suspensionLookMilliseconds
    latest = now + SupervisorLimits.suspensionMilliseconds
  }

  /// Looks: whether it is to be stopped now.
  mutating func isOver(hasUnread: Bool, at now: Int64) -> Bool {
    readAt = hasUnread ? nil : readAt ?? now
    let due = readAt.map { $0 + SupervisorLimits.suspensionMomentMilliseconds }
    guard now < min(latest, due ?? latest) else { return true }
    nextLook = min(latest, due ?? now + SupervisorLimits.suspensionLookMilliseconds)
    return false
  }
}

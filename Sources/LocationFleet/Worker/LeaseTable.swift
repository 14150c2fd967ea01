/// What a worker has seen of the leases, and which of them live: those that it sees renewed.
///
/// Only the worker's own clock decides. Servers cannot be trusted to expire messages: nats-server 2.9 may, after it was
/// killed, list expired messages and miss live ones. Time in which the leases could not be read does not count, so the
/// owner of a lease can renew it after an outage.
package struct LeaseTable {
  private struct Lease {
    var revision: UInt64
    var value: [UInt8]
    /// When it was seen, in seconds of watching.
    var seenAt: Double
  }

  /// How long a lease lives that is not renewed.
  package private(set) var lifeSeconds: Double
  private var leases: [String: Lease] = [:]
  /// What the look reads that is older than what is known of its key.
  private var older: [String: Lease] = [:]
  /// Seconds of watching up to the beginning of the last look, and of the last look that came to its end.
  private var watched = (begun: 0.0, ended: 0.0)
  /// When the last look began; nil before the first.
  private var begunAt: Double?
  private var hasEnded = false
  /// Whether everything was read once.
  package private(set) var isComplete = false

  /// From one look to the next no more than this share of a life is counted: a worker that hung learns first what happened
  /// meanwhile.
  private static let longestShare = 0.25
  /// A lease that was not renewed for so many lives is forgotten.
  private static let forgottenLives = 10.0

  /// - Parameter lifeSeconds: how long a lease lives that is not renewed.
  package init(lifeSeconds: Double) { self.lifeSeconds = lifeSeconds }

  /// Begins to read what was written since the last look.
  ///
  /// - Parameter now: the worker's clock, seconds; likewise below.
  package mutating func beginLook(at now: Double) {
    if hasEnded, let begunAt {
      watched.begun += min(now - begunAt, lifeSeconds * Self.longestShare)
    }
    begunAt = now
    hasEnded = false
  }

  /// Everything that was written before the look began has been noted.
  package mutating func endLook() {
    hasEnded = true
    isComplete = true
    watched.ended = watched.begun
    leases.merge(older) { $1 }
    older = [:]
  }

  /// Notes a lease as it was read; without a value it was given back.
  ///
  /// Servers may list what was written over, before what is there. Where the whole look has nothing newer of a key, an
  /// older copy of the store was put back: what that has counts as seen now.
  package mutating func note(_ key: String, revision: UInt64, value: [UInt8], at now: Double) {
    let known = leases[key]?.revision ?? 0
    let seenAt = watched.begun + max(0, now - (begunAt ?? now))
    let lease = Lease(revision: revision, value: value, seenAt: seenAt)
    older[key] = revision < known ? lease : nil
    if revision > known { leases[key] = lease }
  }

  /// Has leases live for another time from now on. Those that live count as seen now: who has them may not know of it yet.
  package mutating func change(lifeSeconds life: Double) {
    guard life != lifeSeconds else { return }
    for (key, lease) in leases where isLive(lease) { leases[key]?.seenAt = watched.begun }
    lifeSeconds = life
  }

  /// Whether somebody renews it.
  private func isLive(_ lease: Lease) -> Bool {
    !lease.value.isEmpty && watched.ended - lease.seenAt < lifeSeconds
  }

  /// Whether a lease may be taken, and on top of which revision; 0 for one that was never there.
  package func claim(_ key: String) -> UInt64? {
    guard isComplete else { return nil }
    guard let lease = leases[key] else { return 0 }
    return isLive(lease) ? nil : lease.revision
  }

  /// How many of some things are for the holder of a key, among those whose keys begin alike and live: as many as for any
  /// other, and one more for the first of them by name where that does not come out even.
  package func share(of count: Int, for key: String, among prefix: String) -> Int {
    let others = leases.filter { $0.key.hasPrefix(prefix) && $0.key != key && isLive($0.value) }.keys
    let (each, rest) = count.quotientAndRemainder(dividingBy: others.count + 1)
    return others.count { $0 < key } < rest ? each + 1 : each
  }

  /// Leaves out one that nobody has renewed for long, whose key begins like this; nil where there is none.
  package mutating func removeForgotten(_ prefix: String) -> (key: String, revision: UInt64)? {
    let long = lifeSeconds * Self.forgottenLives
    guard
      let old = leases.first(where: { $0.key.hasPrefix(prefix) && watched.ended - $0.value.seenAt > long })
    else { return nil }
    leases[old.key] = nil
    return (old.key, old.value.revision)
  }
}

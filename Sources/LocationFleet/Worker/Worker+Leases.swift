import Glibc
import LocationCore
import LocationFormats

/// Which partitions a worker has.
///
/// A lease is a value in a key-value store. It lives as long as the others see it renewed (``LeaseTable``). A write
/// succeeds only on top of the revision that the writer has seen. The revision at which a worker took the partition is
/// its fence: it writes each checkpoint on top of its own last one, so of two workers that think they have a partition,
/// one fails.
extension Worker {
  /// Seconds from one renewal to the next.
  var renewalSeconds: Double { leases.table.lifeSeconds / 3 }

  var isRenewalDue: Bool { FleetClock.seconds >= renewedAt + renewalSeconds }

  /// Whether the leases hold even if the cluster's clocks are faster than this machine's.
  var isLeaseSafe: Bool { FleetClock.seconds < renewedAt + leases.table.lifeSeconds * 0.8 }

  private var signKey: String { FleetLayout.signPrefix + options.name }

  /// Gives a sign of life, renews the leases, and takes or gives back partitions until it has its share.
  func keepLeases() throws(Failure) {
    do throws(Failure) {
      if isRenewalDue { try renewLeases() }
      guard try leases.look() else { return }
      try takeShare()
      try leases.clean()
    } catch {
      // Without the cluster nothing can be done; the next renewal tells what was lost.
      layout.stream.connection.tell("\(error)")
      FleetClock.pause(milliseconds: Self.pauseMilliseconds)
    }
  }

  /// Gives a sign of life and renews the leases. One that another has meanwhile can't be renewed.
  func renewLeases() throws(Failure) {
    let now = FleetClock.seconds
    try giveSign()
    for partition in partitions.values { try renew(partition) }
    renewedAt = now
  }

  /// Gives a sign of life. One that somebody else gave under this name meanwhile is told of: the two count as one, and
  /// one of them gets no partitions. An older one is of a copy that was put back, and so may be that there is none.
  private func giveSign() throws(Failure) {
    let last = signRevision
    let value = try reportBytes()
    if last > 0 {
      if let revision = try layout.leases.put(signKey, value, over: last) {
        signRevision = revision
        hasToldOfNamesake = false
        return
      }
      let there = try layout.leases.get(signKey)
      if let there, there.revision >= last {
        // One of this worker's own may have been kept whose confirmation was lost. Without a value it was taken back.
        let giver = try? ExactDecoder.value(WorkerReport.self, of: JetStream.tree(there.value))
        if giver?.instance != report.instance, !there.value.isEmpty, !hasToldOfNamesake {
          hasToldOfNamesake = true
          say("another worker is called \(options.name) too: give each a --name of its own")
        }
      } else {
        let reason =
          there == nil ? "its sign of life is gone" : "an older copy of the store of leases was put back"
        say("\(reason): takes its share anew when the leases that are there have run out")
        // The numbers of versions may be given out again.
        catalogs = [:]
      }
    }
    signRevision = try layout.leases.put(signKey, value)
  }

  private func renew(_ partition: Partition) throws(Failure) {
    let key = FleetLayout.leaseKey(partition.number)
    if let revision = try layout.leases.put(key, leaseValue, over: partition.leaseRevision) {
      partition.leaseRevision = revision
      return
    }
    // A renewal whose confirmation nobody waited for any more is this worker's own: whoever took the lease after it has
    // written over it.
    let there = try layout.leases.get(key)
    let isNewer = there.map { $0.revision > partition.leaseRevision } ?? false
    if let there, isNewer, there.value.starts(with: leaseOwner) {
      partition.leaseRevision = there.revision
      return
    }
    leases.startOver()
    drop(partition, isNewer ? "another has its lease" : "its lease is lost, or an older one is there")
  }

  /// What only this worker's leases begin with.
  private var leaseOwner: [UInt8] { Array("\(options.name) \(getpid()) ".utf8) }

  /// Differs from one renewal to the next, so that a lost confirmation is told from another worker's lease.
  private var leaseValue: [UInt8] { leaseOwner + Array("\(FleetClock.seconds)".utf8) }

  private func takeShare() throws(Failure) {
    let share = leases.table.share(of: fleet.partitions, for: signKey, among: FleetLayout.signPrefix)
    while partitions.count > share, let last = partitions.values.max(by: { $0.number < $1.number }) {
      release(last)
    }
    for number in 0..<fleet.partitions where partitions.count < share {
      let key = FleetLayout.leaseKey(number)
      guard partitions[number] == nil, let revision = leases.table.claim(key) else { continue }
      // What was taken must not run out while more is taken.
      guard !isRenewalDue else { return }
      guard let epoch = try claim(key, over: revision) else {
        leases.startOver()
        continue
      }
      try take(number, epoch: epoch)
    }
  }

  /// Writes a lease on top of the revision that was seen. nats-server 2.9 may have lost its index of that, and then says
  /// that there is none: either way it takes one of those who try.
  private func claim(_ key: String, over revision: UInt64) throws(Failure) -> UInt64? {
    if let epoch = try layout.leases.put(key, leaseValue, over: revision) { return epoch }
    return revision > 0 ? try layout.leases.put(key, leaseValue, over: 0) : nil
  }

  /// Gives a lease back: without a value anyone may take it.
  func giveBack(_ number: Int, revision: UInt64) throws(Failure) {
    _ = try layout.leases.put(FleetLayout.leaseKey(number), [], over: revision)
  }

  /// Takes the sign of life back.
  func giveSignBack() throws(Failure) { try layout.leases.put(signKey, []) }

  /// Takes a partition over from where its checkpoint is.
  private func take(_ number: Int, epoch: UInt64) throws(Failure) {
    recovering[number] = FleetClock.seconds
    let key = Checkpoint.key(number)
    let entry = try layout.fleet.get(key)
    let last = try Checkpoint(entry, of: number)
    let end = try fixesEnd(from: last.sequence)
    let eventsEnd = try layout.stream.lastSequence(of: FleetLayout.events)
    var checkpoint = last.within(fixes: end, events: eventsEnd)
    if checkpoint.sequence < last.sequence {
      say(
        "partition \(number) goes on from \(end), where the stream of fixes ends; its checkpoint was at \(last.sequence)"
      )
    }
    let version = try layout.catalogVersion(of: number, after: checkpoint)
    if version > checkpoint.catalog {
      say("partition \(number) watches version \(version) of the regions: its announcement is no longer kept")
    }
    checkpoint.catalog = version
    checkpoint.worker = options.name
    checkpoint.epoch = epoch
    // From here on the worker before can't write another.
    guard
      let revision = try layout.fleet.put(key, try checkpoint.bytes(), over: entry?.revision ?? 0)
    else { return try giveBack(number, revision: epoch) }
    let partition = Partition(
      number, epoch: epoch, checkpoint: checkpoint, revision: revision, streamEnd: end,
      catalog: try catalog(checkpoint.catalog))
    // From here on its lease is renewed with the others, however long it takes until fixes come.
    partitions[number] = partition
  }

  /// The last message of the stream of fixes. It is asked for twice where it is before one that was read: a server that
  /// leads the stream since a moment ago may not have come to its end.
  func fixesEnd(from position: UInt64) throws(Failure) -> UInt64 {
    let end = try layout.stream.lastSequence(of: FleetLayout.fixes)
    guard end < position else { return end }
    FleetClock.pause(milliseconds: Self.pauseMilliseconds)
    return try layout.stream.lastSequence(of: FleetLayout.fixes)
  }

  /// A version of the regions; the partitions of a worker share it.
  func catalog(_ version: Int) throws(Failure) -> FleetCatalog {
    if let known = catalogs[version] { return known }
    let catalog = try layout.catalog(version)
    if catalog.stored != version || catalog.entries.isEmpty {
      let count = Wording.count(catalog.entries.count, "region")
      say("version \(version) of the regions: \(count), of version \(catalog.stored)")
    }
    let used = Set(partitions.values.map(\.catalog.version))
    catalogs = catalogs.filter { used.contains($0.key) }
    catalogs[version] = catalog
    return catalog
  }

  // MARK: - Giving back

  /// How long it may take to give back what is given back at once, seconds.
  private static let longestReleaseSeconds = 60.0

  /// Gives all partitions back. Servers that do not answer for one would not for the others: those are given up.
  ///
  /// - Returns: whether the servers answered.
  func releaseAll() -> Bool {
    let end = FleetClock.seconds + Self.longestReleaseSeconds
    var isAnswered = true
    for partition in partitions.values {
      if isAnswered {
        isAnswered = release(partition, before: end)
      } else {
        drop(partition, "the one before could not be given back in good order")
      }
    }
    return isAnswered
  }

  /// Gives a partition back in good order: the next worker has nothing to repeat.
  ///
  /// - Returns: whether the servers answered.
  @discardableResult
  private func release(
    _ partition: Partition, before end: Double = FleetClock.seconds + longestReleaseSeconds
  ) -> Bool {
    do throws(Failure) {
      try finish(partition, before: end)
      if partition.pull.consumer > 0 {
        try layout.stream.removeConsumer(partition.pull.name, of: FleetLayout.fixes)
      }
      say("gives partition \(partition.number) back at \(partition.position)")
      forget(partition)
      try giveBack(partition.number, revision: partition.leaseRevision)
      return true
    } catch {
      drop(partition, "\(error)")
      return error.code != .unavailable
    }
  }

  /// Gives a partition up as it is: whoever takes it goes on from the checkpoint.
  func drop(_ partition: Partition, _ reason: String) {
    guard partitions[partition.number] === partition else { return }
    say("gives partition \(partition.number) up: \(reason)")
    forget(partition)
  }

  /// Gives up a partition whose data this worker can't use. Its next reports say so.
  func drop(_ partition: Partition, asUnusable reason: Failure) {
    guard partitions[partition.number] === partition else { return }
    var unusable = (report.unusable ?? []).filter { $0.number != partition.number }
    unusable.append(
      WorkerReport.Unusable(
        number: partition.number, reason: "\(reason)", time: Int(FleetClock.wall)))
    report.unusable = unusable
    drop(partition, "\(reason)")
  }

  func dropLost() {
    for number in store.lost {
      if let partition = partitions[number] { drop(partition, "another worker writes its snapshots") }
      store.forget(number)
    }
  }

  private func forget(_ partition: Partition) {
    partitions[partition.number] = nil
    recovering[partition.number] = nil
    if asked?.partition === partition { asked = nil }
    store.forget(partition.number)
    publisher.forget { partition.devices[ExactName($0.name)] === $0 }
  }

  // MARK: - Signs of life

  private func reportBytes() throws(Failure) -> [UInt8] {
    let owned = partitions.values.sorted { $0.number < $1.number }
    report.pid = Int(getpid())
    report.time = Int(FleetClock.wall)
    report.refusal =
      store.refusal.map { "no snapshots: \($0)" } ?? publisher.refusal.map { "no events: \($0)" }
    // Older ones are left out: the worker that holds the partition now reports it too if it still can't use it.
    let since = report.time - Int(3 * leases.table.lifeSeconds)
    report.unusable = report.unusable.flatMap { all in
      let late = all.filter { $0.time >= since }
      return late.isEmpty ? nil : late
    }
    report.partitions = owned.map(\.number)
    report.lags = owned.map(\.lag)
    report.devices = deviceCount
    report.events = publisher.confirmed
    report.snapshots = store.written
    report.snapshotBytes = store.bytesWritten
    report.residentBytes = Self.residentBytes
    report.latencyCounts = publisher.latency.counts
    report.latencySeconds = publisher.latency.sumSeconds
    return try ExactEncoder.bytes(of: report, called: "a report")
  }

  /// The resident size, bytes: the second number of /proc/self/statm, in pages.
  private static var residentBytes: Int {
    guard let text = try? FileBytes.read(path: "/proc/self/statm") else { return 0 }
    let words = String(decoding: text, as: UTF8.self).split(separator: " ")
    return words.count > 1 ? (Int(words[1]) ?? 0) * Int(getpagesize()) : 0
  }
}

/// How a worker works.
package struct WorkerOptions: Sendable {
  /// Its name among the workers, which no other has at the time.
  package var name: String
  /// The most devices in memory: beyond it those that were silent for longest leave it.
  package var deviceLimit = 200_000
  /// Seconds from one checkpoint to the next.
  package var checkpointSeconds = 10.0

  package init(name: String) { self.name = name }
}

/// What a worker tells of itself with each sign of life.
package struct WorkerReport: Hashable, Sendable, Codable {
  /// Its name.
  package var name = ""
  /// Its process.
  package var pid = 0
  /// A number that no other process has: in containers pids are alike. Nil of older versions.
  package var instance: Int?
  /// Seconds since 1970.
  package var time = 0
  /// Partitions that it has.
  package var partitions: [Int] = []
  /// Messages that wait for each of them, in the same order.
  package var lags: [Int] = []
  /// Devices in memory.
  package var devices = 0
  /// Fixes handled.
  package var fixes = 0
  /// Events published and confirmed.
  package var events = 0
  /// Messages from which nothing follows, and those of no partition.
  package var ignored = 0
  /// Messages that are no fix.
  package var deadLetters = 0
  /// Messages that a snapshot already had.
  package var repeated = 0
  /// Events that another worker had published.
  package var known = 0
  /// Checkpoints written.
  package var checkpoints = 0
  /// Snapshots of devices written.
  package var snapshots = 0
  /// Bytes of these.
  package var snapshotBytes = 0
  /// Why the cluster keeps none of its snapshots or events; nil where it does, and of older versions.
  package var refusal: String?
  /// Partitions that it gave up lately because it can't use what is kept of them; nil for none, and of older versions.
  package var unusable: [Unusable]?
  /// Partitions taken.
  package var takeovers = 0
  /// Seconds of the last takeover until it had come to the end of the stream; 0 before.
  package var recoverySeconds = 0.0
  /// Resident memory.
  package var residentBytes = 0
  /// ``LatencyCounts/counts``.
  package var latencyCounts: [Int] = []
  /// ``LatencyCounts/sumSeconds``.
  package var latencySeconds = 0.0

  /// A partition of which something that is kept can't be used.
  package struct Unusable: Hashable, Sendable, Codable {
    /// From 0.
    package var number: Int
    /// What can't be used, and what to do.
    package var reason: String
    /// When it was given up, seconds since 1970.
    package var time: Int
  }

  package init() {}
}

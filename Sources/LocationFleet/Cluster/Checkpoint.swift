import LocationFormats

/// How far a partition has come, as the key-value store has it: a worker that takes the partition over goes on from
/// here.
package struct Checkpoint: Hashable, Codable {
  /// The last message of the stream of fixes whose effects are all kept: snapshots and events.
  package var sequence: UInt64 = 0
  /// An event of this partition beyond this sequence of the stream of events belongs to a later fix.
  package var events: UInt64 = 0
  /// The version of the regions at that point.
  package var catalog = 0
  /// Devices that the worker had in memory.
  package var devices = 0
  /// Who wrote it.
  package var worker = ""
  /// The revision of the lease under which it was written: the fence.
  package var epoch: UInt64 = 0
  /// How often the stream of fixes was found to end before the checkpoint; nil for never. A snapshot of an earlier era
  /// numbers messages of a stream that was lost.
  package var era: Int?

  package init() {}

  static func key(_ partition: Int) -> String { "partition.\(partition)" }

  /// As it is kept. Where there is none, or it was deleted, a partition begins at the beginning of the stream.
  init(_ entry: KeyValueBucket.Entry?, of partition: Int) throws(Failure) {
    guard let entry, !entry.isDeleted else { return }
    do {
      self = try ExactDecoder.value(Checkpoint.self, of: JetStream.tree(entry.value))
    } catch {
      throw Failure(
        .data, what: "the checkpoint of partition \(partition) can't be read",
        remedy: "update this locwatch, or see \"When something fails\" in Docs/Fleet.md")
    }
  }

  /// The checkpoint no further than the last messages of the streams. One that is beyond them is of a stream that was
  /// deleted, or of which an older copy was put back: what is still there was handled, and what comes is new. With it
  /// another era begins.
  func within(fixes: UInt64, events: UInt64) -> Checkpoint {
    var checkpoint = self
    if sequence > fixes {
      checkpoint.sequence = fixes
      checkpoint.era = (era ?? 0) + 1
    }
    checkpoint.events = min(self.events, events)
    return checkpoint
  }

  func bytes() throws(Failure) -> [UInt8] {
    try ExactEncoder.bytes(of: self, called: "a checkpoint")
  }
}

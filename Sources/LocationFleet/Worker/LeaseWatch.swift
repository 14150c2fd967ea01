import LocationFormats

/// Reads the leases as they are written: one request after the other in the order of the stream, none of which is waited
/// for.
final class LeaseWatch {
  private let leases: KeyValueBucket
  private let pipe: RequestPipe
  private(set) var table: LeaseTable
  /// From which revision on is to be read.
  private var next: UInt64 = 1
  private var asked: (number: Int, at: Double)?
  private var begunAt = -1e6

  /// Looks in the life of a lease.
  private static let looksPerLife = 10.0
  /// Seconds after which a look without an answer begins anew.
  private static let patienceSeconds = 3.0

  init(_ layout: FleetLayout, lifeSeconds: Double) throws(Failure) {
    leases = layout.leases
    pipe = try RequestPipe(layout.stream.connection)
    table = LeaseTable(lifeSeconds: lifeSeconds)
  }

  /// Whether an answer is on its way.
  var isLooking: Bool { asked != nil }

  /// When the next look is due.
  var dueAt: Double { begunAt + table.lifeSeconds / Self.looksPerLife }

  /// Takes what was answered, and asks on; true where a look has come to its end.
  func look() throws(Failure) -> Bool {
    let now = FleetClock.seconds
    if asked == nil, now >= dueAt {
      begunAt = now
      table.beginLook(at: now)
      try ask()
    }
    while let open = asked {
      guard let answer = try pipe.receive(milliseconds: 0) else {
        if now > open.at + Self.patienceSeconds { asked = nil }
        return false
      }
      guard answer.number == open.number else { continue }
      asked = nil
      let tree = JetStream.tree(answer.payload)
      if let lease = leases.written(tree) {
        next = lease.entry.revision + 1
        if lease.key == FleetLayout.lifeKey {
          if let life = FleetLayout.life(lease.entry.value) { table.change(lifeSeconds: life) }
        } else {
          table.note(
            lease.key, revision: lease.entry.revision, value: lease.entry.value, at: FleetClock.seconds)
        }
        try ask()
      } else if JetStream.refusal(tree)?.errorCode == JetStream.noMessage {
        table.endLook()
        return true
      }
    }
    return false
  }

  private func ask() throws(Failure) {
    let body = Array(KeyValueBucket.request(from: next).text.utf8)
    asked = (try pipe.send(leases.getSubject, body), FleetClock.seconds)
  }

  /// Reads everything again: a write was refused, so another revision is there than was seen.
  func startOver() { next = 1 }

  /// Removes the sign of life of a worker that is gone for long.
  func clean() throws(Failure) {
    guard let old = table.removeForgotten(FleetLayout.signPrefix) else { return }
    try leases.remove(old.key, revision: old.revision)
  }
}

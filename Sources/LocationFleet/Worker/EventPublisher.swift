import LocationFormats

/// Publishes events so that each is kept once: the cluster drops one whose id it has, and one that it does not confirm
/// is sent again.
final class EventPublisher {
  private struct Pending {
    var subject: String
    var payload: [UInt8]
    var headers: NATSConnection.Headers
    /// Whose it is; nil for a dead letter.
    var device: FleetDevice?
    /// When the cluster took the fix, seconds since 1970.
    var fixTime: Double
    var sentAt: Double
  }

  let pipe: RequestPipe
  private let connection: NATSConnection
  private var pending: [Int: Pending] = [:]
  /// The number of the oldest that may be pending.
  private var oldest = 1
  private var newest = 0
  /// The highest sequence that the stream of events has given to one of this worker.
  private(set) var lastSequence: UInt64 = 0
  /// Events confirmed.
  private(set) var confirmed = 0
  /// Milliseconds from the fix to the confirmed event.
  private(set) var latency = LatencyCounts()

  /// Whether so many are on their way that the next has to wait, until half of them are kept.
  private(set) var isFull = false
  /// After which time one that nobody confirms is sent again.
  private var patience = RetryWait(least: 3, most: 30)
  /// When something was last confirmed, or the user told that nothing is.
  private var heardAt = FleetClock.seconds
  /// Why a stream last refused something, and what to do; nil since one has kept something.
  private(set) var refusal: String?

  /// The most that may be on their way: few enough that they are kept well before a lease runs out.
  private static let window = 1_024
  /// Seconds without any confirmation after which the user is told.
  private static let silenceSeconds = 60.0

  init(_ connection: NATSConnection) throws(Failure) {
    pipe = try RequestPipe(connection)
    self.connection = connection
  }

  /// How many are on their way.
  var count: Int { pending.count }

  /// The number of the next event; those of a fix are settled when ``isSettled(before:)`` of it.
  var nextNumber: Int { newest + 1 }

  /// Whether every event before a number is kept.
  func isSettled(before number: Int) -> Bool {
    while oldest < number, oldest <= newest, pending[oldest] == nil { oldest += 1 }
    return oldest >= number || pending.isEmpty
  }

  /// Sends an event, also where ``isFull`` says that it had better wait.
  func publish(
    _ subject: String, _ payload: [UInt8], id: String, of device: FleetDevice?, fixTime: Double
  ) throws(Failure) {
    try publish(subject, payload, NATSConnection.Headers(id: id), of: device, fixTime: fixTime)
  }

  /// Sends a dead letter likewise.
  func publish(_ subject: String, _ letter: DeadLetter, id: String, fixTime: Double) throws(Failure) {
    let headers = NATSConnection.Headers(id: id, reason: letter.reason, bytes: letter.cutBytes)
    try publish(subject, letter.payload, headers, of: nil, fixTime: fixTime)
  }

  private func publish(
    _ subject: String, _ payload: [UInt8], _ headers: NATSConnection.Headers, of device: FleetDevice?,
    fixTime: Double
  ) throws(Failure) {
    device?.unconfirmedEvents += 1
    try send(
      Pending(
        subject: subject, payload: payload, headers: headers, device: device, fixTime: fixTime,
        sentAt: FleetClock.seconds))
  }

  private func send(_ event: Pending) throws(Failure) {
    let number = try pipe.send(event.subject, event.payload, headers: event.headers)
    if pending.isEmpty { heardAt = FleetClock.seconds }
    newest = number
    pending[number] = event
    if pending.count >= Self.window { isFull = true }
  }

  /// Takes the confirmations that have come, or waits for the first.
  func collect(milliseconds: Int) throws(Failure) {
    var wait = milliseconds
    while !pending.isEmpty, let answer = try pipe.receive(milliseconds: wait) {
      wait = 0
      take(answer)
    }
    try repeatOverdue()
  }

  /// Waits, for however long the cluster takes, until there is room for more.
  func makeRoom() throws(Failure) {
    while isFull { try collect(milliseconds: 500) }
  }

  /// Waits, for however long the cluster takes, until everything is kept.
  func settle() throws(Failure) {
    while !pending.isEmpty { try collect(milliseconds: 500) }
  }

  private func take(_ answer: RequestPipe.Answer) {
    guard let event = pending[answer.number] else { return }
    let told = JetStream.tree(answer.payload)
    if let refused = JetStream.refusal(told) {
      refusal = refused.told
      return connection.tell("the cluster keeps no events: \(refused.told); they are sent again")
    }
    guard let sequence = told["seq"]?.integer.flatMap({ UInt64(exactly: $0) }) else { return }
    pending[answer.number] = nil
    refusal = nil
    if pending.count <= Self.window / 2 { isFull = false }
    patience.reset()
    heardAt = FleetClock.seconds
    // What follows is of events: a dead letter has its sequence from another stream.
    guard let device = event.device else { return }
    device.unconfirmedEvents -= 1
    lastSequence = max(lastSequence, sequence)
    confirmed += 1
    latency.count(FleetClock.wall - event.fixTime)
  }

  private func repeatOverdue() throws(Failure) {
    let now = FleetClock.seconds
    guard !pending.isEmpty, !isSettled(before: newest + 1), let event = pending[oldest],
      now - event.sentAt > patience.seconds
    else { return }
    if now - heardAt > Self.silenceSeconds {
      heardAt = now
      let what = "\(event.subject) and \(pending.count - 1) others are sent again"
      connection.log("the cluster keeps nothing\(reason); \(what)")
    }
    for number in pending.keys.sorted() {
      guard let event = pending[number], now - event.sentAt > patience.seconds else { continue }
      // Under its number: what servers that are slow say of the first attempt is as good.
      try pipe.send(event.subject, event.payload, headers: event.headers, again: number)
      pending[number]?.sentAt = now
    }
    patience.double()
  }

  /// Why nothing is kept, and what to do, as far as the servers say. What a user may not publish has no answer.
  private var reason: String {
    for event in pending.values {
      guard let denied = connection.refusal(of: event.subject) else { continue }
      return ": \(denied) (check --creds, and what the servers' configuration lets this user do)"
    }
    return refusal.map { ": \($0)" } ?? ""
  }

  /// Forgets what belongs to devices that this worker no longer has: another worker publishes it, under the same ids.
  func forget(_ isMeant: (FleetDevice) -> Bool) {
    pending = pending.filter { entry in entry.value.device.map { !isMeant($0) } ?? true }
    if pending.count <= Self.window / 2 { isFull = false }
  }
}

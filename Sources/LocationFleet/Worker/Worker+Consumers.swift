import LocationFormats

/// A consumer that a worker has asked for and no server has made yet.
struct ConsumerRequest {
  /// What a partition needs it for, in this order.
  enum Purpose {
    /// The ids of events that are kept beyond the checkpoint.
    case eventIDs
    /// The fixes.
    case fixes
    /// The snapshots of its devices, all at once.
    case snapshots
  }

  var partition: Partition
  var purpose: Purpose
  var selection: JetStream.Selection
  /// Another for each request.
  var name: String
  /// The number of its answer in the pipe.
  var number: Int
  /// When it was first sent, and last, seconds.
  var beganAt: Double
  var sentAt: Double
}

/// How a partition that was taken, or has lost its consumer, comes to its fixes.
///
/// Nothing else waits for that. A server may be silent because it is busy with other consumers, or because it was killed
/// after it was given this one: so a request waits for longer each time, then one of another name is sent, for whichever
/// partition has waited longest. What was asked for before is removed, or ends by itself: none pile up.
extension Worker {
  /// Seconds from an attempt in vain to the next.
  private static let pauseSeconds = 0.5
  /// Seconds after which a request is sent again under its name.
  private static let repeatSeconds = 3.0
  /// The ids of events are read again if they are older when the fixes come, seconds: what a worker before publishes late
  /// must be either among them or within the servers' time for doubles.
  private static let longestEventIDs = 300.0
  /// Snapshots that are read for each message to come at most: about as many as are read while one is asked for.
  private static let loadedPerMessage = 8

  /// Takes the answer to the request for a consumer, if there is one, and sends the next.
  func makeConsumers() throws(Failure) {
    while let answer = try consumers.receive(milliseconds: 0) {
      guard let request = asked, answer.number == request.number else { continue }
      take(JetStream.tree(answer.payload), to: request)
    }
    if let request = asked { return try wait(for: request) }
    while asked == nil {
      let waiting = partitions.values.filter { $0.need != nil && FleetClock.seconds >= $0.askAt }
      guard let next = waiting.min(by: { ($0.askAt, $0.number) < ($1.askAt, $1.number) }) else { return }
      try ask(for: next)
    }
  }

  private func ask(for partition: Partition) throws(Failure) {
    guard let purpose = partition.need, let selection = selection(purpose, of: partition) else {
      return begin(partition)
    }
    consumerCount += 1
    let now = FleetClock.seconds
    let name = "partition-\(partition.number)-\(partition.epoch)-\(consumerCount)"
    var request = ConsumerRequest(
      partition: partition, purpose: purpose, selection: selection, name: name, number: 0, beganAt: now,
      sentAt: now)
    let (subject, body) = layout.stream.consumerRequest(name, of: selection)
    request.number = try consumers.send("$JS.API.\(subject)", Array(body.text.utf8))
    asked = request
  }

  /// Waits on for the answer to a request, and gives it up where that took too long.
  private func wait(for request: ConsumerRequest) throws(Failure) {
    let now = FleetClock.seconds
    let partition = request.partition
    if now > request.beganAt + layout.stream.consumerPatience.seconds(after: partition.attempts) {
      fail(request, "no answer")
    } else if now > request.sentAt + Self.repeatSeconds {
      let (subject, body) = layout.stream.consumerRequest(request.name, of: request.selection)
      try consumers.send(
        "$JS.API.\(subject)", Array(body.text.utf8), headers: NATSConnection.Headers(), again: request.number)
      asked?.sentAt = now
    }
  }

  private func fail(_ request: ConsumerRequest, _ reason: String) {
    asked = nil
    let partition = request.partition
    partition.attempts += 1
    partition.askAt = FleetClock.seconds + Self.pauseSeconds
    // One that is made late is not needed.
    try? layout.stream.removeConsumer(request.name, of: request.selection.stream)
    // What is missing then is asked for device by device.
    if request.purpose == .snapshots { return begin(partition) }
    let seconds = Int(FleetClock.seconds - request.beganAt)
    let stream = request.selection.stream
    say("partition \(partition.number) has no consumer of \(stream) after \(seconds) s: \(reason)")
  }

  private func take(_ answer: JSONTree, to request: ConsumerRequest) {
    asked = nil
    if let refusal = JetStream.refusal(answer) { return fail(request, refusal.description) }
    layout.stream.consumerPatience.note(FleetClock.seconds - request.beganAt)
    let consumer = JetStream.Consumer(request.name, answer)
    let partition = request.partition
    do throws(Failure) {
      switch request.purpose {
      case .eventIDs:
        partition.known = try eventIDs(request.selection, over: consumer)
        partition.eventIDsAt = FleetClock.seconds
        partition.need = .fixes
      case .fixes: try receive(consumer, of: partition)
      case .snapshots:
        try loadSnapshots(request.selection, over: consumer, of: partition)
        begin(partition)
      }
      partition.attempts = 0
    } catch {
      fail(request, "\(error)")
    }
  }

  /// The consumer of a partition's fixes is there.
  private func receive(_ consumer: JetStream.Consumer, of partition: Partition) throws(Failure) {
    let end = try fixesEnd(from: partition.position)
    guard end >= partition.position else {
      // Whoever takes it next goes on from there.
      drop(partition, "it is at \(partition.position), and the stream of fixes ends at \(end)")
      return try giveBack(partition.number, revision: partition.leaseRevision)
    }
    partition.pull = Partition.Pull(consumer: consumerCount, name: consumer.name)
    partition.lag = consumer.waiting
    if partition.lag == 0 { noteRecovered(partition.number) }
    guard let readAt = partition.eventIDsAt else { return begin(partition) }
    guard FleetClock.seconds < readAt + Self.longestEventIDs else {
      partition.need = .eventIDs
      return
    }
    partition.eventIDsAt = nil
    report.takeovers += 1
    say(
      "has partition \(partition.number) from \(partition.checkpoint.sequence) on, \(partition.lag) messages to come"
    )
    partition.need = .snapshots
  }

  /// From here on its fixes are asked for.
  private func begin(_ partition: Partition) {
    partition.need = nil
    partition.attempts = 0
    partition.pull.heardAt = FleetClock.seconds
    partition.pull.reconnects = reconnects
  }

  /// What a consumer is for; nil where none is needed.
  private func selection(
    _ purpose: ConsumerRequest.Purpose, of partition: Partition
  ) -> JetStream.Selection? {
    switch purpose {
    case .eventIDs:
      return JetStream.Selection(
        stream: FleetLayout.events, subject: fleet.partitions == 1 ? ">" : "event.\(partition.number).>",
        from: partition.checkpoint.events + 1, headersOnly: true)
    case .fixes: return fixes(of: partition)
    case .snapshots:
      return mostSnapshots(of: partition) > 0 ? layout.devices.selection("\(partition.number).>") : nil
    }
  }

  /// The ids of events that are kept beyond a checkpoint: what follows from the same fixes again is not published again.
  private func eventIDs(
    _ events: JetStream.Selection, over consumer: JetStream.Consumer
  ) throws(Failure) -> Set<String> {
    var ids: Set<String> = []
    try layout.stream.read(events, over: consumer) { message, _ in
      if let id = message.id { ids.insert(id) }
    }
    return ids
  }

  /// Reads all snapshots of a partition at once, which takes far less than one request for each. Not where memory has no
  /// room for them, nor where the messages to come are of few devices: then each is asked for when its device speaks.
  private func loadSnapshots(
    _ all: JetStream.Selection, over consumer: JetStream.Consumer, of partition: Partition
  ) throws(Failure) {
    let began = FleetClock.seconds
    let prefix = "\(partition.number)."
    try layout.devices.read(prefix + ">", over: consumer, atMost: mostSnapshots(of: partition)) {
      key, entry throws(Failure) in
      partition.snapshots[ExactName(key.dropping(bytes: prefix.utf8.count))] = entry
    }
    guard !partition.snapshots.isEmpty else { return }
    let milliseconds = Int((FleetClock.seconds - began) * 1_000)
    say("read \(partition.snapshots.count) snapshots of partition \(partition.number) in \(milliseconds) ms")
  }

  /// How many snapshots of a partition are read at once at most.
  private func mostSnapshots(of partition: Partition) -> Int {
    min(options.deviceLimit - deviceCount, partition.lag * Self.loadedPerMessage)
  }
}

import LocationFormats

/// What a worker asks of the stream of fixes.
extension Worker {
  /// Messages asked for at a time.
  private static let pullCount = 4_096
  /// How long the server answers one request.
  private static let pullSeconds = 10
  /// The server gives a sign of life so often while it has nothing.
  private static let heartbeatSeconds = 2
  /// Seconds without any word from a consumer after which it is lost; twice as many each time for a partition that is
  /// behind, because servers that are busy are also silent, and making consumers is what makes them busy.
  private static let silence = (seconds: 5.0, doublings: 2)
  /// How long it is waited for a message that may be what a consumer was lost by, seconds: others wait meanwhile.
  private static let lookSeconds = 3.0

  /// When a partition's consumer is lost, if nothing is heard of it.
  func silenceEnd(_ partition: Partition) -> Double {
    let factor = 1 << min(partition.losses, Self.silence.doublings)
    return partition.pull.heardAt + Self.silence.seconds * Double(factor)
  }

  /// Asks for more where little is on its way. A consumer of which nothing is heard is made again.
  func pull(_ partition: Partition) throws(Failure) {
    guard partition.need == nil else { return }
    // What was on its way when a connection broke is not sent again.
    guard drainedAt <= silenceEnd(partition), partition.pull.reconnects == reconnects else {
      return try lose(partition)
    }
    guard partition.pull.outstanding < Self.pullCount / 2 else { return }
    try layout.stream.pull(
      Self.pullCount, from: partition.pull.name, of: FleetLayout.fixes, seconds: Self.pullSeconds,
      heartbeatSeconds: Self.heartbeatSeconds,
      reply: "\(inbox)\(partition.number)-\(partition.pull.consumer)")
    partition.pull.outstanding += Self.pullCount
  }

  /// A partition's consumer is gone, or silent for too long.
  private func lose(_ partition: Partition) throws(Failure) {
    partition.losses += 1
    say("partition \(partition.number) lost its consumer and goes on after \(partition.position)")
    let name = partition.pull.name
    partition.pull = Partition.Pull()
    partition.need = .fixes
    try layout.stream.removeConsumer(name, of: FleetLayout.fixes)
    // What can't be delivered loses the second one too.
    if partition.losses > 1 { try passUndeliverable(of: partition) }
  }

  /// Puts the next messages of a partition among the dead letters if no consumer can deliver them.
  private func passUndeliverable(of partition: Partition) throws(Failure) {
    let subject = fixes(of: partition).subject
    while !publisher.isFull,
      let (name, entry) = try layout.stream.first(
        of: FleetLayout.fixes, matching: subject, from: partition.position + 1, seconds: Self.lookSeconds),
      let cleaned = FixMessage.cleanedName(ofUndeliverable: name)
    {
      partition.position = entry.revision
      // There may be more: the next loss is looked into at once.
      partition.losses = 1
      say("partition \(partition.number) passes over message \(entry.revision), which can't be delivered")
      try bury(
        entry.value, "a device with a blank or the end of a line in its name",
        "\(partition.number).\(cleaned)", sequence: entry.revision, era: partition.checkpoint.era,
        fixTime: FleetClock.wall)
    }
  }

  /// The messages of a partition from where it stands on. The one partition of a fleet has all messages: nats-server 2.9
  /// takes a second to count those of 25,000 subjects among them.
  func fixes(of partition: Partition) -> JetStream.Selection {
    let subject = fleet.partitions == 1 ? ">" : "fix.\(partition.number).>"
    return JetStream.Selection(stream: FleetLayout.fixes, subject: subject, from: partition.position + 1)
  }

  /// A partition that was taken has come to the end of the stream.
  func noteRecovered(_ number: Int) {
    guard let began = recovering.removeValue(forKey: number) else { return }
    report.recoverySeconds = FleetClock.seconds - began
    say("partition \(number) is at the end of the stream after \(Int(report.recoverySeconds * 1_000)) ms")
  }

  /// Takes what the server says of a request: `<inbox>.<partition>-<consumer>`.
  func note(status: Int, _ subject: String) {
    let numbers = subject.split(separator: ".").suffix(1).joined().split(separator: "-").map { Int($0) }
    guard numbers.count == 2, let number = numbers[0], let partition = partitions[number],
      partition.pull.consumer == numbers[1]
    else { return }
    switch status {
    case 100: partition.pull.heardAt = FleetClock.seconds
    // Its time is over, or it was full.
    case 408:
      partition.pull.heardAt = FleetClock.seconds
      partition.pull.outstanding = 0
    // The consumer or its server is gone.
    default: partition.pull.heardAt = 0
    }
  }
}

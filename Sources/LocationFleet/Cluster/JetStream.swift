package import LocationCore
package import LocationFormats

/// JetStream's requests (https://docs.nats.io/reference/reference-protocols/nats_api_reference).
package final class JetStream {
  /// The connection.
  package let connection: NATSConnection
  /// Requests that wait for their answer.
  package let pipe: RequestPipe
  /// How long the answer to a new consumer may take.
  package var consumerPatience = ConsumerPatience()

  /// JetStream over a connection.
  package init(_ connection: NATSConnection) throws(Failure) {
    self.connection = connection
    pipe = try RequestPipe(connection)
  }

  /// An error as the server tells it.
  package struct Refusal: Error, Hashable {
    /// As of HTTP.
    package var code: Int
    /// More exactly.
    package var errorCode: Int
    package var description: String

    /// Whether it stays as long as the request and the servers' configuration are the same. Other refusals of code 500 or
    /// above are of servers without a leader for the moment.
    package var isPermanent: Bool {
      errorCode == JetStream.invalidConfiguration || errorCode == JetStream.noReplicas
    }

    /// What to do; nil where that depends.
    var remedy: String? {
      switch errorCode {
      case JetStream.noStream: "make the streams: locwatch-fleet init"
      // JSClusterNotAvailErr of nats-server's errors.json, as those below.
      case 10_008: "too few servers of the cluster answer; start them"
      // JSNotEnabledForAccountErr, JSNotEnabledErr.
      case 10_039, 10_076: "turn JetStream on for the account in the servers' configuration"
      // JSInsufficientResourcesErr, JSMemoryResourcesExceededErr, JSStorageResourcesExceededErr.
      case 10_023, 10_028, 10_047:
        "give the servers more room (their disk, max_file_store, the account's limits), or keep less: "
          + "locwatch-fleet init --fix-days"
      // JSStreamStoreFailedF: a limit of the stream itself, or its disk.
      case 10_077: "look at the stream's limits (nats stream info), and at the servers' disks"
      default: nil
      }
    }

    /// For a log: what it is, and what to do.
    var told: String { remedy.map { "\(description); \($0)" } ?? description }
  }

  /// Sends a request of the interface; what was answered.
  ///
  /// - Throws: `.unavailable` where nothing was.
  ///
  /// - Parameter seconds: how long an answer is waited for.
  package func call(
    _ name: String, _ body: JSONTree = .object([]), seconds: Double = RequestPipe.usualSeconds
  ) throws(Failure) -> Result<JSONTree, Refusal> {
    let end = FleetClock.seconds + Self.patienceSeconds
    while true {
      let payload = Array(body.text.utf8)
      let answer = Self.tree(try pipe.ask("$JS.API.\(name)", payload, seconds: seconds))
      guard let refusal = Self.refusal(answer) else { return .success(answer) }
      // 503 and the like: without a leader for the moment.
      guard refusal.code >= 500, !refusal.isPermanent, FleetClock.seconds < end else {
        return .failure(refusal)
      }
      if FleetClock.seconds > end - Self.patienceSeconds + Self.silenceSeconds {
        connection.tell("nats-server refuses \(name): \(refusal.told); it is asked again")
      }
      FleetClock.pause(milliseconds: 200)
    }
  }

  /// The same, where a refusal is a failure.
  package func demand(_ name: String, _ body: JSONTree = .object([])) throws(Failure) -> JSONTree {
    switch try call(name, body) {
    case .success(let tree): return tree
    case .failure(let refusal): throw failure(name, refusal)
    }
  }

  /// A refusal for people.
  package func failure(_ name: String, _ refusal: Refusal) -> Failure {
    let isMissing = refusal.errorCode == Self.noStream
    return Failure(
      isMissing || refusal.isPermanent ? .config : .unavailable,
      what: "nats-server refuses \(name): \(refusal.description)", remedy: refusal.remedy)
  }

  static func tree(_ payload: [UInt8]) -> JSONTree {
    return (try? JSONTree(payload)) ?? .null
  }

  static func refusal(_ answer: JSONTree) -> Refusal? {
    guard let error = answer["error"] else { return nil }
    return Refusal(
      code: error["code"]?.integer ?? 500, errorCode: error["err_code"]?.integer ?? 0,
      description: error["description"]?.string ?? "no reason given")
  }

  /// Of a message that is not there.
  static let noMessage = 10_037
  /// Of a stream that is not there.
  static let noStream = 10_059
  /// Of a stream that can't be as it is asked for.
  static let invalidConfiguration = 10_052
  /// Of a stream on more than one server where there is no cluster.
  static let noReplicas = 10_074
  /// Of a write on top of another than the expected.
  static let wrongSequence = 10_071
  /// How long an election of leaders may take, seconds.
  private static let patienceSeconds = 30.0
  /// Seconds of refusals after which the user is told.
  private static let silenceSeconds = 2.0
}

// MARK: - Streams

extension JetStream {
  /// Makes a stream, or gives the one that is there the same configuration.
  package func ensureStream(_ name: String, _ configuration: JSONTree) throws(Failure) {
    let body = configuration.over(.object(["name": .string(name)]))
    switch try call("STREAM.CREATE.\(name)", body) {
    case .success: return
    case .failure(let refusal) where refusal.errorCode == Self.noReplicas:
      throw Failure(
        .config, what: "nats-server is alone and keeps each message once, not on several servers",
        remedy: "--replicas 1, or make a cluster of the servers")
    case .failure(let refusal) where refusal.isPermanent: throw failure("STREAM.CREATE.\(name)", refusal)
    case .failure: _ = try demand("STREAM.UPDATE.\(name)", body)
    }
  }

  /// What the servers tell of a stream; nil where there is none. Another refusal does not say that there is none.
  package func information(on stream: String) throws(Failure) -> JSONTree? {
    let name = "STREAM.INFO.\(stream)"
    switch try call(name) {
    case .success(let answer): return answer
    case .failure(let refusal) where refusal.errorCode == Self.noStream: return nil
    case .failure(let refusal): throw failure(name, refusal)
    }
  }

  /// How many messages a stream has for each subject of a pattern. nats-server tells 100,000 subjects at a time.
  package func subjects(of stream: String, matching pattern: String) throws(Failure) -> [ExactName: Int] {
    var counts: [ExactName: Int] = [:]
    var offset = 0
    while true {
      let body = JSONTree.object(["subjects_filter": .string(pattern), "offset": .integer(offset)])
      let answer = try demand("STREAM.INFO.\(stream)", body)
      guard case .object(let members)? = answer["state"]?["subjects"], !members.isEmpty else { return counts }
      for member in members { counts[ExactName(member.key)] = member.value.integer ?? 0 }
      offset += members.count
      guard offset < answer["total"]?.integer ?? 0 else { return counts }
    }
  }

  /// The last message of some subjects, from the leader; nil where there is none.
  package func last(
    of stream: String, matching subject: String
  ) throws(Failure) -> KeyValueBucket.Entry? {
    try message(of: stream, KeyValueBucket.request(subject)).flatMap(KeyValueBucket.entry)
  }

  /// The first message of some subjects from a sequence on, and its own subject; nil where there is none.
  ///
  /// - Parameter seconds: how long an answer is waited for.
  func first(
    of stream: String, matching subject: String, from sequence: UInt64,
    seconds: Double = RequestPipe.usualSeconds
  ) throws(Failure) -> (subject: String, entry: KeyValueBucket.Entry)? {
    let request = JSONTree.object(["seq": .integer(sequence), "next_by_subj": .string(subject)])
    guard let answer = try message(of: stream, request, seconds: seconds) else { return nil }
    return KeyValueBucket.entry(answer).map { (answer["message"]?["subject"]?.string ?? "", $0) }
  }

  /// The answer to a request for a message; nil where there is none.
  private func message(
    of stream: String, _ request: JSONTree, seconds: Double = RequestPipe.usualSeconds
  ) throws(Failure) -> JSONTree? {
    switch try call("STREAM.MSG.GET.\(stream)", request, seconds: seconds) {
    case .success(let answer): return answer
    case .failure(let refusal):
      if refusal.errorCode == Self.noMessage { return nil }
      throw failure(stream, refusal)
    }
  }

  /// The sequence of the first message that a stream still has, or of the next where it has none.
  func firstSequence(of stream: String) throws(Failure) -> UInt64 {
    UInt64(try demand("STREAM.INFO.\(stream)")["state"]?["first_seq"]?.integer ?? 0)
  }

  /// The sequence of the last message that a stream was given; 0 before the first.
  package func lastSequence(of stream: String) throws(Failure) -> UInt64 {
    UInt64(try demand("STREAM.INFO.\(stream)")["state"]?["last_seq"]?.integer ?? 0)
  }

  /// Publishes to a stream and waits until it is kept; its sequence, or why not.
  package func publish(
    _ subject: String, _ payload: [UInt8], headers: NATSConnection.Headers = NATSConnection.Headers()
  ) throws(Failure) -> Result<UInt64, Refusal> {
    let answer = Self.tree(try pipe.ask(subject, payload, headers: headers))
    if let refusal = Self.refusal(answer) { return .failure(refusal) }
    return .success(UInt64(answer["seq"]?.integer ?? 0))
  }
}

// MARK: - Reading a part of a stream

extension JetStream {
  /// What is read of a stream.
  package struct Selection {
    /// The name of the stream.
    package var stream: String
    /// Subjects; may have wildcards. `>` is all of the stream, of which nats-server need not count what fits.
    package var subject: String
    /// From this sequence on; nil for the last message of each subject.
    package var from: UInt64?
    /// Whether payloads are left out.
    package var headersOnly = false

    func consumer(named name: String) -> JSONTree {
      let configuration = JSONTree.object([
        "name": .string(name), "ack_policy": .string("none"),
        // Its place is kept in the key-value store, so the consumer itself may be lost.
        "mem_storage": .boolean(true), "num_replicas": .integer(1),
        "inactive_threshold": .integer(60_000_000_000),
        "filter_subject": subject == ">" ? nil : .string(subject),
        "headers_only": headersOnly ? .boolean(true) : nil,
        "deliver_policy": .string(from == nil ? "last_per_subject" : "by_start_sequence"),
        "opt_start_seq": from.map { .integer(max(1, $0)) },
      ])
      return .object(["stream_name": .string(stream), "config": configuration])
    }
  }

  /// A consumer that was made.
  package struct Consumer {
    /// Its name.
    package var name: String
    /// How many messages wait for it.
    package var waiting: Int
    /// When it was made, by the servers' clock.
    package var created: UTCTime?

    /// As the answer to its request tells.
    package init(_ name: String, _ answer: JSONTree) {
      self.name = name
      waiting = answer["num_pending"]?.integer ?? 0
      created = UTCTime(rfc3339: Array((answer["created"]?.string ?? "").utf8).span)
    }
  }

  /// Makes a consumer without acknowledgements.
  ///
  /// nats-server gives it to any server of the stream, also to one that was killed a moment ago; then nobody answers, and
  /// one of another name is asked for.
  ///
  /// - Parameter stem: what its name ends with.
  package func makeConsumer(_ stem: String, of selection: Selection) throws(Failure) -> Consumer {
    let end = FleetClock.seconds + Self.patienceSeconds
    var attempts = 0
    while true {
      let name = attempts == 0 ? stem : "again\(attempts)-\(stem)"
      let began = FleetClock.seconds
      let request = consumerRequest(name, of: selection)
      do throws(Failure) {
        let seconds = consumerPatience.seconds(after: attempts)
        switch try call(request.name, request.body, seconds: seconds) {
        case .success(let answer):
          consumerPatience.note(FleetClock.seconds - began)
          return Consumer(name, answer)
        case .failure(let refusal): throw failure(request.name, refusal)
        }
      } catch {
        guard error.code == .unavailable, FleetClock.seconds < end else { throw error }
      }
      // One that is made late is not needed.
      try removeConsumer(name, of: selection.stream)
      attempts += 1
    }
  }

  /// The request for a consumer, as ``call(_:_:seconds:)`` takes it.
  package func consumerRequest(_ name: String, of selection: Selection) -> (name: String, body: JSONTree) {
    let filter = selection.subject == ">" ? "" : ".\(selection.subject)"
    return ("CONSUMER.CREATE.\(selection.stream).\(name)\(filter)", selection.consumer(named: name))
  }

  /// Removes a consumer, if it is there. Nobody waits for that: one that is left ends by itself.
  package func removeConsumer(_ name: String, of stream: String) throws(Failure) {
    _ = try pipe.send("$JS.API.CONSUMER.DELETE.\(stream).\(name)")
  }

  /// Asks a consumer for its next messages, which come to a subject.
  ///
  /// - Parameters:
  ///   - count: how many at most.
  ///   - seconds: how long the server answers the request.
  ///   - heartbeatSeconds: how often it gives a sign of life while it has nothing; nil for never.
  package func pull(
    _ count: Int, from consumer: String, of stream: String, seconds: Int, heartbeatSeconds: Int? = nil,
    reply: String
  ) throws(Failure) {
    let heartbeat = heartbeatSeconds.map { ",\"idle_heartbeat\":\($0)000000000" } ?? ""
    try connection.publish(
      "$JS.API.CONSUMER.MSG.NEXT.\(stream).\(consumer)",
      Array("{\"batch\":\(count),\"expires\":\(seconds)000000000\(heartbeat)}".utf8), reply: reply)
  }

  /// Hands on every message that a stream has now of a selection.
  ///
  /// - Parameters:
  ///   - consumer: one of the selection that nothing was asked of; nil for one that is made now.
  ///   - most: nothing is read where there are more.
  package func read(
    _ selection: Selection, over consumer: Consumer? = nil, atMost most: Int = .max,
    _ body: (borrowing NATSMessage, Place) throws(Failure) -> Void
  ) throws(Failure) {
    let inbox = try connection.inbox()
    let answers = try connection.subscribe(inbox)
    var next = selection
    var made = consumer
    if made == nil {
      made = try makeConsumer("read-" + inbox.split(separator: ".").suffix(1).joined(), of: selection)
    }
    guard let consumer = made else { return }
    let name = consumer.name
    var left = consumer.waiting <= most ? consumer.waiting : 0
    var expected: UInt64 = 1
    while left > 0 {
      let count = min(left, Self.readCount)
      try pull(count, from: name, of: selection.stream, seconds: 5, reply: inbox)
      var got = 0
      while got < count {
        guard let message = try answers.next(milliseconds: 6_000), message.status == 0,
          let place = message.withReply({ Place($0) }), place.consumerSequence == expected
        else { break }
        expected += 1
        got += 1
        next.from = place.sequence + 1
        try pipe.whileWaiting?()
        try body(message, place)
      }
      left -= got
      if got < count {
        // The consumer was lost with its server: another goes on.
        guard selection.from != nil || expected == 1 else {
          throw Failure(
            .unavailable, what: "the cluster lost a consumer of \(selection.stream)", remedy: "try again")
        }
        return try read(next, body)
      }
    }
    try removeConsumer(name, of: selection.stream)
  }

  /// Hands on every message of a selection as it comes, in order, for as long as the consumer lasts.
  ///
  /// - Throws: `.unavailable` where no consumer was made, and what `body` throws.
  package func listen(
    to selection: Selection, _ body: (borrowing NATSMessage, Place) throws(Failure) -> Void
  ) throws(Failure) {
    let inbox = try connection.inbox()
    let answers = try connection.subscribe(inbox)
    let stem = "listen-" + inbox.split(separator: ".").suffix(1).joined()
    let name = try makeConsumer(stem, of: selection).name
    var expected: UInt64 = 1
    var left = 0
    while true {
      if left == 0 {
        try pull(
          Self.readCount, from: name, of: selection.stream, seconds: Self.listenSeconds,
          heartbeatSeconds: Self.heartbeatSeconds, reply: inbox)
        left = Self.readCount
      }
      guard let message = try answers.next(milliseconds: 3_000 * Self.heartbeatSeconds) else { break }
      switch message.status {
      case 0:
        guard let place = message.withReply({ Place($0) }), place.consumerSequence == expected else {
          return try removeConsumer(name, of: selection.stream)
        }
        expected += 1
        left -= 1
        try body(message, place)
      // A sign of life.
      case 100: break
      // The time of the request is over.
      case 408: left = 0
      // The consumer or its server is gone.
      default: return
      }
    }
    try removeConsumer(name, of: selection.stream)
  }

  private static let readCount = 2_000
  /// How long the server answers a request of one who listens, and how often it gives a sign of life meanwhile.
  private static let listenSeconds = 30
  private static let heartbeatSeconds = 5
}

/// Where a message stands in its stream, as its reply says:
/// `$JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.<of the consumer>.<time>.<pending>`.
package struct Place: Hashable {
  /// In the stream, from 1.
  package var sequence: UInt64
  /// Of all that the consumer was given, from 1 without a gap.
  package var consumerSequence: UInt64
  /// When the stream took it, nanoseconds since 1970.
  package var nanoseconds: UInt64
  /// How many more wait for the consumer.
  package var pending: UInt64
  /// The number at the end of the consumer's name; 0 without one.
  package var consumer = 0

  init?(_ reply: Span<UInt8>) {
    var numbers: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    var token = 0
    var consumer = 0
    for index in 0..<reply.count {
      let byte = reply[index]
      if byte == UInt8(ascii: ".") {
        token += 1
        continue
      }
      if token == 3 { consumer = (48..<58).contains(byte) ? consumer &* 10 &+ Int(byte - 48) : 0 }
      guard token >= 5 else { continue }
      guard (48..<58).contains(byte) else { return nil }
      let digit = UInt64(byte - 48)
      switch token {
      case 5: numbers.0 = numbers.0 &* 10 &+ digit
      case 6: numbers.1 = numbers.1 &* 10 &+ digit
      case 7: numbers.2 = numbers.2 &* 10 &+ digit
      case 8: numbers.3 = numbers.3 &* 10 &+ digit
      default: return nil
      }
    }
    guard token == 8 else { return nil }
    sequence = numbers.0
    consumerSequence = numbers.1
    nanoseconds = numbers.2
    pending = numbers.3
    self.consumer = consumer
  }
}

package import LocationFormats

/// Requests of which many are on their way at once, each with its answer.
package final class RequestPipe {
  private let connection: NATSConnection
  private let inbox: String
  private let answers: NATSSubscription
  private var last = 0
  /// Called often while answers are waited for, by whoever has something that must not wait so long.
  package var whileWaiting: (() throws(Failure) -> Void)?

  /// An answer and the number of its request.
  package struct Answer {
    /// The number that ``send(_:_:headers:)`` gave.
    package var number: Int
    /// What the server answered.
    package var payload: [UInt8]
  }

  /// A pipe of its own, with a subject for its answers.
  package init(_ connection: NATSConnection) throws(Failure) {
    self.connection = connection
    inbox = try connection.inbox() + "."
    answers = try connection.subscribe(inbox + "*")
  }

  /// Sends a request; the number of its answer.
  package func send(
    _ subject: String, _ payload: [UInt8] = [], headers: NATSConnection.Headers = NATSConnection.Headers()
  ) throws(Failure) -> Int {
    last += 1
    try connection.publish(subject, payload, headers: headers, reply: "\(inbox)\(last)")
    return last
  }

  /// Sends a request that was sent before, and may be carried out twice; an answer to either has the same number.
  package func send(
    _ subject: String, _ payload: [UInt8], headers: NATSConnection.Headers, again number: Int
  ) throws(Failure) {
    try connection.publish(subject, payload, headers: headers, reply: "\(inbox)\(number)")
  }

  /// The next answer to any of the requests; nil where none comes in time.
  package func receive(milliseconds: Int) throws(Failure) -> Answer? {
    try whileWaiting?()
    while let message = try answers.next(milliseconds: milliseconds) {
      // Nobody is there to answer: the same as no answer yet.
      guard message.status == 0 else { return nil }
      guard let number = message.withSubject({ Self.number(in: $0, after: inbox) }) else { continue }
      return Answer(number: number, payload: message.payload)
    }
    return nil
  }

  /// The number of the request that a subject answers; nil where it answers none. nats-server passes on what a device
  /// writes into its MQTT topic as it is, also ends of lines, and what stands behind one looks like a message of the
  /// server's.
  static func number(in subject: Span<UInt8>, after inbox: String) -> Int? {
    let text = unsafe subject.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    guard text.hasPrefix(inbox) else { return nil }
    return Int(text.dropFirst(inbox.count))
  }

  /// Sends a request until it is answered.
  ///
  /// - Throws: `.unavailable` where it is not answered in time; `.noPermission` where this user may not ask.
  package func ask(
    _ subject: String, _ payload: [UInt8] = [], headers: NATSConnection.Headers = NATSConnection.Headers(),
    seconds: Double = usualSeconds
  ) throws(Failure) -> [UInt8] {
    let began = FleetClock.seconds
    let end = began + seconds
    var numbers: Set<Int> = []
    while FleetClock.seconds < end {
      if FleetClock.seconds > began + Self.silenceSeconds {
        connection.tell("\(silence(of: subject).what); it is asked again")
      }
      numbers.insert(try send(subject, payload, headers: headers))
      let again = min(end, FleetClock.seconds + Self.patienceSeconds)
      while FleetClock.seconds < again {
        let asked = FleetClock.seconds
        let wait = min(again - asked, Self.refusalSeconds)
        if let answer = try receive(milliseconds: max(1, Int(wait * 1_000))) {
          if numbers.contains(answer.number) { return answer.payload }
          continue
        }
        if let reason = connection.refusal(of: subject) {
          throw Failure(
            .noPermission, what: "nats-server at \(connection.servers): \(reason)",
            remedy: "check --creds, and what the servers' configuration lets this user do")
        }
        // Nothing came sooner than it could have: nobody is there to answer.
        guard FleetClock.seconds - asked < wait / 2 else { continue }
        FleetClock.pause(milliseconds: 50)
        break
      }
    }
    throw silence(of: subject)
  }

  /// The failure of a request without an answer.
  private func silence(of subject: String) -> Failure {
    let servers = "nats-server at \(connection.servers)"
    guard connection.isConnected else {
      return Failure(.unavailable, what: "no connection to \(servers)", remedy: "check that it runs")
    }
    // A server without JetStream says at once that nobody answers.
    guard answers.isUnheard, subject.hasPrefix("$JS.API.") else {
      return Failure(
        .unavailable, what: "\(servers) does not answer",
        remedy: "check that most servers of the cluster run; \(subject) was asked for")
    }
    return Failure(
      .unavailable, what: "\(servers) has no JetStream",
      remedy: "put a jetstream block into the servers' configuration, and turn it on for the account")
  }

  /// Seconds without an answer after which the user is told.
  private static let silenceSeconds = 2.0
  /// How long an answer may take, seconds: longer than an election of leaders.
  package static let usualSeconds = 20.0
  /// Seconds after which it is looked whether a request was refused: those are not answered.
  private static let refusalSeconds = 0.5
  /// Seconds after which a request is sent again.
  static let patienceSeconds = 3.0
}

import LocationCore
package import LocationFormats

/// Pushes that come over the control socket (section H).
extension DaemonLoop {
  /// Takes a push for the subscriber whose token the request shows; what is answered.
  @discardableResult
  mutating func push(_ request: JSONTree) throws(Failure) -> [JSONTree.Member] {
    // Wrong tokens get the same answer as those of nobody.
    guard let name = try database.subscriber(ofPushToken: try word("token", request)),
      live.engine.subscriberState(name) != nil
    else {
      throw Failure(
        .noPermission, what: "this is no subscriber's token", remedy: "locwatch subscribers show prints it")
    }
    guard let payload = request["payload"] else {
      throw Failure(.usage, what: "no \"payload\" in the request")
    }
    var push = try PushPayload.push(payload)
    // What a transport names a push by that has no name of its own.
    if push.id == nil, let id = request["id"] { push.id = try PushPayload.id(id) }
    try self.push(push, to: name)
    guard live.host.lastDecisions(about: name).last?.reason == .duplicate else { return [] }
    return [.init(key: DaemonSeat.duplicate, value: .boolean(true))]
  }

  /// Tells a program that runs that its address for pushes is another.
  mutating func tellPushAddress(_ request: JSONTree) throws(Failure) {
    let name = try subscriber(request)
    guard let token = try database.pushToken(of: name) else { return }
    live.add(.answer(name, .pushToken(token, try database.pushRegistration(of: name)?.address)))
  }

  /// Takes a push for a subscriber.
  ///
  /// - Throws: ``Failure`` of code 1 where it is refused.
  mutating func push(_ push: Push, to name: String) throws(Failure) {
    if push.alert != nil { try alignNotifications() }
    if let refusal = try handle(.push(push), of: name) { throw Self.failure(refusal) }
  }
}

/// What became of a push.
package enum PushReceipt: Hashable, Sendable {
  /// A daemon has it.
  case taken
  /// A daemon has dropped it: one of that name was taken in the last 24 h (rule H4).
  case duplicate
  /// It waits for the next daemon.
  case kept
}

extension DaemonSeat {
  /// What the daemon answers where it drops a push.
  fileprivate static let duplicate = "duplicate"

  /// Sends a subscriber a push, as a sender with its token would. Without a daemon it waits for the next.
  ///
  /// - Parameters:
  ///   - id: what it is called where it does not say so itself (rule H4); nil for nothing.
  ///   - database: the state file, where it is open already.
  /// - Returns: what became of it.
  /// - Throws: ``Failure`` of code 1 where it is refused.
  package func push(
    _ name: String, _ payload: [UInt8], id: String? = nil, database known: StateDatabase? = nil
  ) throws(Failure) -> PushReceipt {
    try evenIfDaemonStarts { () throws(Failure) -> PushReceipt in
      var push = try PushPayload.push(payload)
      push.id = push.id ?? id
      let found: StateDatabase? = if let known { known } else { try StateDatabase.openToRead(path: state) }
      guard let database = found else { throw Failure.unknownSubscriber(name) }
      try Self.require(name, in: database)
      guard let client = try ControlClient.connect(state: state, database: database) else {
        try leave(.push(push), for: name)
        return .kept
      }
      var token = try database.pushToken(of: name)
      if token == nil {
        // A daemon that has just started makes it before it answers.
        _ = try client.ask("status")
        token = try database.pushToken(of: name)
      }
      guard let token else {
        throw Failure(
          .conditionFails, what: "the daemon does not know \"\(name)\" yet", remedy: "try again")
      }
      var reader = JSONReader(Array(push.payload.utf8))
      let tree: JSONTree
      do throws(JSONError) { tree = try JSONTree(&reader) } catch { throw Failure(.data, what: error.what) }
      let answer = try client.ask(
        "push", ["token": .string(token), "payload": tree, "id": id.map { .string($0) }])
      return answer[Self.duplicate] == .boolean(true) ? .duplicate : .taken
    }
  }
}

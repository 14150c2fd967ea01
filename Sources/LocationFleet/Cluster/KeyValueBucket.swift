import LocationCore
package import LocationFormats

/// A key-value store of JetStream: a stream that keeps the last message of each subject, as `nats kv` makes it.
package struct KeyValueBucket {
  /// Its name; the stream's is `KV_` and this.
  package let name: String
  private let stream: JetStream

  package init(_ name: String, of stream: JetStream) {
    self.name = name
    self.stream = stream
  }

  /// A value and the revision under which it was written.
  package struct Entry: Hashable {
    /// The sequence of the message.
    package var revision: UInt64
    /// Its payload.
    package var value: [UInt8]

    /// Whether it is what the deletion of a key leaves.
    package var isDeleted: Bool { value.isEmpty }
  }

  /// The subject of a key.
  package func subject(_ key: String) -> String { "$KV.\(name).\(key)" }

  /// Makes the bucket.
  ///
  /// - Parameter replicas: how many servers keep it.
  package func ensure(replicas: Int) throws(Failure) {
    try stream.ensureStream(
      "KV_\(name)",
      .object([
        "subjects": .strings(["$KV.\(name).>"]), "max_msgs_per_subject": .integer(1),
        "discard": .string("new"), "storage": .string("file"), "allow_rollup_hdrs": .boolean(true),
        "deny_delete": .boolean(true), "num_replicas": .integer(replicas),
      ]))
  }

  /// Whether the servers have it.
  func exists() throws(Failure) -> Bool { try stream.information(on: "KV_\(name)") != nil }

  /// The value of a key, from the leader; nil where it has none.
  package func get(_ key: String) throws(Failure) -> Entry? {
    try stream.last(of: "KV_\(name)", matching: subject(key))
  }

  /// The body of a request for the last message of a subject.
  static func request(_ subject: String) -> JSONTree {
    .object(["last_by_subj": .string(subject)])
  }

  /// The subject of the request for a value.
  var getSubject: String { "$JS.API.STREAM.MSG.GET.KV_\(name)" }

  /// What the answer to such a request says.
  static func entry(_ answer: JSONTree) -> Entry? {
    guard let message = answer["message"], let revision = message["seq"]?.integer else { return nil }
    let text = message["data"]?.string ?? ""
    return Entry(revision: UInt64(revision), value: Base64.bytes(text))
  }

  /// Writes a value whatever there is; its revision.
  @discardableResult
  package func put(_ key: String, _ value: [UInt8]) throws(Failure) -> UInt64 {
    switch try stream.publish(subject(key), value) {
    case .success(let revision): return revision
    case .failure(let refusal): throw stream.failure(name, refusal)
    }
  }

  /// Writes a value on top of a revision, 0 for none at all; nil where another is there.
  package func put(_ key: String, _ value: [UInt8], over revision: UInt64) throws(Failure) -> UInt64? {
    switch try stream.publish(subject(key), value, headers: .init(expected: revision)) {
    case .success(let revision): return revision
    case .failure(let refusal):
      guard refusal.errorCode == JetStream.wrongSequence else { throw stream.failure(name, refusal) }
      // A first attempt whose answer was lost may have written it.
      guard let there = try get(key), there.value == value, there.revision > revision else { return nil }
      return there.revision
    }
  }

  /// Removes a key as if it had never been.
  ///
  /// - Parameter revision: a value of a later one stays; nil for whatever there is.
  package func remove(_ key: String, revision: UInt64? = nil) throws(Failure) {
    _ = try stream.demand(
      "STREAM.PURGE.KV_\(name)",
      .object(["filter": .string(subject(key)), "seq": revision.map { .integer($0 + 1) }]))
  }

  /// Every value whose key fits a pattern, by key.
  package func entries(_ pattern: String) throws(Failure) -> [String: Entry] {
    var entries: [String: Entry] = [:]
    try read(pattern) { key, entry in entries[key] = entry }
    return entries
  }

  /// The last value of every key that fits a pattern.
  func selection(_ pattern: String) -> JetStream.Selection {
    JetStream.Selection(stream: "KV_\(name)", subject: subject(pattern), from: nil)
  }

  /// Hands on every value whose key fits a pattern.
  ///
  /// - Parameters:
  ///   - consumer: one of the ``selection(_:)`` that nothing was asked of; nil for one that is made now.
  ///   - most: nothing is read where there are more.
  package func read(
    _ pattern: String, over consumer: JetStream.Consumer? = nil, atMost most: Int = .max,
    _ body: (_ key: String, Entry) throws(Failure) -> Void
  ) throws(Failure) {
    let prefix = subject("").utf8.count
    try stream.read(selection(pattern), over: consumer, atMost: most) { message, place throws(Failure) in
      let key = message.subject.dropping(bytes: prefix)
      try body(key, Entry(revision: place.sequence, value: message.payload))
    }
  }
}

// MARK: - In the order of the stream

extension KeyValueBucket {
  /// A value as it stands in the stream.
  struct Written {
    var key: String
    var entry: Entry
    /// When the stream took it; nil where the server does not say so in a way that is known.
    var time: UTCTime?
  }

  /// The body of a request for the first value that was written under a revision or a later one. It needs no index of
  /// keys.
  static func request(from revision: UInt64) -> JSONTree {
    .object(["seq": .integer(revision), "next_by_subj": .string(">")])
  }

  /// What the answer to such a request says.
  func written(_ answer: JSONTree) -> Written? {
    let prefix = subject("").utf8
    guard let entry = Self.entry(answer), let message = answer["message"],
      let subject = message["subject"]?.string, subject.utf8.starts(with: prefix)
    else { return nil }
    let time = message["time"]?.string ?? ""
    return Written(
      key: subject.dropping(bytes: prefix.count), entry: entry,
      time: UTCTime(rfc3339: Array(time.utf8).span))
  }

  /// Every value, read one after the other, by key.
  func all() throws(Failure) -> [String: Written] {
    var all: [String: Written] = [:]
    var next: UInt64 = 1
    while true {
      switch try stream.call("STREAM.MSG.GET.KV_\(name)", Self.request(from: next)) {
      case .success(let answer):
        guard let written = written(answer) else {
          throw Failure(.unavailable, what: "nats-server gives no message of \(name)")
        }
        all[written.key] = written
        next = written.entry.revision + 1
      case .failure(let refusal):
        if refusal.errorCode == JetStream.noMessage { return all }
        throw stream.failure(name, refusal)
      }
    }
  }
}

extension String {
  /// Drops bytes, not characters: a mark at the start of a device's name joins the character before it.
  func dropping(bytes count: Int) -> String { String(decoding: utf8.dropFirst(count), as: UTF8.self) }
}

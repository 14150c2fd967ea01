/// What became of a transfer (section I). Neither addresses nor headers are in it.
public struct TransferRecord: Hashable, Sendable, Codable {
  /// What happened; in words: ``phrase``. The raw values are stable: they stand in the `type` of the record.
  public enum Event: String, Hashable, Sendable, Codable, CaseIterable {
    /// It begins, or goes on.
    case start = "transfer.start"
    case wait = "transfer.wait"
    case auth = "transfer.auth"
    /// The file is where it was wanted.
    case done = "transfer.done"
    case failed = "transfer.failed"
  }

  /// Why; in words: ``phrase``. The raw values are stable: they stand in records and docs.
  public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
    case waitsForPower = "waits_for_power"
    case waitsForNetwork = "waits_for_network"
    case lowPower = "low_power"
    case pressure
    case noSpace = "no_space"
    /// It has taken 7 days.
    case expired
    /// Its program gave no answer within an hour.
    case unanswered
    /// The server refused it: see the status.
    case status
    case certificate
    case file
    case tooLarge = "too_large"
    case address
  }

  /// What happened.
  public var event: Event
  /// Whose it is.
  public var subscriber: String
  /// Its number.
  public var transfer: Int
  /// Its session.
  public var session: String
  /// Bytes that were carried in all; nil where nobody says.
  public var bytes: Int?
  /// The status of the server's answer (RFC 9110); nil where it did not decide.
  public var status: Int?
  /// Why; nil where that is plain.
  public var reason: Reason?
}

/// How a transfer ended.
public enum TransferOutcome: Hashable, Sendable, Codable {
  /// The file is where it was wanted (rule I4).
  case done
  /// It can't be done.
  case failed(TransferRecord.Reason, status: Int? = nil)
}

extension TransferRecord: RecordFamily {
  package static let types = Event.allCases.map(\.rawValue)

  package var type: String { event.rawValue }

  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.text("subscriber", subscriber, "whose it is")
    visitor.count("transfer", transfer, "its number")
    visitor.text("session", session, "its session")
    visitor.count("bytes", bytes, "bytes that were carried in all; absent if nobody says")
    visitor.count("status", status, "the status of the server's answer; absent if it did not decide")
    visitor.text("reason", reason?.rawValue, "see [below](#reasons-of-a-transfer); absent if that is plain")
  }

  package static func text(_ fields: RecordFields) -> TextRecord? {
    let event = Event(rawValue: fields.type)?.phrase ?? fields.type
    let number = Int(fields.number("transfer") ?? 0)
    let reason = fields.code("reason", Reason.self).map { ": \($0.phrase)" } ?? ""
    let status = fields.number("status").map { " \(Int($0))" } ?? ""
    return TextRecord(
      fields.text("subscriber"), "transfer \(number) of \(fields.text("session")) \(event)\(reason)\(status)")
  }

  package static var samples: [Record.Body] {
    Event.allCases.map { event in
      .transfer(
        TransferRecord(
          event: event, subscriber: "a", transfer: 7, session: "maps", bytes: 4096, status: 404,
          reason: .status))
    }
  }
}

extension TransferRecord.Event {
  /// In words.
  package var phrase: String {
    switch self {
    case .start: "begins"
    case .wait: "waits"
    case .auth: "needs credentials"
    case .done: "is done"
    case .failed: "has failed"
    }
  }
}

extension TransferRecord.Reason {
  /// In words.
  package var phrase: String {
    switch self {
    case .waitsForPower: "the machine runs on its battery"
    case .waitsForNetwork: "there is no network that will do"
    case .lowPower: "the machine saves energy"
    case .pressure: "memory is short"
    case .noSpace: "there was no room for the file"
    case .expired: "it has taken longer than it may"
    case .unanswered: "its program gave no answer"
    case .status: "the server's answer was"
    case .certificate: "the server could not prove who it is"
    case .file: "its file can't be read or put where it was wanted"
    case .tooLarge: "the file is too large"
    case .address: "its address leads nowhere"
    }
  }
}

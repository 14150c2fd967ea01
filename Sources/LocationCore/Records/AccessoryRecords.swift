/// Something has become of a session with an accessory (section J).
public struct AccessoryRecord: Hashable, Sendable, Codable {
  /// What happened; in words: ``phrase``. The raw values are stable: they stand in records and scenarios.
  public enum Event: String, Hashable, Sendable, Codable, CaseIterable {
    case data
    /// The accessory is there, and open.
    case connect
    /// The accessory is gone, or the session was closed.
    case disconnect
    /// Another device reads a value, by Bluetooth.
    case read
    case write
    case subscribe
    case unsubscribe
  }

  /// Whose it is.
  public var subscriber: String
  /// Its session.
  public var session: String
  /// What happened.
  public var event: Event
  /// Bytes that wait to be read; nil where nobody knows.
  public var bytes: Int?
  /// Bytes that were lost for want of room since the session was opened; nil where none were.
  public var lost: Int?
  /// What another device asks of a service of Bluetooth; nil for anything else.
  public var request: GattRequest?
}

extension AccessoryRecord: SingleTypeRecord {
  package static let name = "accessory"

  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.text("subscriber", subscriber, "whose it is")
    visitor.text("session", session, "its session")
    visitor.text(
      "event", event.rawValue,
      "`data`, `connect` or `disconnect`; of a service of this machine also `read`, `write`, `subscribe` or `unsubscribe`"
    )
    visitor.count("bytes", bytes, "bytes that wait to be read; absent if nobody knows")
    visitor.count(
      "lost", lost, "bytes lost for want of room since the session was opened; absent if there were none")
    visitor.text("characteristic", request?.characteristic, "what another device asks for, by Bluetooth")
    visitor.count("request", request?.number, "what the program's answer names; absent if none is needed")
    visitor.text("value", request?.value, "what was written, two hexadecimal digits a byte")
  }

  package static func text(_ fields: RecordFields) -> TextRecord? {
    let event = fields.code("event", Event.self)?.phrase ?? fields.text("event")
    let bytes = fields.number("bytes").map { ", \(Int($0)) bytes" } ?? ""
    let lost = fields.number("lost").map { ", \(Int($0)) lost" } ?? ""
    return TextRecord(
      fields.text("subscriber"), "accessory \(fields.text("session")) \(event)\(bytes)\(lost)")
  }

  package static var samples: [Record.Body] {
    Event.allCases.map { event in
      let isData = event == .data
      var record = AccessoryRecord(
        subscriber: "a", session: "meter", event: event, bytes: isData ? 64 : nil, lost: isData ? 3 : nil)
      if let kind = GattRequest.Kind(rawValue: event.rawValue) {
        record.request = GattRequest(
          number: 7, kind: kind, characteristic: "00002a56-0000-1000-8000-00805f9b34fb",
          value: kind == .write ? "01ff" : nil)
      }
      return .accessory(record)
    }
  }
}

extension AccessoryRecord.Event {
  /// In words.
  package var phrase: String {
    switch self {
    case .data: "has something to read"
    case .connect: "is connected"
    case .disconnect: "is disconnected"
    case .read: "is read"
    case .write: "is written"
    case .subscribe: "is subscribed to"
    case .unsubscribe: "is no longer subscribed to"
    }
  }

  /// Why a program is woken for it.
  var reason: Decision.Reason {
    switch self {
    case .data: .accessoryData
    case .connect: .accessoryConnected
    case .disconnect: .accessoryDisconnected
    case .read, .write, .subscribe, .unsubscribe: .accessoryRequest
    }
  }
}

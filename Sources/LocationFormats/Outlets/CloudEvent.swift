import LocationCore

/// An event of the log as a CloudEvent 1.0 (cloudevents/spec, `cloudevents/spec.md`).
package struct CloudEvent: Hashable, Sendable {
  /// Unique for ``source``, and the same each time the event is sent.
  package var id: String
  /// Which state file it is of.
  package var source: String
  /// The type of the record, with `locwatch.` before it and its version after it.
  package var type: String
  /// The region or subscriber it is about; nil for none.
  package var subject: String?
  /// When it happened, RFC 3339; nil where that is not known.
  package var time: String?
  /// The record as the log has it, one JSON object.
  package var data: String

  /// - Parameter line: the record as the log has it.
  package init(_ line: JSONTree, of outlet: OutletSettings) {
    let number = line["id"]?.integer ?? 0
    id = "\(outlet.instance)/\(number)"
    source = outlet.eventSource
    type = "locwatch.\(line["type"]?.string ?? "unknown").v1"
    subject = line["region"]?.string ?? line["subscriber"]?.string
    time = line["time"]?.string
    data = line.text
  }

  /// The same id for the header `webhook-id`, which has no full stop (Standard Webhooks 1.0.0) and no slash.
  package var webhookID: String { String(id.map { $0 == "/" || $0 == "." ? "-" : $0 }) }

  private var attributes: [(name: String, value: String)] {
    let all: [(String, String?)] = [
      ("specversion", "1.0"), ("id", id), ("source", source), ("type", type), ("subject", subject),
      ("time", time),
    ]
    return all.compactMap { name, value in value.map { (name, $0) } }
  }

  /// The content type of ``structured``.
  package static let contentType = "application/cloudevents+json; charset=UTF-8"

  /// Everything in one JSON object.
  package var structured: [UInt8] {
    var bytes = Array("{".utf8)
    for attribute in attributes {
      bytes += "\"\(attribute.name)\":".utf8
      JSONString.append(attribute.value, to: &bytes)
      bytes += ",".utf8
    }
    bytes += "\"datacontenttype\":\"application/json\",\"data\":".utf8
    bytes += data.utf8
    bytes += "}".utf8
    return bytes
  }

  /// The attributes as HTTP headers, where the body is ``data`` alone.
  package var headers: [(name: String, value: String)] {
    attributes.map { ("ce-\($0.name)", Self.escaped($0.value)) }
  }

  /// A header's value: space, `"`, `%` and what is not printable ASCII are percent-encoded
  /// (`cloudevents/bindings/http-protocol-binding.md`, 3.1.3.2).
  private static func escaped(_ value: String) -> String {
    String(escaping: value.utf8) { (0x21..<0x7F).contains($0) && !"\"%".utf8.contains($0) }
  }
}

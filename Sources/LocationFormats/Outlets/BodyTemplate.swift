import LocationCore

/// A body with placeholders: `{text}`, `{type}`, `{region}`, `{time}`, `{id}` and `{record}`.
///
/// In a JSON template a placeholder within a string stands for text, which is escaped; `{record}`, outside of strings,
/// stands for the whole record.
package struct BodyTemplate: Hashable, Sendable {
  /// The template.
  package let text: String

  package init(_ text: String) { self.text = text }

  /// The body of Gotify's `POST /message` (gotify.net/docs/pushmsg).
  package static let gotify = BodyTemplate(#"{"title":"{type}","message":"{text}"}"#)

  /// - Throws: `.usage` where it is no JSON once it is filled in, or is sent whatever happens.
  package func check() throws(Failure) {
    // No value is empty: between brackets nothing would be JSON, and the value would not.
    let sample = JSONTree.object([
      "id": .integer(1), "type": .string("region.enter"), "time": .string("2026-05-01T06:01:02.000Z"),
      "region": .string("home"),
    ])
    let body = filled(with: sample)
    do throws(JSONError) { _ = try JSONTree(whole: body) } catch {
      throw Failure(.usage, what: "the template is no JSON: \(error.what)", remedy: Self.remedy)
    }
    guard Self.names.contains(where: { text.contains("{\($0)}") }) else {
      throw Failure(.usage, what: "the template has no placeholder", remedy: Self.remedy)
    }
    for part in text.split(separator: "{", omittingEmptySubsequences: false).dropFirst() {
      let name = String(part.prefix { $0.isLetter })
      guard part.dropFirst(name.count).first == "}", !name.isEmpty, !Self.names.contains(name),
        let meant = Self.names.first(where: {
          NearestWord.editDistance($0, name.lowercased()) <= ($0.utf8.count < 4 ? 0 : 1)
        })
      else { continue }
      throw Failure(
        .usage, what: "the template has {\(name)}, which is no placeholder",
        remedy: "did you mean {\(meant)}?")
    }
  }

  private static let names = ["text", "type", "region", "time", "id", "record"]
  private static let remedy =
    #"write one like {"text": "{text}"}; with {text}, {type}, {region}, {time}, {id} or {record}"#

  /// The template with the values of a record.
  package func filled(with line: JSONTree) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
      bytes += rest[..<open].utf8
      let name = rest[rest.index(after: open)...].prefix { $0.isLetter }
      if rest[name.endIndex...].hasPrefix("}"), let value = Self.value(String(name), line) {
        bytes += value
        rest = rest[rest.index(after: name.endIndex)...]
      } else {
        bytes.append(UInt8(ascii: "{"))
        rest = rest[rest.index(after: open)...]
      }
    }
    return bytes + rest.utf8
  }

  private static func value(_ name: String, _ line: JSONTree) -> [UInt8]? {
    switch name {
    case "record": Array(line.text.utf8)
    case "text": escaped(EventWords.text(line))
    case "type", "region", "time": escaped(line[name]?.string ?? "")
    case "id": Array("\(line["id"]?.integer ?? 0)".utf8)
    default: nil
    }
  }

  /// The inside of a JSON string.
  private static func escaped(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    JSONString.append(text, to: &bytes)
    return Array(bytes.dropFirst().dropLast())
  }
}

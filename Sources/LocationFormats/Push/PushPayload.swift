package import LocationCore

/// What a push says (rules H1 and I5): `{"alert":…,"content-available":1,"id":…,"data":…,"issue":…}`. What senders for Apple put into
/// `aps` is read from there.
package enum PushPayload {
  /// The push that a payload is.
  ///
  /// - Throws: ``Failure`` of code 65, which quotes nothing of it: what a push says is for the user and the program.
  package static func push(_ bytes: [UInt8]) throws(Failure) -> Push {
    guard bytes.count <= Limits.pushBytes else {
      throw failure("it has \(bytes.count) bytes; at most \(Limits.pushBytes) are taken")
    }
    let tree: JSONTree
    do throws(JSONError) { tree = try JSONTree(whole: bytes) } catch { throw failure("it is no JSON", form) }
    return try push(tree)
  }

  /// The push that a payload is.
  ///
  /// - Throws: as ``push(_:)-swift.type.method``.
  package static func push(_ tree: JSONTree) throws(Failure) -> Push {
    guard case .object = tree else { throw failure("it is no JSON object", form) }
    let text = tree.text
    guard text.utf8.count <= Limits.pushBytes else {
      throw failure("it has \(text.utf8.count) bytes; at most \(Limits.pushBytes) are taken")
    }
    let outer = tree["aps"].flatMap { aps in if case .object = aps { aps } else { nil } }
    func member(_ key: String) -> JSONTree? { tree[key] ?? outer?[key] }
    let push = Push(
      id: try id(tree["id"]), alert: try alert(member("alert"), sound: member("sound"), data: tree["data"]),
      isContentAvailable: member("content-available")?.integer == 1, issue: try name(tree["issue"], "issue"),
      payload: text)
    guard push.alert != nil || push.isContentAvailable || push.issue != nil else {
      throw Failure(
        .data, what: "the push has nothing for the user and nothing for the program",
        remedy: #"give it an "alert", "content-available":1, or an "issue""#)
    }
    return push
  }

  /// What a push is called; nil where it has no name.
  ///
  /// - Throws: as ``push(_:)-swift.type.method``.
  package static func id(_ tree: JSONTree?) throws(Failure) -> String? { try name(tree, "id") }

  private static func name(_ tree: JSONTree?, _ key: String) throws(Failure) -> String? {
    switch tree {
    case nil, .null: return nil
    case .string(let text) where (1...idBytes).contains(text.utf8.count): return text
    case .number(let text): return text
    case _: throw failure("its \(key) is no text of 1 to \(idBytes) bytes")
    }
  }

  /// What the user sees: a text, or an object with `title` and `body`.
  private static func alert(
    _ tree: JSONTree?, sound: JSONTree?, data: JSONTree?
  ) throws(Failure) -> LocalNotification.Content? {
    var content: LocalNotification.Content
    switch tree {
    case nil, .null: return nil
    case .string(let text): content = LocalNotification.Content(title: text)
    case .object:
      let body = tree?["body"]?.string
      content = LocalNotification.Content(title: tree?["title"]?.string ?? body ?? "")
      if tree?["title"] != nil { content.body = body ?? "" }
    case _: throw failure("its alert is neither a text nor an object")
    }
    guard !content.title.isEmpty else { throw failure("its alert has no title") }
    content.sound = sound?.string
    content.data = data?.text
    return content
  }

  private static func failure(_ what: String, _ remedy: String? = nil) -> Failure {
    Failure(.data, what: "the push is refused: \(what)", remedy: remedy)
  }

  private static let form = #"write {"alert":"…"} or {"content-available":1}"#

  /// Bytes of a name, as of a region's id.
  private static let idBytes = 256
}

package import LocationCore
package import LocationFormats

/// What a background mode says of a subscriber, wherever that is shown: in a status, in an explanation, and among all
/// there is to say of the subscriber.
struct ModeMember: Sendable {
  /// Its key in JSON.
  let key: StaticString
  /// What it is called in a text.
  let title: String
  /// The value; nil where there is nothing to say.
  let value: @Sendable (SubscriberView) -> JSONTree?
  /// The value in a text.
  let words: @Sendable (JSONTree) -> String

  /// All of them, in the order in which they are shown.
  static let all: [ModeMember] = [
    ModeMember(
      key: "fetch", title: "fetch",
      value: {
        $0.fetch.map { fetch in
          .object([
            "score": .fixed(fetch.score, FixedPoint.thousandths),
            "interval_s": fetch.intervalSeconds.map { .fixed($0, FixedPoint.thousandths) },
            "last_v": fetch.lastValue.map { .fixed($0, FixedPoint.thousandths) },
          ])
        }
      },
      words: { fetch in
        ["score", "interval_s", "last_v"].compactMap { key in fetch[key].map { "\(key) \($0.text)" } }
          .joined(separator: ", ")
      }),
    ModeMember(
      key: "keep_alive_s", title: "keep-alive",
      value: { $0.keepAliveSeconds.map { .fixed($0, FixedPoint.thousandths) } },
      words: { "every \($0.text) s at least" }),
    ModeMember(
      key: "sockets", title: "sockets", value: { $0.sockets.isEmpty ? nil : .strings($0.sockets) },
      words: { $0.strings?.joined(separator: ", ") ?? "" }),
    ModeMember(
      key: "audio", title: "audio",
      value: {
        objects($0.audio) {
          [
            "audio": .integer($0.token), "kind": .string($0.kind.rawValue),
            "state": .string($0.state.rawValue),
          ]
        }
      },
      words: { list($0) { session in ["audio", "kind", "state"].compactMap { session[$0]?.word } } }),
    ModeMember(
      key: "accessories", title: "accessories",
      value: {
        objects($0.accessories) {
          ["session": .string($0.session), "connected": .boolean($0.isConnected)]
        }
      },
      words: {
        list($0) { [$0["session"]?.word ?? "", $0["connected"] == .boolean(true) ? "connected" : "waits"] }
      }),
    ModeMember(
      key: "advertised", title: "advertised",
      value: { objects($0.advertised) { ["type": .string($0.type), "port": .integer(Int($0.port))] } },
      words: { list($0) { [$0["type"]?.word ?? "", $0["port"]?.word ?? ""] } }),
    ModeMember(
      key: "transfers", title: "transfers",
      value: { $0.openTransfers > 0 ? .integer($0.openTransfers) : nil }, words: { "\($0.text) open" }),
    ModeMember(
      key: "issue", title: "issue", value: { $0.issue.map { .string($0) } },
      words: { "\($0.word) was there last" }),
  ]

  /// A list of JSON objects; nil where it is empty.
  private static func objects<View>(
    _ views: [View], _ members: (View) -> KeyValuePairs<String, JSONTree?>
  ) -> JSONTree? {
    views.isEmpty ? nil : .array(views.map { .object(members($0)) })
  }

  private static func list(_ tree: JSONTree, _ words: (JSONTree) -> [String]) -> String {
    guard case .array(let elements) = tree else { return "" }
    return elements.map { words($0).joined(separator: " ") }.joined(separator: ", ")
  }
}

extension JSONTree {
  fileprivate var word: String { string ?? text }
}

extension SubscriberView {
  /// What its background modes say.
  package var modeMembers: [JSONTree.Member] {
    ModeMember.all.compactMap { member in
      member.value(self).map { JSONTree.Member(key: "\(member.key)", value: $0) }
    }
  }
}

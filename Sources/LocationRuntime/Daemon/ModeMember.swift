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
      key: "fetch", title: "fetch", value: { $0.fetch?.tree },
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
      key: "audio", title: "audio", value: { $0.audio.isEmpty ? nil : AudioView.tree(of: $0.audio) },
      words: { list($0) { session in ["audio", "kind", "state"].compactMap { session[$0]?.word } } }),
    ModeMember(
      key: "accessories", title: "accessories",
      value: { $0.accessories.isEmpty ? nil : AccessoryView.tree(of: $0.accessories) },
      words: {
        list($0) { [$0["session"]?.word ?? "", $0["connected"] == .boolean(true) ? "connected" : "waits"] }
      }),
    ModeMember(
      key: "advertised", title: "advertised",
      value: { $0.advertised.isEmpty ? nil : AdvertisedService.tree(of: $0.advertised) },
      words: { list($0) { [$0["type"]?.word ?? "", $0["port"]?.word ?? ""] } }),
    ModeMember(
      key: "transfers", title: "transfers",
      value: { $0.openTransfers > 0 ? .integer($0.openTransfers) : nil }, words: { "\($0.text) open" }),
    ModeMember(
      key: "issue", title: "issue", value: { $0.issue.map { .string($0) } },
      words: { "\($0.word) was there last" }),
  ]

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

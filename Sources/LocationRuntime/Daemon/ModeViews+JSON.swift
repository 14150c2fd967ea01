package import LocationCore
package import LocationFormats

extension AudioView {
  /// As a list of JSON objects.
  package static func tree(of views: [AudioView]) -> JSONTree {
    .array(
      views.map { view in
        .object([
          .init(key: "audio", value: .number("\(view.token)")),
          .init(key: "kind", value: .string(view.kind.rawValue)),
          .init(key: "state", value: .string(view.state.rawValue)),
        ])
      })
  }
}

extension FetchView {
  /// As one JSON object (rule G3).
  package var tree: JSONTree {
    var members = [JSONTree.Member(key: "score", value: .fixed(score, FixedPoint.thousandths))]
    if let intervalSeconds {
      members.append(.init(key: "interval_s", value: .fixed(intervalSeconds, FixedPoint.thousandths)))
    }
    if let lastValue {
      members.append(.init(key: "last_v", value: .fixed(lastValue, FixedPoint.thousandths)))
    }
    return .object(members)
  }
}

extension AccessoryView {
  /// As a list of JSON objects.
  package static func tree(of views: [AccessoryView]) -> JSONTree {
    .array(
      views.map { view in
        .object([
          .init(key: "session", value: .string(view.session)),
          .init(key: "connected", value: .boolean(view.isConnected)),
        ])
      })
  }
}

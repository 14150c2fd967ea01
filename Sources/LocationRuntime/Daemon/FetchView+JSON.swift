package import LocationCore
package import LocationFormats

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

import LocationCore
import LocationFormats

extension AudioView {
  /// As a list of JSON objects.
  static func tree(of views: [AudioView]) -> JSONTree {
    .array(
      views.map {
        .object([
          "audio": .integer($0.token), "kind": .string($0.kind.rawValue), "state": .string($0.state.rawValue),
        ])
      })
  }
}

extension FetchView {
  /// As one JSON object (rule G3).
  var tree: JSONTree {
    .object([
      "score": .fixed(score, FixedPoint.thousandths),
      "interval_s": intervalSeconds.map { .fixed($0, FixedPoint.thousandths) },
      "last_v": lastValue.map { .fixed($0, FixedPoint.thousandths) },
    ])
  }
}

extension AdvertisedService {
  /// As a list of JSON objects.
  static func tree(of services: [AdvertisedService]) -> JSONTree {
    .array(services.map { .object(["type": .string($0.type), "port": .integer(Int($0.port))]) })
  }
}

extension AccessoryView {
  /// As a list of JSON objects.
  static func tree(of views: [AccessoryView]) -> JSONTree {
    .array(views.map { .object(["session": .string($0.session), "connected": .boolean($0.isConnected)]) })
  }
}

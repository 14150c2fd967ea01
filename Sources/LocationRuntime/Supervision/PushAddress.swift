import LocationFormats

/// Where senders of Web Push send to (RFC 8030), and the keys that they encrypt for (RFC 8291): what their libraries call
/// a subscription.
package struct PushAddress: Hashable, Sendable {
  /// Where they post. Who knows it may send.
  var endpoint: String
  /// The public key, base64url.
  var point: String
  /// The secret that they share with the receiver, base64url.
  var auth: String

  /// As the Push API of the W3C writes it, and libraries of senders read it.
  var tree: JSONTree {
    .object([
      "endpoint": .string(endpoint),
      "keys": .object(["p256dh": .string(point), "auth": .string(auth)]),
    ])
  }
}

extension PushRegistration {
  /// What senders need; nil while the distributor has given no endpoint.
  package var address: PushAddress? {
    endpoint.map { PushAddress(endpoint: $0, point: point, auth: auth) }
  }
}

import CCrypto
import LocationFormats

/// Signs requests as Standard Webhooks 1.0.0 has it, symmetrically: the one file that speaks to CCrypto.
struct WebhookSignature {
  let key: [UInt8]

  /// The signature with its version.
  ///
  /// - Parameter timestamp: of this attempt, seconds since 1970.
  func sign(id: String, timestamp: Int, body: [UInt8]) -> String {
    let signed = Array("\(id).\(timestamp).".utf8) + body
    var digest = [UInt8](repeating: 0, count: Self.digestBytes)
    var count: UInt32 = 0
    _ = unsafe HMAC(EVP_sha256(), key, Int32(key.count), signed, signed.count, &digest, &count)
    return "v1," + Base64.text(digest)
  }

  /// Of SHA-256 (FIPS 180-4).
  private static let digestBytes = 32
}

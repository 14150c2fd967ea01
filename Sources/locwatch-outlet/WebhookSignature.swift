import CCrypto
import LocationFormats

/// Signs requests as Standard Webhooks 1.0.0 has it, symmetrically: the one file that speaks to CCrypto.
struct WebhookSignature {
  private let key: [UInt8]

  /// - Parameter secret: `whsec_` and base64, or base64 alone; nil where it is neither, or not 24 to 64 bytes.
  init?(_ secret: String) {
    let text = Array((secret.hasPrefix("whsec_") ? secret.dropFirst(6) : secret[...]).utf8)
    guard !text.isEmpty, text.count % 4 == 0 else { return nil }
    // Whole groups of three; what the padding stands for is cut off again.
    var bytes = [UInt8](repeating: 0, count: text.count / 4 * 3)
    guard unsafe EVP_DecodeBlock(&bytes, text, Int32(text.count)) == Int32(bytes.count) else { return nil }
    bytes.removeLast(text.suffix(2).count { $0 == UInt8(ascii: "=") })
    guard (24...64).contains(bytes.count) else { return nil }
    key = bytes
  }

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

import CCrypto
import LocationFormats

/// The keys that senders encrypt one subscriber's pushes for (RFC 8291): the one file that speaks to CCrypto.
struct MessageKeys {
  /// A private key of P-256, 32 bytes.
  private let secret: [UInt8]
  /// The public key as an uncompressed point, 65 bytes (`p256dh`).
  private let point: [UInt8]
  /// What senders and we know beside the keys, 16 bytes (`auth`).
  private let auth: [UInt8]

  /// Draws new ones from the system's generator.
  init() {
    var generator = SystemRandomNumberGenerator()
    func draw(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
    while true {
      // Drawn again where it is no key (FIPS 186-5, A.2.2): one in 2^32 is not.
      if let keys = MessageKeys(secret: draw(Self.secretBytes), auth: draw(Self.authBytes)) {
        self = keys
        return
      }
    }
  }

  /// Those that were drawn before, as ``secretText`` and ``authText``; nil where they are damaged.
  init?(secret: String, auth: String) {
    guard let secret = Self.bytes(secret), let auth = Self.bytes(auth) else { return nil }
    self.init(secret: secret, auth: auth)
  }

  private init?(secret: [UInt8], auth: [UInt8]) {
    guard auth.count == Self.authBytes, let key = Key(secret: secret), let point = key.point else {
      return nil
    }
    self.secret = secret
    self.point = point
    self.auth = auth
  }

  /// Base64url without padding, as Web Push writes it.
  var secretText: String { Self.text(secret) }
  var pointText: String { Self.text(point) }
  var authText: String { Self.text(auth) }

  // MARK: - Messages

  /// Whether a message is encrypted: the header of RFC 8188 with a point of P-256. In JSON there is no byte 4.
  static func isEncrypted(_ message: [UInt8]) -> Bool {
    message.count > headerBytes && message[saltBytes + 4] == UInt8(pointBytes) && message[saltBytes + 5] == 4
  }

  /// What a message says; nil where it was not encrypted for us, or was changed.
  func decrypted(_ message: [UInt8]) -> [UInt8]? {
    guard Self.isEncrypted(message) else { return nil }
    let salt = Array(message[..<Self.saltBytes])
    let recordBytes = message[Self.saltBytes..<(Self.saltBytes + 4)].reduce(0) { $0 << 8 | Int($1) }
    let sender = Array(message[(Self.saltBytes + 5)..<Self.headerBytes])
    let record = Array(message[Self.headerBytes...])
    // A push is one record (RFC 8291, section 4).
    guard record.count > Self.tagBytes, record.count <= recordBytes,
      let shared = Key(secret: secret)?.shared(with: sender)
    else { return nil }
    let seed = Self.derive(
      Self.digest(key: auth, shared), Array("WebPush: info".utf8) + [0] + point + sender, Self.digestBytes)
    let master = Self.digest(key: salt, seed)
    let key = Self.derive(master, Array("Content-Encoding: aes128gcm".utf8) + [0], Self.keyBytes)
    let nonce = Self.derive(master, Array("Content-Encoding: nonce".utf8) + [0], Self.nonceBytes)
    guard var text = Self.open(record, key, nonce) else { return nil }
    // Zeros fill it up; before them stands a 2 in the last record (RFC 8188, section 2).
    while text.last == 0 { text.removeLast() }
    return text.popLast() == 2 ? text : nil
  }

  /// A name for a message that has none: the same for the same message, and it tells nothing of it to who has not the
  /// keys.
  func name(of message: [UInt8]) -> String {
    Self.text(Array(Self.digest(key: auth, message).prefix(Self.authBytes)))
  }

  private static let saltBytes = 16
  private static let pointBytes = 65
  private static let headerBytes = saltBytes + 4 + 1 + pointBytes
  private static let tagBytes = 16
  private static let keyBytes = 16
  private static let nonceBytes = 12
  private static let secretBytes = 32
  private static let authBytes = 16
  /// Of SHA-256.
  private static let digestBytes = 32

  /// The first block of HKDF-Expand (RFC 5869, section 2.3): nothing longer is needed.
  private static func derive(_ key: [UInt8], _ info: [UInt8], _ count: Int) -> [UInt8] {
    Array(digest(key: key, info + [1]).prefix(count))
  }

  /// HMAC-SHA-256, which is HKDF-Extract, too.
  private static func digest(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: digestBytes)
    var count: UInt32 = 0
    _ = unsafe HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &digest, &count)
    return digest
  }

  /// Opens what AES-128-GCM has sealed, with its tag at its end.
  private static func open(_ sealed: [UInt8], _ key: [UInt8], _ nonce: [UInt8]) -> [UInt8]? {
    guard let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    let body = Array(sealed.dropLast(tagBytes))
    var tag = Array(sealed.suffix(tagBytes))
    var text = [UInt8](repeating: 0, count: body.count)
    var count: Int32 = 0
    var last = [UInt8](repeating: 0, count: keyBytes)
    guard unsafe EVP_DecryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce) == 1,
      unsafe EVP_DecryptUpdate(context, &text, &count, body, Int32(body.count)) == 1, count == body.count,
      unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1,
      unsafe EVP_DecryptFinal_ex(context, &last, &count) == 1
    else { return nil }
    return text
  }

  // MARK: - Base64url

  private static func text(_ bytes: [UInt8]) -> String {
    Base64.text(bytes).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  private static func bytes(_ text: String) -> [UInt8]? {
    var plain = text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      case _: byte
      }
    }
    let padding = (4 - plain.count % 4) % 4
    plain += [UInt8](repeating: UInt8(ascii: "="), count: padding)
    var bytes = [UInt8](repeating: 0, count: plain.count / 4 * 3)
    guard padding < 3, unsafe EVP_DecodeBlock(&bytes, plain, Int32(plain.count)) == Int32(bytes.count) else {
      return nil
    }
    return bytes.dropLast(padding)
  }
}

/// A private key of P-256, as libcrypto has it.
@safe private struct Key: ~Copyable {
  private let pointer: OpaquePointer

  /// The order of the curve's group (SP 800-186, 3.2.1.3): private keys are smaller.
  private static let order: [UInt8] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
  ]
  /// What stands before and after the key in an `ECPrivateKey` in DER (RFC 5915): version 1, the key, and the curve
  /// prime256v1. libcrypto computes the public key.
  private static let head: [UInt8] = [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20]
  private static let tail: [UInt8] = [
    0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07,
  ]
  private static let pointBytes = 65

  /// - Parameter secret: 32 bytes; nil where they are no private key.
  init?(secret: [UInt8]) {
    guard secret.count == Self.order.count, secret.contains(where: { $0 != 0 }),
      secret.lexicographicallyPrecedes(Self.order)
    else { return nil }
    let encoded = Self.head + secret + Self.tail
    let key = unsafe encoded.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      return unsafe d2i_PrivateKey(EVP_PKEY_EC, nil, &start, buffer.count)
    }
    guard let key = unsafe key else { return nil }
    unsafe pointer = key
  }

  deinit { unsafe EVP_PKEY_free(pointer) }

  /// The public key, an uncompressed point.
  var point: [UInt8]? {
    var point = [UInt8](repeating: 0, count: Self.pointBytes)
    var count = 0
    let code = unsafe EVP_PKEY_get_octet_string_param(
      pointer, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, &point, point.count, &count)
    return code == 1 && count == point.count ? point : nil
  }

  /// The secret that is shared with who has the key of a point (ECDH); nil where that is none of the curve.
  func shared(with point: [UInt8]) -> [UInt8]? {
    guard let peer = unsafe EVP_PKEY_new() else { return nil }
    defer { unsafe EVP_PKEY_free(peer) }
    guard unsafe EVP_PKEY_copy_parameters(peer, pointer) == 1,
      unsafe EVP_PKEY_set1_encoded_public_key(peer, point, point.count) == 1,
      let context = unsafe EVP_PKEY_CTX_new(pointer, nil)
    else { return nil }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var secret = [UInt8](repeating: 0, count: Self.order.count)
    var count = secret.count
    guard unsafe EVP_PKEY_derive_init(context) == 1, unsafe EVP_PKEY_derive_set_peer(context, peer) == 1,
      unsafe EVP_PKEY_derive(context, &secret, &count) == 1, count == secret.count
    else { return nil }
    return secret
  }
}

import Foundation
import Testing

@testable import locwatch_push

/// Messages encrypted for Web Push.
@Suite struct MessageKeysTests {
  /// The receiver's keys of RFC 8291, appendix A.
  static let secret = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
  static let point =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
  static let auth = "BTBZMqHH6r4Tts7J_aSIgg"
  /// The message of RFC 8291, section 5.
  private static let message =
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
  /// Made by http_ece 1.2.1 for the same keys: `{"alert":"Gate open","content-available":1,"id":"gate-1"}`.
  static let named =
    "EBFED46e7pV-TdZB8LGDzwAAEABBBORZySyxdNPamMNQn6_gkjA3ruquVeiiL1dkWUHOxlPXqfDN91r2AXq0OIHpaqa756GAaq5_5qJNAPjhlmqocg5qXzE77Y1pU7TJzsZdqB9xTTOS5MgV_td1Iz_ZV0AXnW0joShOaJdx8_vWBiUWxo74dWmHoHKGEWw558aTRki-P4c_0ooMN6aq-g"
  /// Likewise: `{"content-available":1,"data":"sealed"}`.
  static let nameless =
    "5cq4fS83MZ990aP2cJ-hVgAAEABBBFpYP79HJAkRKRbAgJmbE9ch3jqdCVCqyKwLUUOMNOgDqKj0qKVDzDfOCC0g0vANp6TVWgu3p-kCZyj7L-3ou9fjPQk7Ea3YN5tI_KvwinWQRlS9J-D_2vIYh8JnFLL5s6PzT_hS66mFKkk3dfFLPwEvk-QrKN2sfA"

  private func bytes(_ text: String) throws -> [UInt8] {
    let plain = text.replacing("-", with: "+").replacing("_", with: "/")
    let padded = plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
    return Array(try #require(Data(base64Encoded: padded)))
  }

  private func keys() throws -> MessageKeys {
    try #require(MessageKeys(secret: Self.secret, auth: Self.auth))
  }

  @Test func `the message of RFC 8291 is opened`() throws {
    let keys = try keys()
    #expect(keys.pointText == Self.point)
    #expect(keys.secretText == Self.secret)
    #expect(keys.authText == Self.auth)
    let text = try #require(keys.decrypted(try bytes(Self.message)))
    #expect(String(decoding: text, as: UTF8.self) == "When I grow up, I want to be a watermelon")
  }

  @Test func `a message that was changed, cut or is for others is not`() throws {
    let keys = try keys()
    let message = try bytes(Self.message)
    // The size of a record, at 16, is no part of what is sealed.
    for index in message.indices where !(16..<20).contains(index) {
      var changed = message
      changed[index] ^= 1
      #expect(keys.decrypted(changed) == nil, "byte \(index)")
    }
    for count in message.indices {
      #expect(keys.decrypted(Array(message[..<count])) == nil, "\(count) bytes")
    }
    #expect(keys.decrypted(message + [0]) == nil)
    #expect(MessageKeys().decrypted(message) == nil)
  }

  @Test func `JSON is never taken for an encrypted message`() throws {
    #expect(MessageKeys.isEncrypted(try bytes(Self.message)))
    let text = Array(("{\"alert\":\"" + String(repeating: "A", count: 200) + "\"}").utf8)
    #expect(!MessageKeys.isEncrypted(text))
  }

  @Test func `keys that were drawn are read back, others are none`() throws {
    let keys = MessageKeys()
    #expect(MessageKeys(secret: keys.secretText, auth: keys.authText)?.pointText == keys.pointText)
    #expect(keys.secretText != MessageKeys().secretText)
    for secret in ["", "AA", "!" + Self.secret.dropFirst(), String(repeating: "A", count: 43), Self.point] {
      #expect(MessageKeys(secret: secret, auth: Self.auth) == nil, "\(secret)")
    }
    // The order of the group and above.
    #expect(MessageKeys(secret: String(repeating: "_", count: 42) + "8", auth: Self.auth) == nil)
    #expect(MessageKeys(secret: Self.secret, auth: "AA") == nil)
  }

  @Test func `a message without a name has one of its own for each receiver`() throws {
    let keys = try keys()
    let message = Array("{}".utf8)
    #expect(keys.name(of: message) == keys.name(of: message))
    #expect(keys.name(of: message) != keys.name(of: message + [32]))
    #expect(keys.name(of: message) != MessageKeys().name(of: message))
  }
}

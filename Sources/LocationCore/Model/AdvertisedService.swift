/// A service of a program that is published on the network, as DNS-SD names it (rule K6).
public struct AdvertisedService: Hashable, Sendable, Codable {
  /// Its type, in small letters, such as `_http._tcp`: a subscriber has one of each.
  public var type: String
  /// Where its program listens; 0 where it is published no longer.
  public var port: UInt16

  /// - Returns: nil where `type` is none (RFC 6763, section 7), or `port` is none.
  public init?(type: String, port: Int) {
    guard let port = UInt16(exactly: port), let type = Self.type(type) else { return nil }
    self.type = type
    self.port = port
  }

  /// A type in small letters: a name and how it is carried. The name has 1 to 15 letters, digits and hyphens, of which
  /// one is a letter, and no hyphen is first, last or beside another (RFC 6335, section 5.1).
  private static func type(_ text: String) -> String? {
    let type = text.lowercased()
    let labels = type.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    // Some letters beyond ASCII have a small one within it.
    guard text.utf8.allSatisfy({ $0 < 0x80 }), labels.count == 2, labels[0].first == UInt8(ascii: "_"),
      [Array("_tcp".utf8), Array("_udp".utf8)].contains(Array(labels[1]))
    else { return nil }
    let name = labels[0].dropFirst()
    let hyphen = UInt8(ascii: "-")
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let words = name.split(separator: hyphen, omittingEmptySubsequences: false)
    guard name.count <= longestName, name.contains(where: letters.contains),
      words.allSatisfy({ !$0.isEmpty && $0.allSatisfy { letters.contains($0) || digits.contains($0) } })
    else { return nil }
    return type
  }

  private static let longestName = 15
}

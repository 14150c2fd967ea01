import Glibc
import LocationFormats
import LocationRuntime

/// The word by which the page's owner is known.
enum ServeToken {
  /// Characters at least: 16 of base 64 hold 96 bits.
  private static let leastCharacters = 16

  /// The first line of a file that only its owner may read. Where there is none, one is made with a new token.
  ///
  /// - Throws: code 77 where others may read it, 78 where what it holds is too short, 73 where it can't be made.
  static func read(path: String) throws(Failure) -> String {
    if unsafe access(path, F_OK) != 0, errno == ENOENT { return try make(path) }
    try OutletSecrets.requirePrivate(path)
    let bytes = try FileBytes.read(path: path).prefix { $0 != UInt8(ascii: "\n") }
    let token = String(decoding: bytes, as: UTF8.self)
    guard token.utf8.count >= leastCharacters, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw Failure(
        .config, file: path, what: "a token has at least \(leastCharacters) printable characters",
        remedy: "name a file that is not there yet: one is made in it")
    }
    return token
  }

  private static func make(_ path: String) throws(Failure) -> String {
    let token = RandomToken.hex()
    try OutputFile(path: path, isPrivate: true).write(Array((token + "\n").utf8))
    return token
  }
}

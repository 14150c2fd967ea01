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
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      guard errno == ENOENT else { throw Failure(.noInput, file: path, what: SystemReason.text(errno)) }
      return try make(path)
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw Failure(.noInput, file: path, what: "is a directory", remedy: "name a file in it")
    }
    let isOurs = status.st_uid == geteuid() || status.st_uid == 0
    guard isOurs, status.st_mode & 0o077 == 0 else {
      throw Failure(
        .noPermission, file: path, what: "other users may read or write it", remedy: "chmod 600 it")
    }
    let bytes = try FileBytes.read(path: path).prefix { $0 != UInt8(ascii: "\n") }
    let token = String(decoding: bytes, as: UTF8.self)
    guard token.utf8.count >= leastCharacters, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw Failure(
        .config, file: path, what: "a token has at least \(leastCharacters) printable characters",
        remedy: "remove the file: the next start makes one")
    }
    return token
  }

  private static func make(_ path: String) throws(Failure) -> String {
    let token = RandomToken.hex()
    try OutputFile(path: path, isPrivate: true).write(Array((token + "\n").utf8))
    return token
  }
}

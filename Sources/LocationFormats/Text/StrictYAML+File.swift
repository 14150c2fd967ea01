extension StrictYAML {
  /// Parses the document in a file; `-` is standard input.
  ///
  /// - Parameters:
  ///   - code: What a mistake in this kind of file is: `.data` (65) or `.config` (78).
  ///   - mayBeEmpty: Whether a file of comments alone is a map without keys, and no mistake.
  ///   - isReread: Whether it has been read before: a pipe is refused then.
  ///   - isSecret: Whether errors quote nothing of it.
  /// - Throws: As ``init(_:file:code:mayBeEmpty:isSecret:)``; `.noInput`, `.noPermission` or `.io` where it can't be
  ///   read.
  package init(
    path: String, code: Failure.Code, mayBeEmpty: Bool = false, isReread: Bool = false,
    isSecret: Bool = false
  ) throws(Failure) {
    let (name, bytes) = try Self.bytes(ofFile: path, isReread: isReread)
    try self.init(bytes, file: name, code: code, mayBeEmpty: mayBeEmpty, isSecret: isSecret)
  }

  /// The bytes of a file of at most ``maximumBytes`` and one more, which is enough to see that it is too long.
  ///
  /// - Returns: The name errors should carry, and the bytes.
  package static func bytes(
    ofFile path: String, isReread: Bool = false
  ) throws(Failure) -> (name: String, bytes: [UInt8]) {
    var file = try InputFile(path: path, isReread: isReread)
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= maximumBytes {
      let count = try file.read(into: &piece)
      if count == 0 { break }
      bytes += piece[..<count]
    }
    return (file.name, bytes)
  }
}

/// Whole files.
package enum FileBytes {
  /// The largest file read at once, bytes: far above a million regions, far below what exhausts a machine.
  package static let maximumBytes = 4 << 30

  /// The first bytes of a file as they lie there, at most `count`.
  ///
  /// - Throws: `.noInput`, `.noPermission`, `.io`.
  package static func head(path: String, count: Int) throws(Failure) -> [UInt8] {
    var file = try InputFile(path: path)
    var bytes = [UInt8](repeating: 0, count: count)
    let got = try file.read(into: &bytes)
    return Array(bytes.prefix(got))
  }

  /// Refuses a path that can't be read, without opening it.
  ///
  /// - Throws: `.noInput`, `.noPermission`, `.io`.
  package static func requireReadable(path: String) throws(Failure) {
    try InputFile.requireReadable(path)
  }

  /// All bytes of a file, unpacked where it is gzip; `-` is standard input.
  ///
  /// - Throws: `.noInput`, `.noPermission`, `.io`; `.data` where it is too large or its gzip is broken.
  package static func read(path: String) throws(Failure) -> [UInt8] {
    var input = try InputBytes(path: path)
    // One byte more than the file has, so that its end is seen without growing.
    var bytes = [UInt8](repeating: 0, count: max((input.byteCount ?? 0) + 1, InputBytes.pieceBytes))
    var filled = 0
    while true {
      if filled == bytes.count { bytes.append(contentsOf: repeatElement(0, count: bytes.count)) }
      let count = try input.read(into: &bytes, from: filled)
      if count == 0 { break }
      filled += count
      guard filled <= maximumBytes else {
        throw Failure(
          .data, file: input.name, what: "larger than \(maximumBytes >> 30) GiB", remedy: "split it")
      }
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }
}

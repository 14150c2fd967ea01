/// Whole files.
package enum FileBytes {
  /// The largest file read at once, bytes: far above a million regions, far below what exhausts a machine.
  package static let maximumBytes = 4 << 30
  /// The same of what comes from a pipe, or is unpacked: nobody knows beforehand how much that is, so that memory is
  /// taken for more than there is.
  static let maximumStreamBytes = 1 << 30

  /// The first bytes of a file as they lie there, at most `count`.
  ///
  /// - Throws: `.noInput`, `.noPermission`, `.io`.
  package static func head(path: String, count: Int) throws(Failure) -> [UInt8] {
    var file = try InputFile(path: path)
    var bytes = [UInt8](repeating: 0, count: count)
    let got = try file.read(into: &bytes)
    return Array(bytes.prefix(got))
  }

  /// All bytes of a file, unpacked where it is gzip; `-` is standard input.
  ///
  /// - Throws: `.noInput`, `.noPermission`, `.io`; `.data` where it is too large, its gzip is broken, or it is a device
  ///   or a pipe that gives no text.
  package static func read(path: String) throws(Failure) -> [UInt8] {
    var input = try InputBytes(path: path)
    let name = input.name
    let limit = input.byteCount == nil || input.isGzip ? maximumStreamBytes : maximumBytes
    func requireFit(_ count: Int) throws(Failure) {
      guard count > limit else { return }
      throw Failure(.data, file: name, what: "larger than \(limit >> 30) GiB", remedy: "split it")
    }
    try requireFit(input.byteCount ?? 0)
    // One byte more than the file has, so that its end is seen without growing.
    var bytes = [UInt8](repeating: 0, count: max((input.byteCount ?? 0) + 1, InputBytes.pieceBytes))
    var filled = 0
    while true {
      if filled == bytes.count {
        bytes.append(contentsOf: repeatElement(0, count: min(bytes.count, limit + 1 - bytes.count)))
      }
      let count = try input.read(into: &bytes, from: filled)
      if count == 0 { break }
      // A device may never end.
      if filled == 0, input.byteCount == nil, isBinary(bytes.span.extracting(..<count)) {
        throw Failure(.data, file: name, what: "binary data, not text", remedy: "name a text file")
      }
      filled += count
      try requireFit(filled)
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }

  /// The first line of a text that is not UTF-8, from 1; nil where all are.
  ///
  /// No character of more than one byte contains a line feed, so each line is UTF-8 by itself or not at all.
  static func firstLineNotUTF8(_ bytes: [UInt8]) -> Int? {
    bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .firstIndex { String(validating: $0, as: UTF8.self) == nil }
      .map { $0 + 1 }
  }

  private static func isBinary(_ bytes: Span<UInt8>) -> Bool {
    if bytes.startsWithUTF16 { return false }
    for index in 0..<bytes.count where bytes[index] == 0 { return true }
    return false
  }
}

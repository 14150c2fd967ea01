import LocationCore

/// The lines of a file or of standard input, unpacked where it is gzip.
package struct LineInput: ~Copyable {
  private var input: InputBytes
  private var lines: LineBuffer
  private var piece = [UInt8](repeating: 0, count: InputBytes.pieceBytes)
  private var isAtEnd = false
  /// As the user named it; `<stdin>` for `-`.
  package let name: String

  /// - Parameter limit: the longest line that is accepted, bytes.
  /// - Throws: `.noInput`, `.noPermission`, `.io` where it can't be read.
  package init(path: String, limit: Int) throws(Failure) {
    input = try InputBytes(path: path)
    name = path == "-" ? "<stdin>" : path
    lines = LineBuffer(limit: limit)
  }

  /// The number of the line found last, from 1.
  package var number: Int { lines.number }

  /// The next line without its end; nil after the last.
  ///
  /// - Throws: `.data` where it is too long: reading can't go on.
  package mutating func next() throws(Failure) -> [UInt8]? {
    while true {
      switch lines.next() {
      case .line(let range): return Array(lines.bytes[range])
      case .tooLong: throw Failure(.data, file: name, line: lines.number, what: "the line is too long")
      case .none: break
      }
      if isAtEnd {
        guard let range = lines.last() else { return nil }
        return Array(lines.bytes[range])
      }
      let count = try input.read(into: &piece)
      isAtEnd = count == 0
      Self.append(piece, count, to: &lines)
    }
  }

  private static func append(_ piece: [UInt8], _ count: Int, to lines: inout LineBuffer) {
    lines.append(piece.span.extracting(0..<count))
  }
}

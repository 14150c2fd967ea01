/// Looks for text in bytes: what a page is made of is long.
enum ByteText {
  /// Where a text begins for the first time; nil where it does not occur.
  static func first(_ text: StaticString, in bytes: ArraySlice<UInt8>) -> Int? {
    let wanted = Array("\(text)".utf8)
    guard let head = wanted.first else { return nil }
    var rest = bytes
    while let at = rest.firstIndex(of: head) {
      if rest[at...].starts(with: wanted) { return at }
      rest = rest[(at + 1)...]
    }
    return nil
  }

  /// The bytes with each occurrence of a text replaced.
  static func replacing(_ text: StaticString, with other: StaticString, in bytes: [UInt8]) -> [UInt8] {
    var (result, rest) = ([UInt8](), bytes[...])
    let (count, new) = ("\(text)".utf8.count, Array("\(other)".utf8))
    while let at = first(text, in: rest) {
      result += rest[..<at]
      result += new
      rest = rest[(at + count)...]
    }
    return result + rest
  }
}

import LocationCore

extension Span<UInt8> {
  /// The name of the first element of XML in UTF-8 or UTF-16, without its prefix; nil where it is not there whole.
  ///
  /// Comments, processing instructions and declarations before it are passed over.
  var xmlRoot: String? {
    guard startsWithUTF16 else { return narrowXMLRoot }
    // Of UTF-16, names and markup in ASCII stay without the bytes that are zero.
    let narrow = array.filter { $0 != 0 }
    return narrow.span.narrowXMLRoot
  }

  private var narrowXMLRoot: String? {
    var index = 0
    while index < count {
      guard self[index] == UInt8(ascii: "<") else {
        index += 1
        continue
      }
      let rest = extracting((index + 1)...)
      if rest.starts(with: "!--") {
        guard let end = rest.index(of: "-->", from: 3) else { return nil }
        index += 1 + end
      } else if rest.starts(with: "?") {
        guard let end = rest.index(of: "?>", from: 1) else { return nil }
        index += 1 + end
      } else if rest.isEmpty || rest.starts(with: "!") {
        index += 1
      } else {
        guard let end = rest.indexOfNameEnd else { return nil }
        let prefix = rest.extracting(..<end).firstIndex(of: UInt8(ascii: ":"))
        let name = rest.extracting((prefix.map { $0 + 1 } ?? 0)..<end)
        return name.text(limit: name.count)
      }
    }
    return nil
  }

  private func index(of word: StaticString, from start: Int) -> Int? {
    var index = start
    while index < count {
      if extracting(index...).starts(with: word) { return index }
      index += 1
    }
    return nil
  }

  private var indexOfNameEnd: Int? {
    for index in 0..<count {
      let byte = self[index]
      if byte.isXMLSpace || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") { return index }
    }
    return nil
  }
}

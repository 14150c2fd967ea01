/// Feeds a whole XML document to a consumer, event by event.
enum XMLDocument {
  /// How much is parsed before events are handed out, bytes.
  private static let pieceBytes = 1 << 16

  /// - Throws: `.data` where it is not well formed; what came before was handed out.
  static func read(_ bytes: [UInt8], file: String, _ take: (XMLEvent) -> Void) throws(Failure) {
    let parser = try GPXParser(eventsOf: file)
    var start = 0
    repeat {
      let end = min(start + pieceBytes, bytes.count)
      try parser.parse(bytes.span.extracting(start..<end), isFinal: end == bytes.count)
      for event in parser.takeEvents() { take(event) }
      start = end
    } while start < bytes.count
  }
}

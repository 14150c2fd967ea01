/// What the readers of regions in XML have in common.
protocol XMLRegionReader {
  /// What was read so far, and what is wrong.
  var collector: RegionCollector { get set }

  /// Takes the next piece of the document.
  mutating func take(_ event: XMLEvent)
}

extension XMLRegionReader {
  /// Reads a document; false where it is broken, which the collector then tells.
  mutating func readDocument(_ bytes: [UInt8]) -> Bool {
    var trouble: Failure?
    do {
      let parser = try XMLParser(eventsOf: collector.file.name)
      // A document is parsed in pieces, so that few events are held at once.
      let pieceBytes = 1 << 16
      var start = 0
      repeat {
        let end = min(start + pieceBytes, bytes.count)
        try parser.parse(bytes.span.extracting(start..<end), isFinal: end == bytes.count)
        for event in parser.takeEvents() { take(event) }
        start = end
      } while start < bytes.count
    } catch {
      trouble = error
    }
    // What follows is about the document, not about the last of its regions.
    collector.number = 0
    guard let trouble else { return true }
    collector.note(trouble.what, trouble.remedy, line: trouble.line)
    return false
  }
}

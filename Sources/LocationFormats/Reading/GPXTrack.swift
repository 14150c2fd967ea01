package import LocationCore

/// A GPX document: plain track points go to the scanner, everything else to the XML parser, in the order of the
/// file.
///
/// The parser decides: the scanner gets a point only where the parser has taken in everything before it, and
/// what the scanner does not know goes to the parser. So both ways give the same items, notes and failures.
package struct GPXTrack: FormatTrack {
  private let file: String
  private let parser: XMLParser
  private var scanner: GPXScanner?
  private var isFirstPiece = true

  /// - Parameters:
  ///   - assumeAccuracyMeters: see ``TrackOptions``.
  ///   - scans: whether the scanner is used.
  package init(file: String, assumeAccuracyMeters: Double?, scans: Bool = true) throws(Failure) {
    self.file = file
    parser = try XMLParser(gpx: file, assumeAccuracyMeters: assumeAccuracyMeters)
    scanner = scans ? GPXScanner() : nil
  }

  package var line: Int { parser.line }
  /// The line on which the first track point begins, or else the first other point; nil before it.
  package var firstPointLine: Int? { parser.firstPointLine }
  package var notes: [String] { parser.notes }
  /// Programs write several tracks and segments into a file, some the newest first.
  package var hasParts: Bool { true }
  /// What the document has so far.
  package var census: GPXAssembler.Census { parser.census }

  package mutating func read(_ piece: borrowing ScanPiece, into batch: inout [TrackItem]) throws(Failure) {
    if isFirstPiece, !piece.beginsWithASCII { scanner = nil }
    isFirstPiece = false
    do throws(Failure) {
      try parse(piece)
    } catch {
      parser.takeItems(into: &batch)
      flush(into: &batch)
      throw error
    }
    parser.takeItems(into: &batch)
    if piece.count == 0, census.trackPoints == 0 { try takeHeldItems(into: &batch) }
  }

  /// What stands in for a track in a document without one.
  private func takeHeldItems(into batch: inout [TrackItem]) throws(Failure) {
    guard let held = parser.takeHeldItems() else {
      throw Failure(
        .data, file: file, line: firstPointLine,
        what: "no track, and more than \(GPXAssembler.maximumHeldPoints) route points or waypoints",
        remedy: "convert the route to a track")
    }
    batch.append(contentsOf: held)
  }

  /// Appends routes or waypoints where the document can't be read on and had no track.
  package func flush(into batch: inout [TrackItem]) {
    if census.trackPoints == 0, let held = parser.takeHeldItems() { batch += held }
  }

  package var emptiness: String {
    let census = census
    if census.tracks > 0 { return "no track points; its tracks are empty" }
    return "no track points; " + (census.routes > 0 ? "its routes are empty" : "it has no track at all")
  }

  private mutating func parse(_ piece: borrowing ScanPiece) throws(Failure) {
    let bytes = piece.bytes.span.extracting(..<piece.count)
    guard piece.count > 0, scanner != nil else {
      return try parser.parse(bytes, isFinal: piece.count == 0)
    }
    var offset = 0
    while offset < piece.count {
      if parser.takesWholePoints { offset = scan(piece, from: offset) }
      // Whatever stands here is the parser's, up to the next point. A tag or comment whose end has not come is looked
      // at again from its start, so it gets as much again each time, or all that there is of this piece.
      let next = piece.nextTrackPoint(after: min(piece.count - 1, offset + parser.unfinishedBytes))
      try parser.parse(bytes.extracting(offset..<next), isFinal: false)
      offset = next
    }
  }

  private mutating func scan(_ piece: borrowing ScanPiece, from offset: Int) -> Int {
    var reached = offset
    parser.passOver { assembler in
      guard let stop = scanner?.takePoints(of: piece, from: offset, into: &assembler) else { return (0, 0) }
      reached = stop.offset
      return (stop.lines, stop.column)
    }
    return reached
  }
}

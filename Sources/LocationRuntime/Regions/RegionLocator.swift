package import LocationCore

/// Answers for many places which regions they are in.
package struct RegionLocator: Sendable {
  /// What is found around one place.
  package struct Answer: Sendable {
    /// Places in the list of regions, in its order.
    package var inside: [Int] = []
    /// The region whose edge is nearest, and the signed metres to it, positive outside.
    package var nearest: (index: Int, edgeMeters: Double)?
  }

  private let regions: [Region]

  package init(_ regions: [Region]) { self.regions = regions }

  /// Finds what is around a place; equals in distance by their order.
  package func locate(_ place: Coordinate, into answer: inout Answer) {
    answer.inside.removeAll(keepingCapacity: true)
    answer.nearest = nil
    var nearest = (index: 0, edgeMeters: Double.infinity)
    for index in regions.indices {
      let edge = regions[index].shape.edgeMeters(at: place)
      if edge <= 0 { answer.inside.append(index) }
      if abs(edge) < abs(nearest.edgeMeters) { nearest = (index, edge) }
    }
    if !regions.isEmpty { answer.nearest = nearest }
  }

  /// Reads places, a line each, and writes a line of JSON for each.
  ///
  /// What was found is written whenever the input pauses.
  ///
  /// - Throws: `.data` at the first line that holds no place, after all before it were answered.
  package func run(path: String, to output: borrowing OutputFile) throws(Failure) {
    var input = try InputBytes(path: path)
    var lines = LineBuffer(limit: LineTrack.maximumLineBytes)
    var piece = [UInt8](repeating: 0, count: InputBytes.pieceBytes)
    var stream = AnswerStream(locator: self, file: input.name)
    while true {
      let count = try input.read(into: &piece)
      lines.append(piece.span.extracting(0..<count))
      var trouble: Failure?
      do throws(Failure) {
        try stream.take(&lines, isFinal: count == 0)
      } catch {
        trouble = error
      }
      try output.write(stream.bytes)
      stream.bytes.removeAll(keepingCapacity: true)
      if let trouble { throw trouble }
      if count == 0 { return }
    }
  }

  /// The answers that were not yet written.
  private struct AnswerStream {
    let locator: RegionLocator
    let file: String
    var bytes: [UInt8] = []
    private var answer = Answer()
    private var line = JSONLine()
    private var ids: [String] = []

    init(locator: RegionLocator, file: String) {
      self.locator = locator
      self.file = file
    }

    mutating func take(_ lines: inout LineBuffer, isFinal: Bool) throws(Failure) {
      let text = lines.bytes
      taking: while true {
        switch lines.next() {
        case .line(let range): try take(text.span.extracting(range), number: lines.number)
        case .tooLong:
          throw Failure(
            .data, file: file, line: lines.number,
            what: "longer than \(LineTrack.maximumLineBytes >> 10) KiB", remedy: "write one place a line")
        case .none: break taking
        }
      }
      if isFinal, let range = lines.last() { try take(text.span.extracting(range), number: lines.number) }
    }

    private mutating func take(_ text: Span<UInt8>, number: Int) throws(Failure) {
      guard !text.rangeWithinXMLSpace.isEmpty else { return }
      let place: Coordinate
      do {
        place = try PlaceText.place(line: text)
      } catch {
        // A table's head.
        if number == 1, text.starts(with: "lat") { return }
        throw Failure(.data, file: file, line: number, what: error.what, remedy: error.remedy)
      }
      locator.locate(place, into: &answer)
      ids.removeAll(keepingCapacity: true)
      for index in answer.inside { ids.append(locator.regions[index].id) }
      line.reset()
      line.open()
      line.member("lat", place.latitude, decimals: FixedPoint.degrees)
      line.member("lon", place.longitude, decimals: FixedPoint.degrees)
      line.member("inside", ids)
      if let nearest = answer.nearest {
        line.member("nearest", locator.regions[nearest.index].id)
        line.member("edge_m", nearest.edgeMeters, decimals: FixedPoint.meters)
      }
      line.close()
      bytes.append(contentsOf: line.bytes)
      bytes.append(UInt8(ascii: "\n"))
    }
  }
}

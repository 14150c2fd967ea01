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
  private let shapes: [ShapeGeometry]
  private let tree: GeocentricTree
  private var scratch = GeocentricTree.Scratch()

  /// Prepares regions for any number of questions.
  ///
  /// - Throws: `.data` where one has an outline that is none.
  package init(_ regions: [Region]) throws(Failure) {
    // What has no outline is nowhere.
    let regions = regions.filter { !$0.isOfBeacons }
    self.regions = regions
    var shapes: [ShapeGeometry] = []
    shapes.reserveCapacity(regions.count)
    for region in regions { shapes.append(try Self.geometry(of: region)) }
    self.shapes = shapes
    tree = GeocentricTree(shapes.map(\.box))
  }

  static func geometry(of region: Region) throws(Failure) -> ShapeGeometry {
    do {
      return try ShapeGeometry(region.shape)
    } catch {
      throw Failure(.data, what: "region \"\(region.id)\": \(RegionProblem(error, .geoJSON).what)")
    }
  }

  /// Finds what is around a place; of edges at the same distance, the first region's counts.
  package mutating func locate(_ place: Coordinate, into answer: inout Answer) {
    var inside: [Int] = []
    swap(&inside, &answer.inside)
    inside.removeAll(keepingCapacity: true)
    var nearest = (index: -1, edgeMeters: Double.infinity)
    tree.search(around: place, &scratch) { index in
      let edge = shapes[index].edgeMeters(at: place)
      if edge <= 0 { inside.append(index) }
      let (size, least) = (abs(edge), abs(nearest.edgeMeters))
      if size < least || (size == least && index < nearest.index) { nearest = (index, edge) }
      return abs(nearest.edgeMeters)
    }
    if inside.count > 1 { inside.sort() }
    swap(&inside, &answer.inside)
    answer.nearest = nearest.index < 0 ? nil : nearest
  }

  /// Reads places, a line each, and writes a line of JSON for each.
  ///
  /// What was found is written whenever the input pauses.
  ///
  /// - Throws: `.data` at the first line that holds no place, after all before it were answered.
  package consuming func run(path: String, to output: borrowing OutputFile) throws(Failure) {
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
    var locator: RegionLocator
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

    private mutating func take(_ input: Span<UInt8>, number: Int) throws(Failure) {
      let text = input.extracting((number == 1 && input.startsWithByteOrderMark ? 3 : 0)...)
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

package import LocationCore

/// The regions of one file, and what was said about them while they were read.
///
/// ```swift
/// let file = try RegionFile.read(path: "places.geojson")
/// for line in file.warnings + file.leftOut { warn(line) }
/// ```
package struct RegionFile: Sendable {
  /// What the reader may assume where a file says nothing.
  package struct Options: Sendable {
    /// The radius of a point that names none, metres, positive; nil refuses such a point.
    package var defaultRadiusMeters: Double?
    /// Whether a feature whose id is a mere number is called by its name: programs that draw features number them.
    var prefersNames = false
    package init(defaultRadiusMeters: Double? = nil) { self.defaultRadiusMeters = defaultRadiusMeters }
  }

  /// As the user named it; `<stdin>` for `-`.
  package var name: String
  /// In the order of the file; their ids are unique.
  package var regions: [Region] = []
  /// What the file holds and no region was made of, a line each.
  package var leftOut: [String] = []
  /// What is probably not meant as it is written, a line each.
  package var warnings: [String] = []
  /// Where each region stands in ``source``.
  var pieces: [Piece] = []
  /// GeoJSON.
  var source: [UInt8] = []
  /// Of those regions that have any, by their place in ``regions``.
  var tags: [Int: [String]] = [:]

  /// A file without regions.
  package init(name: String) { self.name = name }

  /// The text that a region was made of.
  struct Piece {
    var start: Int
    var length: UInt32
    /// What is not in that text.
    var lacks: Lacks

    struct Lacks: OptionSet {
      let rawValue: UInt8
      static let id = Lacks(rawValue: 1)
      static let radius = Lacks(rawValue: 2)
      /// A geometry without its Feature.
      static let feature = Lacks(rawValue: 4)
    }
  }

  /// Reads several files.
  ///
  /// - Throws: what the reading of one does, and `.data` where two regions have the same id.
  package static func read(paths: [String], options: Options = Options()) throws(Failure) -> [RegionFile] {
    var files: [RegionFile] = []
    for path in paths { files.append(try read(path: path, options: options)) }
    try refuseDuplicates(files)
    return files
  }

  /// Reads a file, unpacked where it is gzip; `-` is standard input.
  ///
  /// - Throws: `.noInput`, `.noPermission`, `.io` where it can't be read, `.data` where it does not hold good
  ///   regions: the first problem with its place, and how many more there are.
  package static func read(path: String, options: Options = Options()) throws(Failure) -> RegionFile {
    var options = options
    options.prefersNames = true
    return try read(
      bytes: try FileBytes.read(path: path), name: InputFile.name(of: path), options: options)
  }

  /// Reads what a file holds.
  ///
  /// - Parameter name: the file, for messages.
  package static func read(bytes: [UInt8], name: String, options: Options = Options()) throws(Failure)
    -> RegionFile
  {
    var collector = RegionFormat.read(bytes, file: name, options: options)
    collector.warnOfMissingNames()
    if let failure = collector.failure { throw failure }
    return collector.file
  }

  /// Reads a file for all that is wrong with it; the regions are those that are good.
  ///
  /// - Throws: `.noInput`, `.noPermission`, `.io` where it can't be read.
  package static func examine(path: String, options: Options = Options()) throws(Failure)
    -> (file: RegionFile, problems: [Failure])
  {
    var options = options
    options.prefersNames = true
    var collector = RegionFormat.read(
      try FileBytes.read(path: path), file: InputFile.name(of: path), options: options)
    collector.warnOfMissingNames()
    return (collector.file, collector.problems)
  }

  /// Whether the id of the region at a place in ``regions`` was made up.
  package func hasMadeUpID(at index: Int) -> Bool { pieces[index].lacks.contains(.id) }

  /// All of ``regions`` as ``feature(at:)`` gives them.
  package func features() throws(Failure) -> [RegionFeature] {
    var features: [RegionFeature] = []
    features.reserveCapacity(regions.count)
    for index in regions.indices { features.append(try feature(at: index)) }
    return features
  }

  /// The region at a place in ``regions`` as a GeoJSON Feature, with ids and radii that were made up for it.
  package func feature(at index: Int) throws(Failure) -> RegionFeature {
    let (region, piece) = (regions[index], pieces[index])
    var changes = FeatureText.Changes()
    if piece.lacks.contains(.id) { changes.id = region.id }
    if piece.lacks.contains(.radius), case .circle(_, let radius) = region.shape {
      changes.properties = [(RegionProperty.radiusMeters.rawValue, JSONText.number(radius))]
    }
    let text = source[piece.start..<(piece.start + Int(piece.length))]
    do {
      let bytes = try FeatureText.make(from: text, changes, isBare: piece.lacks.contains(.feature))
      return RegionFeature(
        region: region, tags: tags[index] ?? [], geoJSON: String(decoding: bytes, as: UTF8.self))
    } catch {
      // What was read once can be read again.
      throw Failure(.software, file: name, what: "region \"\(region.id)\" changed while it was read")
    }
  }
}

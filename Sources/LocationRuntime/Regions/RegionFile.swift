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
    /// The radius of a point that names none, metres; nil refuses such a point.
    package var defaultRadiusMeters: Double?
    package init(defaultRadiusMeters: Double? = nil) { self.defaultRadiusMeters = defaultRadiusMeters }
  }

  /// In the order of the file; their ids are unique.
  package var regions: [Region] = []
  /// What the file holds and no region was made of, a line each.
  package var leftOut: [String] = []
  /// What is probably not meant as it is written, a line each.
  package var warnings: [String] = []

  /// Reads a file; `-` is standard input.
  ///
  /// - Throws: 66 where there is no such file, 74 where it can't be read, 65 where it does not hold good
  ///   regions: the first problem with its place, and how many more there are.
  package static func read(path: String, options: Options = Options()) throws(Failure) -> RegionFile {
    try read(
      bytes: try FileBytes.read(path: path), name: path == "-" ? "<stdin>" : path, options: options)
  }

  /// Reads what a file holds.
  ///
  /// - Parameter name: the file, for messages.
  package static func read(bytes: [UInt8], name: String, options: Options = Options()) throws(Failure)
    -> RegionFile
  {
    var reader = GeoJSONReader(bytes, file: name, options: options)
    reader.read()
    if let failure = reader.failure { throw failure }
    return RegionFile(regions: reader.regions, leftOut: reader.leftOut, warnings: reader.warnings)
  }
}

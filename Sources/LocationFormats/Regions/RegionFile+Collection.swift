import LocationCore

extension RegionFile {
  /// Refuses files that share an id.
  ///
  /// - Throws: `.data` for the first region that an earlier file has too.
  package static func refuseDuplicates(_ files: [RegionFile]) throws(Failure) {
    guard files.count > 1 else { return }
    var homes: [String: String] = [:]
    for file in files {
      for region in file.regions {
        if let home = homes.updateValue(file.name, forKey: region.id) {
          throw Failure(
            .data, file: file.name, what: "region \"\(region.id)\" is in \(home) too",
            remedy: "ids are unique")
        }
      }
    }
  }

  /// Writes a GeoJSON FeatureCollection, a feature a line.
  ///
  /// - Throws: `.io`.
  package func writeCollection(to output: borrowing OutputFile) throws(Failure) {
    var bytes = Array(#"{"type":"FeatureCollection","features":["#.utf8)
    for index in regions.indices {
      bytes += Array((index == 0 ? "\n" : ",\n").utf8)
      bytes += Array(try feature(at: index).geoJSON.utf8)
      if bytes.count > Self.blockBytes {
        try output.write(bytes)
        bytes.removeAll(keepingCapacity: true)
      }
    }
    try output.write(bytes + Array("\n]}\n".utf8))
  }

  private static let blockBytes = 1 << 16
}

import LocationCore
import LocationRuntime

/// What several commands make of their options.
extension Region {
  /// Refuses regions of which two have the same id.
  static func refuseDuplicates(among regions: [Region]) throws(Failure) {
    var seen: Set<String> = []
    for region in regions where !seen.insert(region.id).inserted {
      throw Failure(
        .data, what: "two of the files have a region \"\(region.id)\"", remedy: "give one of them another id")
    }
  }
}

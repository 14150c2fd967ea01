import LocationCore
import LocationRuntime

/// What several commands make of their options.
extension PowerProfile {
  /// The built-in profile of a name.
  static func named(_ name: String) throws(Failure) -> PowerProfile {
    guard let profile = builtIn.first(where: { $0.name == name }) else {
      throw Failure(
        .usage, what: "no power profile is called \"\(name)\"",
        remedy: "there is \(builtIn.map(\.name).joined(separator: ", "))")
    }
    return profile
  }
}

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

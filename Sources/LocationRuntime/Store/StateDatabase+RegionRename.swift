import GRDB
import LocationCore
package import LocationFormats

extension StateDatabase {
  /// Who names a region.
  package struct RegionUsers: Hashable, Sendable {
    /// Names of subscribers, in their order.
    package var subscribers: [String] = []
    /// Names of outlets, in their order.
    package var outlets: [String] = []
  }

  /// Gives a region a new id, also in the subscribers and outlets that name it: all of that is done, or nothing.
  ///
  /// - Parameters:
  ///   - was: the Feature that was read.
  ///   - file: the one region, with its new id.
  /// - Returns: those that name it.
  /// - Throws: as ``replace(_:as:with:)``.
  package func rename(
    _ id: String, as was: RegionFeature, with file: RegionFile
  ) throws(Failure) -> RegionUsers {
    let feature = try file.feature(at: 0)
    func renamed(_ regions: [String]?) -> [String]? {
      guard let regions, regions.contains(id) else { return nil }
      return regions.map { $0 == id ? feature.region.id : $0 }
    }
    return try write { database in
      try replace(id, as: was, with: feature, database)
      // What waits has the old id.
      let newest = try Int.fetchOne(database, sql: "SELECT coalesce(max(id), 0) FROM events") ?? 0
      let former = FormerRegion(id: id, through: newest)
      var users = RegionUsers()
      for var subscriber in try Self.subscribers(database).map(\.subscriber) {
        guard let regions = renamed(subscriber.regions) else { continue }
        let oldest = try Int.fetchOne(
          database, sql: "SELECT min(event) FROM outbox WHERE subscriber = ?", arguments: [subscriber.name])
        subscriber.regions = regions
        subscriber.formerRegions =
          (subscriber.formerRegions ?? []).filter { $0.through >= oldest ?? .max } + [former]
        try database.execute(
          sql: "UPDATE subscribers SET manifest = ? WHERE name = ?",
          arguments: [try ExactEncoder.tree(of: subscriber).text, subscriber.name])
        users.subscribers.append(subscriber.name)
      }
      for var outlet in try Self.outletSettings(database) {
        guard let regions = renamed(outlet.regions) else { continue }
        let cursor =
          try Int.fetchOne(
            database, sql: "SELECT cursor FROM outlets WHERE name = ?", arguments: [outlet.name]) ?? 0
        outlet.regions = regions
        outlet.formerRegions = (outlet.formerRegions ?? []).filter { $0.through > cursor } + [former]
        try database.execute(
          sql: "UPDATE outlet_settings SET settings = ? WHERE name = ?",
          arguments: [try ExactEncoder.tree(of: outlet).text, outlet.name])
        users.outlets.append(outlet.name)
      }
      return users
    }
  }
}

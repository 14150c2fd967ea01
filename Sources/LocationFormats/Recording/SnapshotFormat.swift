package import LocationCore

/// Snapshots of an engine as JSON, in every version that was written.
///
/// | version | members |
/// | --- | --- |
/// | 1, without a member `version` | `configuration`, `state`, `regions`; parts of the state repeat their settings (0.1.0) |
/// | 2 | `version`, `state`, `regions`; the settings stand beside the snapshot, once |
///
/// A new member is optional, or has a default in its decoder: older snapshots then still open. Whoever renames a member, or
/// gives it another meaning, raises the version and adds a migration. `SnapshotFormatTests` opens stored snapshots of each
/// version, and holds the members of the present one against a golden.
package enum SnapshotFormat {
  /// The version that is written.
  package static let version = 2

  /// Why a snapshot can't be read.
  package enum Trouble: Error {
    /// It was written by a later version of locwatch.
    case later(version: Int)
    /// It is none.
    case unreadable
  }

  /// Each takes a snapshot of a version, beginning with 1, to the next.
  private static let migrations: [@Sendable (inout [JSONTree.Member]) -> Void] = [
    { members in members.removeAll { $0.key == "configuration" } }
  ]

  /// A snapshot without its settings.
  package static func tree(of snapshot: EngineSnapshot) throws -> JSONTree {
    let head = [JSONTree.Member(key: "version", value: .integer(version))]
    guard case .object(let members) = try ExactEncoder.tree(of: snapshot.stored) else {
      throw Trouble.unreadable
    }
    return .object(head + members)
  }

  /// The snapshot in a tree.
  ///
  /// - Parameter configuration: to which it refers.
  package static func snapshot(
    of tree: JSONTree, configuration: EngineConfiguration
  ) throws(Trouble) -> EngineSnapshot {
    guard case .object(var members) = tree else { throw .unreadable }
    var found = 1
    if let text = tree["version"] {
      guard case .number(let number) = text, let version = Int(number), version > 1 else { throw .unreadable }
      found = version
    }
    guard found <= version else { throw .later(version: found) }
    for migrate in migrations[(found - 1)...] { migrate(&members) }
    do {
      let stored = try ExactDecoder.value(
        EngineSnapshot.Stored.self, of: .object(members), settings: EngineSettings(configuration))
      return EngineSnapshot(stored, configuration: configuration)
    } catch {
      throw .unreadable
    }
  }

  /// Settings as they stand beside a snapshot, or in one of version 1; what is not named is as by default.
  package static func configuration(of tree: JSONTree) throws(Trouble) -> EngineConfiguration {
    do {
      let base = try ExactEncoder.tree(of: EngineConfiguration.standard)
      return try ExactDecoder.value(EngineConfiguration.self, of: tree.over(base))
    } catch {
      throw .unreadable
    }
  }
}

extension EngineSnapshot {
  /// The engine it was taken of, under its configuration.
  ///
  /// - Throws: ``Failure`` of code 65 where it was taken of none.
  package func restored() throws(Failure) -> Engine {
    do {
      return try Engine(restoring: self)
    } catch {
      throw Failure(.data, what: "a snapshot with a region that is none: \(error)")
    }
  }

  /// The same state under other settings.
  package func configured(_ configuration: EngineConfiguration) -> EngineSnapshot {
    var snapshot = self
    let old = snapshot.configuration
    if (old.sampling, old.profile) != (configuration.sampling, configuration.profile) {
      snapshot.forgetNeeds()
    }
    snapshot.configuration = configuration
    return snapshot
  }
}

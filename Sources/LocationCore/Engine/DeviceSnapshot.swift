/// What an engine without subscribers has to remember between two fixes: what survives of one device among many.
///
/// It leaves out programs, energy and the receiver's plan, which do not affect anything such an engine records, and the
/// regions, which the catalog has. So it takes about a kilobyte.
public struct DeviceSnapshot: Hashable, Sendable, Codable {
  /// The version of this format that is written.
  public static let version = 1

  /// The version of the format in which it was written.
  public let version: Int
  var gate: FixGate
  var significant: SignificantChange
  var visits: VisitMonitor
  var regions: RegionSnapshot
  var instant: EngineInstant
  var nextID: Int
  var isBroken: Bool
  /// Position reports so far.
  public let fixes: Int
  /// Reports believed so far.
  public let accepted: Int
  /// The last fix believed; nil before the first.
  public let last: Fix?
}

extension Engine {
  /// What it has to remember where nothing but its records matters: of an engine without subscribers whose receiver is
  /// always on.
  public var deviceSnapshot: DeviceSnapshot {
    DeviceSnapshot(
      version: DeviceSnapshot.version, gate: state.gate, significant: state.significant, visits: state.visits,
      regions: regions.snapshot(regions: []), instant: state.instant, nextID: state.nextID,
      isBroken: state.isBroken, fixes: state.tally.fixes, accepted: state.tally.accepted,
      last: state.gate.last)
  }

  /// The engine that goes on where the snapshot was taken, with settings and regions that it shares with others. What
  /// the snapshot knows of regions that are not in the catalog is dropped.
  public init(restoring snapshot: DeviceSnapshot, settings: EngineSettings, catalog: RegionCatalog) {
    self.init(settings: settings, catalog: catalog)
    state.gate = snapshot.gate
    state.significant = snapshot.significant
    state.visits = snapshot.visits
    state.gate.share(settings.gate)
    state.significant.share(settings.significant)
    state.visits.share(settings.visits)
    state.instant = snapshot.instant
    turn.instant = snapshot.instant
    state.nextID = snapshot.nextID
    state.isBroken = snapshot.isBroken
    state.tally.restore(fixes: snapshot.fixes, accepted: snapshot.accepted)
    regions = RegionMonitor(settings.regions, catalog, restoring: snapshot.regions)
    refreshDeadline()
  }

  /// Watches the regions of another catalog from now on.
  ///
  /// - Parameters:
  ///   - added: the ids of regions that are new in the catalog, or have another outline.
  ///   - changed: the ids of those that differ in something else: their visits go on.
  public mutating func watch(_ catalog: RegionCatalog, added: [String], changed: [String]) {
    var known = regions.snapshot(regions: [])
    if !added.isEmpty { known.forget(Set(added)) }
    regions = RegionMonitor(settings.regions, catalog, restoring: known)
    regions.expect(added)
    for id in changed { regions.takeTerms(of: id, at: state.instant) }
    refreshDeadline()
  }
}

extension EngineSettings {
  /// The piece of the settings that has a type: what a decoder gives where a snapshot refers to settings; nil for any
  /// other type.
  package func piece<Value>(_ type: Value.Type) -> Value? {
    if type == Shared<FixGate.Configuration>.self { return gate as? Value }
    if type == Shared<SignificantChange.Configuration>.self { return significant as? Value }
    if type == Shared<VisitConfiguration>.self { return visits as? Value }
    if type == Shared<Policy.Configuration>.self { return policy as? Value }
    if type == Shared<PowerProfile>.self { return profile as? Value }
    return nil
  }

  /// Whether values of a type are settings, to which a snapshot only refers.
  package static func isPiece<Value>(_ type: Value.Type) -> Bool {
    type == Shared<FixGate.Configuration>.self || type == Shared<SignificantChange.Configuration>.self
      || type == Shared<VisitConfiguration>.self || type == Shared<Policy.Configuration>.self
      || type == Shared<PowerProfile>.self
  }
}

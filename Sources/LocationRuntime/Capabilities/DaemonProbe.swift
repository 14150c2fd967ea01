package import LocationFormats

/// Where the fixes of a running daemon come from, and whether they do.
package struct DaemonProbe: Sendable {
  /// Its source.
  let address: SourceAddress
  /// Whether there are live fixes.
  let fixes: Capability

  /// Reads what `locwatch status` tells; nil where no daemon runs.
  package init?(status: JSONTree) {
    guard let text = status["daemon"]?["gpsd"]?.string, let address = try? SourceAddress(source: text) else {
      return nil
    }
    self.address = address
    if status["stale"] == .boolean(false) {
      fixes = Capability(Self.name, .yes, "the daemon has them from \(address)")
    } else {
      let state = status["source"]?["state"]?.string ?? "searching"
      fixes = Capability(
        Self.name, .no, "the daemon has none from \(address): \(state)", remedy: "locwatch status tells more")
    }
  }

  private static let name = "live-fixes"

  /// What was found of gpsd, as the daemon knows better: a daemon that reads another source needs none.
  func corrected(_ found: [Capability]) -> [Capability] {
    let isGPSD = address.traits.isGPSD
    guard fixes.state == .yes || !isGPSD else { return found }
    return found.map { capability in
      switch capability.name {
      case Self.name: return fixes
      case "gpsd" where capability.state == .no && !isGPSD:
        return Capability("gpsd", .no, "\(capability.detail); the daemon reads \(address)")
      case _: return capability
      }
    }
  }
}

package import LocationFormats

/// Something that works on this machine, or does not, and why.
package struct Capability: Hashable, Sendable {
  /// Whether it works.
  package enum State: String, Hashable, Sendable {
    case yes
    /// In part, or by a lesser way.
    case partly
    case no
  }

  /// What it is called; stable.
  package var name: String
  /// Whether it works.
  package var state: State
  /// How it works, or why not.
  package var detail: String
  /// What to do about it; nil where there is nothing to do.
  package var remedy: String?

  package init(_ name: String, _ state: State, _ detail: String, remedy: String? = nil) {
    self.name = name
    self.state = state
    self.detail = detail
    self.remedy = remedy
  }
}

/// What works on this machine (rule A6).
public struct Capabilities: Sendable {
  let all: [Capability]

  /// Looks at everything. Asking gpsd may take some seconds.
  ///
  /// - Parameters:
  ///   - address: where gpsd is asked; nil for the daemon's, or this machine's.
  ///   - status: what `locwatch status` tells, where that counts.
  ///   - notifyHook: the command of the settings that shows notifications; empty where there is none.
  package static func look(
    gpsd address: SourceAddress?, status: JSONTree? = nil, notifyHook: [String] = []
  ) async throws(Failure) -> Capabilities {
    let daemon = address == nil ? status.flatMap { DaemonProbe(status: $0) } : nil
    let own = daemon.flatMap { $0.address.traits.isGPSD ? $0.address : nil }
    let all = try await DedicatedThread.run {
      let gpsd = GPSDProbe.look(at: address ?? own ?? .local)
      let machine = BusNames(.system)
      let found =
        (daemon?.corrected(gpsd) ?? gpsd) + MachineProbe.look(machine) + SuspensionProbe.look()
      return found
        + ServiceProbe(machine: machine, session: BusNames(.session), notifyHook: notifyHook)
        .look(found)
    }
    return Capabilities(all: all)
  }

  /// A table for people, each remedy below what it is for.
  public var text: String {
    let rows = all.flatMap { capability -> [[String]] in
      let row = [capability.name, capability.state.rawValue, capability.detail]
      return [row] + (capability.remedy.map { [["", "", "to do: \($0)"]] } ?? [])
    }
    return TextTable(header: ["CAPABILITY", "WORKS", "HOW, OR WHY NOT"], rows: rows).text
  }

  /// One JSON object.
  public var json: String {
    let rows = all.map { capability -> JSONTree in
      .object([
        "name": .string(capability.name), "works": .string(capability.state.rawValue),
        "detail": .string(capability.detail), "remedy": capability.remedy.map { .string($0) },
      ])
    }
    return JSONTree.object(["v": .integer(1), "capabilities": .array(rows)]).text
  }
}

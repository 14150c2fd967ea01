public import LocationFormats

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
  public static func look(gpsd address: SourceAddress) async throws(Failure) -> Capabilities {
    let all = try await DedicatedThread.run {
      let found = GPSDProbe.look(at: address) + MachineProbe.look() + SuspensionProbe.look()
      return found + ServiceProbe.look(found)
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

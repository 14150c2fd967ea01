package import LocationCore

/// A region as one line of NDJSON, or as text for people.
package struct RegionRecord: Sendable {
  private let region: Region
  private let tags: [String]
  private let state: RegionState?
  private let units: MeasureUnits

  /// - Parameters:
  ///   - state: where the position is; nil leaves it out.
  ///   - units: those of the texts.
  package init(_ feature: RegionFeature, state: RegionState? = nil, in units: MeasureUnits = .metric) {
    region = feature.region
    tags = feature.tags
    self.state = state
    self.units = units
  }

  /// One JSON object.
  package func write(to line: inout JSONLine) {
    line.open()
    line.member("id", region.id)
    line.member("name", region.name)
    writeShape(to: &line)
    line.member("notify", notify)
    if region.notify.contains(.dwell) {
      line.member("dwell_s", region.dwellSeconds, decimals: FixedPoint.thousandths)
    }
    line.member("exit_delay_s", region.exitDelaySeconds, decimals: FixedPoint.thousandths)
    line.member("max_latency_s", region.maxLatencySeconds, decimals: FixedPoint.thousandths)
    line.member("initial", region.initial.rawValue)
    line.member("sensitivity", region.sensitivity?.rawValue)
    if !tags.isEmpty { line.member("tags", tags) }
    line.member("state", state?.rawValue)
    line.close()
  }

  private func writeShape(to line: inout JSONLine) {
    line.member("shape", region.shape.word)
    if case .beacon(let beacon) = region.shape { return line.member("beacon", beacon.text) }
    let middle = region.shape.middle
    line.member("lat", middle.latitude, decimals: FixedPoint.degrees)
    line.member("lon", middle.longitude, decimals: FixedPoint.degrees)
    switch region.shape {
    case .circle(_, let radiusMeters): line.member("radius_m", radiusMeters, decimals: FixedPoint.meters)
    case .corridor(let places, let bufferMeters):
      line.member("buffer_m", bufferMeters, decimals: FixedPoint.meters)
      line.member("vertices", places.count)
    case .beacon: break
    case .polygon, .multiPolygon:
      let polygons = region.shape.polygons
      line.member("polygons", polygons.count)
      line.member("holes", polygons.reduce(0) { $0 + $1.holes.count })
      line.member("vertices", polygons.reduce(0) { $1.holes.reduce($0 + $1.shell.count) { $0 + $1.count } })
    }
  }

  private var notify: [String] {
    RegionDraft.notifyWords.filter { region.notify.contains($0.notify) }.map(\.word)
  }

  /// `enter, exit, dwell after 5 min`
  private var notifyText: String {
    let words = notify.map { $0 == "dwell" ? "dwell after \(Wording.duration(region.dwellSeconds))" : $0 }
    return words.isEmpty ? "nothing" : words.joined(separator: ", ")
  }

  /// The cells of ``header``.
  package var row: [String] {
    [
      region.id, region.name ?? "", region.shape.described(in: units), notifyText,
      tags.joined(separator: ", "),
    ]
  }

  /// The head of a table of ``row``s.
  package static let header = ["ID", "NAME", "SHAPE", "NOTIFY", "TAGS"]

  /// Several lines that say everything.
  package var text: String {
    var rows: [[String]] = []
    if let name = region.name { rows.append(["name", name]) }
    rows.append(["shape", region.shape.described(in: units)])
    rows.append(["notify", notifyText])
    if region.exitDelaySeconds > 0 {
      rows.append(["exit delay", Wording.duration(region.exitDelaySeconds)])
    }
    if let latency = region.maxLatencySeconds { rows.append(["max latency", Wording.duration(latency)]) }
    rows.append(["initial", region.initial.rawValue])
    if let sensitivity = region.sensitivity { rows.append(["sensitivity", sensitivity.rawValue]) }
    if !tags.isEmpty { rows.append(["tags", tags.joined(separator: ", ")]) }
    if let state { rows.append(["state", state.rawValue]) }
    return TextTable.cell(region.id) + "\n" + TextTable(rows: rows, indent: "  ").text
  }
}

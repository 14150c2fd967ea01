package import LocationCore

/// Something in regions that is allowed, and probably not meant.
package struct RegionFinding: Hashable, Sendable {
  /// What kind of thing it is; stable.
  package enum Kind: String, Hashable, Sendable {
    case swapped
    case smallRadius = "small-radius"
    case noEvent = "no-event"
    case leftOut = "left-out"
    case property
  }

  /// The region; nil where it is about none.
  package var region: String?
  /// What kind of thing it is.
  package var kind: Kind
  /// What, and what to do about it.
  package var text: String

  /// The 68 % radius of an ordinary receiver, metres: what ``Accuracy/assumed(_:)`` takes for one that states
  /// none, 11.8 m, rounded up.
  package static let typicalAccuracyMeters = 12.0

  /// Below this radius, metres, an ordinary receiver often can't tell inside from outside.
  package static let leastRadiusMeters = 2 * typicalAccuracyMeters

  /// What is to be said of a file or a store.
  ///
  /// - Parameter known: where the device is, as far as anybody knows.
  package static func find(in file: RegionFile, near known: [Coordinate] = []) -> [RegionFinding] {
    var findings = file.leftOut.map { RegionFinding(region: nil, kind: .leftOut, text: $0) }
    findings += file.warnings.map { RegionFinding(region: nil, kind: .property, text: $0) }
    let swapped = SwappedCoordinates(file.regions, near: known)
    for region in file.regions {
      findings += about(region)
      if let text = swapped.finding(region) {
        findings.append(RegionFinding(region: region.id, kind: .swapped, text: text))
      }
    }
    return findings
  }

  private static func about(_ region: Region) -> [RegionFinding] {
    var findings: [RegionFinding] = []
    func note(_ kind: Kind, _ text: String) {
      findings.append(RegionFinding(region: region.id, kind: kind, text: text))
    }
    switch region.shape {
    // The message shows whole metres, so whole metres are compared.
    case .circle(_, let radius):
      if radius.rounded() < leastRadiusMeters {
        note(.smallRadius, small("its radius of \(Wording.distance(radius, in: .metric))"))
      }
    case .corridor(_, let buffer):
      if buffer.rounded() < leastRadiusMeters {
        note(.smallRadius, small("its buffer of \(Wording.distance(buffer, in: .metric))"))
      }
    case .beacon: break
    case .polygon, .multiPolygon:
      if holdsEverything(region.shape) { note(.noEvent, "it holds the whole Earth, so it is never left") }
    }
    if region.notify.isEmpty { note(.noEvent, "its notify list is empty, so nothing is ever told of it") }
    if region.notify == .exit, region.exitDelaySeconds >= Self.foreverSeconds {
      note(
        .noEvent,
        "it tells of exits alone, and holds them back for \(Wording.duration(region.exitDelaySeconds))")
    }
    if region.notify == .dwell, region.dwellSeconds >= Self.foreverSeconds {
      note(.noEvent, "it tells of dwelling alone, after \(Wording.duration(region.dwellSeconds))")
    }
    if !region.notify.isEmpty, !region.notify.contains(.dwell),
      region.dwellSeconds != Region.usualDwellSeconds
    {
      note(
        .property,
        "its dwell_s of \(Wording.duration(region.dwellSeconds)) does nothing, because its notify list has no dwell"
      )
    }
    return findings
  }

  private static func small(_ what: String) -> String {
    "\(what) is below \(Wording.distance(leastRadiusMeters, in: .metric)), twice what an ordinary receiver errs by;"
      + " it may be entered late or never"
  }

  /// Whether a shape is all longitudes from pole to pole: a ring with all four corners, and others on its sides alone.
  private static func holdsEverything(_ shape: Region.Shape) -> Bool {
    let corners = [(-90.0, -180.0), (-90, 180), (90, 180), (90, -180)]
    return shape.polygons.contains { polygon in
      polygon.holes.isEmpty
        && polygon.shell.allSatisfy { abs($0.longitude) == 180 || abs($0.latitude) == 90 }
        && corners.allSatisfy { (latitude, longitude) in
          polygon.shell.contains { $0.latitude == latitude && $0.longitude == longitude }
        }
    }
  }

  /// No visit is that long: ten years.
  private static let foreverSeconds = 3652.0 * 86_400

  /// One JSON object.
  package func write(to line: inout JSONLine) {
    line.open()
    line.member("region", region)
    line.member("finding", kind.rawValue)
    line.member("text", text)
    line.close()
  }

  /// For people.
  package var line: String { TextTable.cell((region.map { "\"\($0)\": " } ?? "") + text) }
}

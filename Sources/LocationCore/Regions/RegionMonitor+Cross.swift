/// The fixes inside a region that has not been entered yet, and the last fix before them.
///
/// Should the position leave before the evidence suffices, they were a passage if the way led through.
struct RegionApproach: Hashable, Sendable, Codable {
  var before: RegionFix
  var first: RegionFix
  var last: RegionFix
}

extension RegionMonitor {
  /// Tells of regions that the straight way from the last fix to this one leads through, neither being inside.
  mutating func probeBetween(_ last: RegionFix, _ fix: RegionFix, into events: inout [RegionEvent]) {
    guard isTravelled(from: last, to: fix) else { return }
    let way = Segment(from: last.coordinate, to: fix.coordinate)
    catalog.find(in: way.box, into: &found)
    for slot in found where notifies(slot, .cross) && state(in: slot) == .outside {
      let shape = catalog[slot].shape
      let edge = shape.edgeMeters(at: fix.coordinate)
      guard edge > 0, shape.edgeMeters(at: last.coordinate) > 0, let passage = shape.passage(along: way)
      else { continue }
      let seconds = last.instant.seconds(to: fix.instant)
      let entered = last.instant.advanced(bySeconds: passage.entered * seconds)
      let left = last.instant.advanced(bySeconds: passage.left * seconds)
      appendCross(
        slot, fix, edge, at: way.place(0.5 * (passage.entered + passage.left)),
        RegionEvent.Passage(entered: entered, left: left), into: &events)
    }
  }

  /// Whether the way between two fixes is sure to have been travelled, and straight.
  private func isTravelled(from last: RegionFix, to fix: RegionFix) -> Bool {
    let seconds = last.instant.seconds(to: fix.instant)
    guard !last.beforeGap, seconds > 0, seconds <= configuration.crossGapSeconds else { return false }
    let meters = Geodesy.distanceMeters(last.coordinate, fix.coordinate)
    return meters >= configuration.crossSigmas * (last.sigmaMeters + fix.sigmaMeters)
      && meters <= configuration.crossMetersPerSecond * seconds
  }

  /// Keeps the fixes inside a region that is not entered yet; tells of the passage when they end outside.
  mutating func followApproach(
    _ slot: RegionSlot, _ fix: RegionFix, _ edgeMeters: Double, into events: inout [RegionEvent]
  ) {
    let place = approaches.firstIndex { $0.slot == slot }
    guard state(in: slot) == .outside else {
      if let place { approaches.remove(at: place) }
      return
    }
    guard edgeMeters > 0 else {
      if let place {
        approaches[place].approach.last = fix
      } else if let before = lastFix, !before.beforeGap {
        approaches.append((slot, RegionApproach(before: before, first: fix, last: fix)))
      }
      return
    }
    guard let place else { return }
    let approach = approaches.remove(at: place).approach
    guard isTravelled(from: approach.before, to: fix) else { return }
    let way = Segment(from: approach.before.coordinate, to: fix.coordinate)
    let shape = catalog[slot].shape
    guard shape.edgeMeters(at: approach.before.coordinate) > 0, shape.passage(along: way) != nil else {
      return
    }
    let passage = RegionEvent.Passage(
      entered: crossing(shape, from: approach.before, to: approach.first),
      left: crossing(shape, from: fix, to: approach.last))
    appendCross(slot, fix, edgeMeters, at: approach.first.coordinate, passage, into: &events)
  }

  /// When the way from a fix outside to one inside meets the edge.
  private func crossing(
    _ shape: ShapeGeometry, from outside: RegionFix, to inside: RegionFix
  ) -> EngineInstant {
    let way = Segment(from: outside.coordinate, to: inside.coordinate)
    var low = 0.0
    var high = 1.0
    for _ in 0..<30 {
      let middle = 0.5 * (low + high)
      if shape.edgeMeters(at: way.place(middle)) > 0 { low = middle } else { high = middle }
    }
    return outside.instant.advanced(bySeconds: high * outside.instant.seconds(to: inside.instant))
  }

  private mutating func appendCross(
    _ slot: RegionSlot, _ fix: RegionFix, _ edgeMeters: Double, at deepest: Coordinate,
    _ passage: RegionEvent.Passage, into events: inout [RegionEvent]
  ) {
    evidence.countPassage(slot)
    let shape = catalog[slot].shape
    let depth = shape.edgeMeters(at: deepest)
    events.append(
      RegionEvent(
        kind: .cross, region: catalog[slot].terms.id, visit: Int(evidence.visits(of: slot)),
        instant: fix.instant, coordinate: fix.coordinate, accuracy: fix.accuracy, edgeMeters: edgeMeters,
        confidence: shape.probabilityInside(
          at: deepest, edgeMeters: depth, sigmaMeters: fix.sigmaMeters),
        reason: .interpolated, passage: passage))
  }
}

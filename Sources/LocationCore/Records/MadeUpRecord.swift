extension Record {
  /// A record of an event that has not happened, for trying what a command makes of it. Its id is 0.
  ///
  /// - Parameters:
  ///   - region: the region it is about; nil for an event that is about none.
  ///   - coordinate: where the device is taken to be.
  ///   - edgeMeters: from there to the region's edge, negative inside.
  ///   - staySeconds: how long the device was in the region or at the place, of an event that tells it.
  package static func madeUp(
    _ kind: EventKind, region: String?, at coordinate: Coordinate, edgeMeters: Double, staySeconds: Double,
    time: UTCTime
  ) -> Record {
    let instant = EngineInstant(microseconds: time.microseconds)
    let accuracy = Accuracy(radiusMeters: madeUpAccuracyMeters, source: .reported)
    func event(_ kind: RegionEvent.Kind, _ reason: RegionEvent.Reason) -> Body {
      .region(
        RegionEvent(
          kind: kind, region: region ?? "", visit: 1, instant: instant, coordinate: coordinate,
          accuracy: accuracy, edgeMeters: edgeMeters, confidence: 1, reason: reason,
          insideSeconds: kind == .exit || kind == .dwell ? staySeconds : nil,
          passage: kind == .cross
            ? RegionEvent.Passage(entered: instant.advanced(bySeconds: -1), left: instant) : nil))
    }
    func visit(_ kind: VisitEvent.Kind, _ reason: VisitEvent.Reason) -> Body {
      .visit(
        VisitEvent(
          kind: kind, visit: 1, instant: instant, coordinate: coordinate, radiusMeters: madeUpAccuracyMeters,
          arrived: time.advanced(bySeconds: -staySeconds), departed: kind == .depart ? time : nil, seen: time,
          reason: reason))
    }
    let body: Body =
      switch kind {
      case .enter: event(.enter, .clear)
      case .exit: event(.exit, .clear)
      case .dwell: event(.dwell, .dwelled)
      case .cross: event(.cross, .interpolated)
      case .arrive: visit(.arrive, .stayed)
      case .leave: visit(.depart, .left)
      case .move:
        .significant(
          SignificantChangeEvent(
            fix: Fix(time: time, instant: instant, coordinate: coordinate, accuracy: accuracy),
            instant: instant, previous: nil, movedMeters: nil, sinceSeconds: nil, suppressed: 0,
            reason: .initial))
      }
    return Record(id: 0, time: time, body: body)
  }

  private static let madeUpAccuracyMeters = 5.0
}

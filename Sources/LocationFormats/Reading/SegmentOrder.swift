import LocationCore

/// The order of a track's segments and of the points in each. Some programs write the newest first.
enum SegmentOrder {
  /// What became of the segments of a track.
  enum Outcome: Hashable {
    /// They stand in the order of time, or nothing is known of it.
    case kept
    /// They stood in another order, and one begins after another ends.
    case sorted
    /// They overlap in time, so that no order of them is that of time.
    case overlapping
  }

  /// The most that is read as a whole, from a file or a pipe, to look at the order of its segments, bytes; packed ones
  /// count as packed.
  static let mostBytes = 16 << 20
  /// The most items.
  static let mostItems = 500_000
  /// Points of a first segment in the order of time after which nothing is looked for: more than a day of a fix a second,
  /// and programs that write the newest first begin a segment at least each day.
  static let longItems = 100_000

  /// One segment.
  private struct Segment {
    var items: Range<Int>
    var first: UTCTime?
    var last: UTCTime?

    mutating func note(_ time: UTCTime?) {
      guard let time else { return }
      first = first ?? time
      last = last.map { max($0, time) } ?? time
    }
  }

  /// Whether the times go backwards from the first to the last.
  static func runsBackwards(_ items: [TrackItem]) -> Bool {
    let times = items.lazy.compactMap { if case .fix(let report) = $0 { report.time } else { nil } }
    guard let first = times.first, let last = times.last else { return false }
    return last < first
  }

  /// Turns each segment round whose points stand with the newest first. What was written like that is a program's list,
  /// not what a receiver said one after another, so points that then still stand before earlier ones are moved behind
  /// them: such lists come in pages.
  ///
  /// Beside such a segment, those that are too short to tell are of the same program.
  ///
  /// - Returns: whether there was one.
  static func turn(_ items: inout [TrackItem]) -> Bool {
    let ranges = segments(of: items).map(\.items)
    guard ranges.contains(where: { isNewestFirst(items[$0]) }) else { return false }
    for range in ranges where isNewestFirst(items[range], leastSteps: 1) {
      items[range].reverse()
      sortPoints(&items[range])
    }
    return true
  }

  /// Puts the points of one segment into the order of time, if all have one.
  private static func sortPoints(_ items: inout ArraySlice<TrackItem>) {
    var keyed: [(time: UTCTime, place: Int)] = []
    for (place, item) in zip(items.indices, items) {
      guard case .fix(let report) = item, let time = report.time else { return }
      keyed.append((time, place))
    }
    keyed.sort { ($0.time, $0.place) < ($1.time, $1.place) }
    let sorted = keyed.map { items[$0.place] }
    items.replaceSubrange(items.indices, with: sorted)
  }

  /// At least three steps back, and nine for each forward: one clock that is set back is not enough.
  static func isNewestFirst(_ items: ArraySlice<TrackItem>, leastSteps: Int = 3) -> Bool {
    var back = 0
    var forward = 0
    var last: UTCTime?
    for case .fix(let report) in items {
      guard let time = report.time else { continue }
      if let before = last {
        if time < before { back += 1 } else if time > before { forward += 1 }
      }
      last = time
    }
    return back >= leastSteps && back > 9 * forward
  }

  /// Whether a track begins with one segment in the order of time.
  static func isOneInOrder(_ items: [TrackItem]) -> Bool {
    !items.contains { if case .segmentBreak = $0 { true } else { false } } && !isNewestFirst(items[...])
  }

  /// Puts the segments into the order of time, where that gives one.
  static func sort(_ items: inout [TrackItem]) -> Outcome {
    let segments = segments(of: items)
    guard segments.count > 1, !isInOrder(segments) else { return .kept }
    // A segment without times stays behind the one before it.
    var keyed: [(begin: UTCTime?, place: Int)] = []
    for (place, segment) in segments.enumerated() {
      keyed.append((segment.first ?? keyed.last?.begin, place))
    }
    keyed.sort { one, other in
      guard let begin = one.begin, let otherBegin = other.begin, begin != otherBegin else {
        return one.place < other.place
      }
      return begin < otherBegin
    }
    let sorted = keyed.map { segments[$0.place] }
    guard isInOrder(sorted) else { return .overlapping }
    var ordered: [TrackItem] = []
    ordered.reserveCapacity(items.count)
    for segment in sorted {
      if !ordered.isEmpty { ordered.append(.segmentBreak) }
      ordered += items[segment.items]
    }
    items = ordered
    return .sorted
  }

  private static func segments(of items: [TrackItem]) -> [Segment] {
    var segments: [Segment] = []
    var segment = Segment(items: 0..<0)
    for (index, item) in items.enumerated() {
      switch item {
      case .fix(let report): segment.note(report.time)
      case .segmentBreak:
        segment.items = segment.items.lowerBound..<index
        segments.append(segment)
        segment = Segment(items: index + 1..<index + 1)
      }
    }
    segment.items = segment.items.lowerBound..<items.count
    segments.append(segment)
    return segments
  }

  private static func isInOrder(_ segments: [Segment]) -> Bool {
    var last: UTCTime?
    for segment in segments {
      if let first = segment.first, let before = last, first < before { return false }
      last = segment.last ?? last
    }
    return true
  }
}

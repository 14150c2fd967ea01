package import LocationCore

/// Counts the fixes of a track, and gives a time to those that have none where the caller wants it.
package struct Timeline {
  private let options: TrackOptions
  /// Fixes so far.
  package private(set) var fixes = 0
  private var timed = 0
  private var placed = 0
  private var withoutFix = 0
  private var assigns = false
  /// Whether a time would have been after the year 9999.
  private var isOverrun = false

  /// 10000-01-01T00:00:00Z.
  private static let end = UTCTime(microseconds: 253_402_300_800_000_000)

  package init(options: TrackOptions) { self.options = options }

  /// Takes the next items of the track, in their order.
  package mutating func apply(to items: inout [TrackItem], from first: Int) {
    for index in first..<items.count {
      guard case .fix(var report) = items[index] else { continue }
      if !report.latitude.isNaN, !report.longitude.isNaN { placed += 1 }
      if report.mode == .noFix { withoutFix += 1 }
      if report.time != nil {
        timed += 1
      } else if let interval = options.intervalSeconds, assigns || fixes == 0 {
        assigns = true
        let start = options.start ?? TrackOptions.defaultStart
        let time = start.advanced(bySeconds: Double(fixes) * interval)
        if time < Self.end {
          report.time = time
          items[index] = .fix(report)
        } else {
          isOverrun = true
        }
      }
      fixes += 1
    }
  }

  /// Notes on what was assigned, or was to be assigned for nothing.
  package var notes: [String] {
    guard let interval = options.intervalSeconds else { return [] }
    guard assigns else {
      guard timed > 0 else { return [] }
      let lacking = fixes - timed
      return [
        lacking == 0
          ? "the fixes have times: --interval has no effect"
          : "the first fix has a time: --interval gives none to the \(Wording.count(lacking, "point")) without one"
      ]
    }
    let start = options.start ?? TrackOptions.defaultStart
    let lack =
      timed == 0
      ? "no time in the file can be read: the fixes"
      : "\(fixes - timed) of \(fixes) points have no time: they"
    return ["\(lack) stand \(interval) s apart from \(start.rfc3339)"]
  }

  /// What is wrong with the track as a whole, once it has ended; nil where nothing is.
  ///
  /// - Parameter timeTrouble: what is wrong if no point has a time, where that is known better.
  package func failure(file: String, firstPointLine: Int?, timeTrouble: Failure? = nil) -> Failure? {
    guard placed > 0 else {
      // A receiver that says it had no fix tells the truth; a file without a coordinate is no track.
      guard fixes > 0, withoutFix == 0 else { return nil }
      return Failure(
        .data, file: file, line: firstPointLine, what: "no point has a latitude and a longitude",
        remedy: "both have to be numbers, in degrees")
    }
    if isOverrun {
      return Failure(
        .data, file: file, line: firstPointLine, what: "the track ends after the year 9999",
        remedy: "give an earlier --start, or a shorter --interval")
    }
    if timed == 0, !assigns {
      return timeTrouble
        ?? Self.noTime(file: file, firstPointLine: firstPointLine, remedy: options.intervalRemedy)
    }
    return nil
  }

  /// That of a track none of whose points has a time.
  package static func noTime(file: String, firstPointLine: Int? = nil, remedy: String) -> Failure {
    Failure(
      .data, file: file, line: firstPointLine,
      what: "no track point has a time like 2026-05-01T06:00:00Z", remedy: remedy)
  }
}

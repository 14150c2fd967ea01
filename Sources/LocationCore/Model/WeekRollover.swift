/// A receiver's week number begins anew, and its date is off by that.
package enum WeekRollover {
  /// 1024 weeks: GPS transmits ten bits of the week number (IS-GPS-200, 20.3.3.3.1.1).
  package static let seconds = 1024.0 * 7 * 86_400
  /// Seconds by which a step of so many weeks may differ from them: a day, because silence may come on top.
  private static let toleranceSeconds = 86_400.0

  /// The whole rollovers that a difference of two clocks consists of, in seconds; 0 where it is another difference.
  package static func whole(in difference: Double) -> Double {
    let whole = (difference / seconds).rounded() * seconds
    return abs(difference - whole) <= toleranceSeconds ? whole : 0
  }
}

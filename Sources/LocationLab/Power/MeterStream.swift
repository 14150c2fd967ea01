import LocationCore

/// What a meter read, whatever the meter: energy used, as a function of time.
package struct MeterStream: Sendable {
  /// What measured.
  package enum Kind: String, Sendable, CaseIterable {
    case powerSupply = "power_supply"
    case upower
    case rapl
    case ina2xx
    case usb = "usb_meter"
  }

  /// One reading.
  package struct Reading: Sendable, Hashable {
    /// Of the clock that goes on in suspension (CLOCK_BOOTTIME, the first number of /proc/uptime).
    package var seconds: Double
    /// Energy used since some moment before the first reading, joules.
    package var joules: Double
  }

  /// What measured.
  package var kind: Kind
  /// In order of time; what follows a break is a run of its own.
  package private(set) var runs: [[Reading]] = []
  /// The smallest difference between two readings that the meter can show, joules; 0 where readings are of power.
  package var stepJoules = 0.0
  /// 90 % of such meters are right within this factor.
  package var meterSpread: Double
  /// What was left out, and what to beware of.
  package private(set) var notes: [String] = []
  private var isBroken = true

  package init(kind: Kind, meterSpread: Double) {
    self.kind = kind
    self.meterSpread = meterSpread
  }

  /// Adds a reading of the energy used so far.
  mutating func append(seconds: Double, joules: Double) {
    if isBroken || runs.isEmpty { runs.append([]) }
    isBroken = false
    runs[runs.count - 1].append(Reading(seconds: seconds, joules: joules))
  }

  /// What follows does not continue what came before.
  mutating func breakOff() { isBroken = true }

  /// Says something about the log once.
  mutating func note(_ text: String) {
    if !notes.contains(text) { notes.append(text) }
  }

  /// Readings in all runs.
  package var count: Int { runs.reduce(0) { $0 + $1.count } }

  /// The times that it covers without a break, in words: those nearest to a time in question.
  package func ranges(near from: Double, to: Double) -> String {
    let ranges = runs.compactMap { run in
      run.first.flatMap { first in run.last.map { (from: first.seconds, to: $0.seconds) } }
    }.filter { $0.from < $0.to }
    guard !ranges.isEmpty else { return "nothing" }
    let shown = ranges.indices.sorted { one, other in
      let away = (
        Self.seconds(ranges[one], from: from, to: to), Self.seconds(ranges[other], from: from, to: to)
      )
      return (away.0, one) < (away.1, other)
    }.prefix(Self.rangesShown).sorted()
    let texts = shown.map { Wording.number(ranges[$0].from, 0) + " to " + Wording.number(ranges[$0].to, 0) }
    let more = ranges.count > shown.count ? " s, and \(ranges.count - shown.count) more" : " s"
    return texts.joined(separator: ", ") + more
  }

  /// Seconds between a range and another; negative for those that they share.
  private static func seconds(_ range: (from: Double, to: Double), from: Double, to: Double) -> Double {
    max(range.from, from) - min(range.to, to)
  }

  /// How many stretches are named.
  private static let rangesShown = 2

  /// Energy used between two instants, joules; nil where the log does not cover them without a break.
  package func joules(from start: Double, to end: Double) -> Double? {
    for run in runs {
      guard let first = run.first, let last = run.last, first.seconds <= start, last.seconds >= end else {
        continue
      }
      return Self.joules(at: end, in: run) - Self.joules(at: start, in: run)
    }
    return nil
  }

  /// Between two readings energy is taken as used evenly.
  private static func joules(at seconds: Double, in run: [Reading]) -> Double {
    var low = 0
    var high = run.count - 1
    while low < high {
      let middle = (low + high) / 2
      if run[middle].seconds < seconds { low = middle + 1 } else { high = middle }
    }
    let after = run[low]
    guard low > 0, after.seconds > seconds else { return after.joules }
    let before = run[low - 1]
    let share = (seconds - before.seconds) / (after.seconds - before.seconds)
    return before.joules + share * (after.joules - before.joules)
  }
}

/// Adds up readings of power: each holds until the next, averaged with it.
struct PowerIntegral {
  private var last: (seconds: Double, watts: Double)?
  private var joules = 0.0

  /// The energy up to this reading, joules.
  mutating func add(seconds: Double, watts: Double) -> Double {
    if let last { joules += (seconds - last.seconds) * (last.watts + watts) / 2 }
    last = (seconds, watts)
    return joules
  }

  /// What follows does not continue what came before.
  mutating func breakOff() { last = nil }
}

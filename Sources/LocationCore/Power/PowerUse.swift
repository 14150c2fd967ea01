/// What was used, without prices: seconds in each state and numbers of things done.
///
/// Quantities are whole millionths, so that sums are exact however they were split.
public struct PowerUse: Hashable, Sendable, Codable {
  /// Millionths of a second, or of a thing, in the order of ``PowerTerm``'s cases.
  private(set) var millionths = [Int64](repeating: 0, count: PowerTerm.allCases.count)

  /// Nothing used.
  public init() {}

  public init(from decoder: any Decoder) throws {
    millionths = try decoder.container(keyedBy: CodingKeys.self).list(
      for: PowerTerm.self, forKey: .millionths)
  }

  /// Seconds in a state, or a number of things done.
  package subscript(_ term: PowerTerm) -> Double {
    get { Double(millionths[term.rawValue]) * 1e-6 }
    set { millionths[term.rawValue] = Int64(microsecondsIn: newValue) }
  }

  /// Adds millionths of a second, or of a thing.
  mutating func add(_ more: Int64, _ term: PowerTerm) {
    millionths[term.rawValue] = millionths[term.rawValue].saturatingAdd(more)
  }

  /// Calls `take` for each term that was used, with its millionths, in the order of the terms. Then nothing is used.
  mutating func takeAll(_ take: (PowerTerm, Int64) -> Void) {
    for place in millionths.indices where millionths[place] > 0 {
      if let term = PowerTerm(rawValue: place) { take(term, millionths[place]) }
      millionths[place] = 0
    }
  }

  /// Adds what another used.
  public mutating func add(_ other: PowerUse) {
    for term in PowerTerm.allCases { add(other.millionths[term.rawValue], term) }
  }

  /// Seconds the receiver was on.
  public var receiverOnSeconds: Double {
    PowerTerm.allCases.reduce(0) { $1.isReceiverOn ? $0 + self[$1] : $0 }
  }

  /// Energy of one term under a profile, joules.
  package func joules(_ term: PowerTerm, under profile: PowerProfile) -> Double {
    let quantity = self[term]
    return term.price.reduce(0) { $0 + quantity * $1.weight * profile[$1.parameter].value }
  }

  /// Energy of everything under a profile, joules.
  public func joules(under profile: PowerProfile) -> Double {
    PowerTerm.allCases.reduce(0) { $0 + joules($1, under: profile) }
  }

  /// What the whole device takes over `seconds` with this on top, joules.
  public func deviceJoules(overSeconds seconds: Double, under profile: PowerProfile) -> Double {
    joules(under: profile) + seconds * profile[.base].value * 1e-3
  }
}

import LocationCore

/// What a comparison comes to in one sentence: what adaptive sampling finds and uses against a receiver that is always
/// on.
struct PolicyVerdict {
  /// Which policy it is about.
  let policy = ComparedPolicy.adaptive
  /// Region events and moves of the reference that the policy told too.
  let found: Int
  /// Those it did not tell.
  let missed: Int
  /// The receiver's energy as a share of the reference's, 0 to 1.
  let receiverShare: Double
  /// The whole device's energy as a share of the reference's, 0 to 1.
  let deviceShare: Double
  /// Why the receiver found little; nil where it did not.
  let lack: String?

  /// Nil where nothing was used that could be saved.
  init?(_ comparison: Comparison) {
    guard let reference = comparison.results.first,
      let result = comparison.results.first(where: { $0.policy == .adaptive }),
      let compared = comparison.comparison(of: result)
    else { return nil }
    let whole = Self.receiverJoules(reference, comparison.profile)
    guard whole > 0 else { return nil }
    found = result.found + result.movesFound
    missed = result.missed + result.movesMissed
    receiverShare = Self.receiverJoules(result, comparison.profile) / whole
    deviceShare = compared.device.value
    lack = result.receiverLack
  }

  private static func receiverJoules(_ result: PolicyResult, _ profile: PowerProfile) -> Double {
    PowerTerm.allCases.filter { $0.isReceiverOn || $0 == .backup }
      .reduce(0) { $0 + result.use.joules($1, under: profile) }
  }

  /// `both, adaptive: finds all 12 events with 5 % of the receiver's energy; 95 % of the whole device's`
  var text: String {
    let events = missed + found
    let finds =
      events == 0
      ? "there is nothing to find;"
      : missed == 0
        ? "finds \(events == 1 ? "the only event" : "all \(Wording.count(events)) events") with"
        : "finds \(Wording.count(found)) of \(Wording.count(events, "event")) with"
    return "\(policy.title): \(finds) \(Wording.percent(receiverShare)) of the receiver's energy; "
      + "\(Wording.percent(deviceShare)) of the whole device's\(lack.map { "; \($0)" } ?? "")"
  }
}

import LocationCore
import LocationFormats

extension Comparison {
  /// One JSON object; its keys are in `Docs/Wire.md`.
  package var json: String {
    let policies = results.map { result in
      JSONTree.object(
        [.init(key: "policy", value: .string(result.policy.rawValue))] + events(result) + energy(result))
    }
    let tree = JSONTree.object([
      "v": .integer(1), "profile": .string(profile.name),
      "duration_s": .number(Wording.number(results[0].seconds, FixedPoint.thousandths)),
      "policies": .array(policies),
    ])
    return tree.text
  }

  private func events(_ result: PolicyResult) -> [JSONTree.Member] {
    var members: [JSONTree.Member] = []
    func count(_ key: String, _ value: Int) { members.append(.init(key: key, value: .integer(value))) }
    func number(_ key: String, _ value: Double?, _ decimals: Int) {
      if let value { members.append(.init(key: key, value: .number(Wording.number(value, decimals)))) }
    }
    count("found", result.found)
    count("missed", result.missed)
    count("extra", result.extra)
    number("delay_p50_s", PolicyResult.quantile(0.5, result.delays), FixedPoint.thousandths)
    number("delay_p95_s", PolicyResult.quantile(0.95, result.delays), FixedPoint.thousandths)
    count("moves_found", result.movesFound)
    count("moves_missed", result.movesMissed)
    count("visits_found", result.visitsFound)
    count("visits_missed", result.visitsMissed)
    number("error_p50_m", PolicyResult.quantile(0.5, result.errors.map(Double.init)), FixedPoint.meters)
    number("error_p95_m", PolicyResult.quantile(0.95, result.errors.map(Double.init)), FixedPoint.meters)
    count("wakes", result.wakes)
    number("receiver_on_s", result.receiverOnSeconds, FixedPoint.thousandths)
    return members
  }

  private func energy(_ result: PolicyResult) -> [JSONTree.Member] {
    var members: [JSONTree.Member] = []
    func add(_ key: String, _ band: PowerBand, _ unit: String) {
      for (end, value) in [("", band.value), ("_low", band.low), ("_high", band.high)] {
        members.append(
          .init(key: "\(key)\(end)\(unit)", value: .number(Wording.number(value, unit.isEmpty ? 6 : 3))))
      }
    }
    add("energy", result.use.band(under: profile), "_j")
    add("device", result.use.band(under: profile, deviceSeconds: result.seconds), "_j")
    if let left = comparison(of: result) {
      add("services_left", left.services, "")
      add("device_left", left.device, "")
    }
    return members
  }
}

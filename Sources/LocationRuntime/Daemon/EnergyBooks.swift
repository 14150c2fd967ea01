package import LocationCore
package import LocationFormats

/// What was used so far, and the profile that prices it: all that a band takes. Whoever wants one computes it, because
/// its thousand draws are nothing for a daemon to wait for.
package struct EnergyBooks: Sendable, Codable {
  /// Seconds in each state, and numbers of things done.
  package var use: PowerUse
  /// What the device draws.
  package var profile: PowerProfile

  /// Who could have had as much for less (rule B10); nil where an earlier daemon says nothing of it.
  var advice: [Advice]?

  /// What a ledger has booked.
  package init(_ ledger: PowerLedger) {
    use = ledger.use
    profile = ledger.profile
  }

  /// What an engine has booked so far.
  package init(of engine: borrowing Engine) {
    self.init(engine.ledger.settled(at: engine.instant))
    advice = engine.advice
  }

  /// What the profile was calibrated against; nil where it was not.
  var calibration: String? { profile.calibration.map { "\($0.meter) on \($0.device)" } }

  /// What gives an estimate its meaning, beside what is known of a daemon (rule L3).
  package var members: [JSONTree.Member] {
    let band = use.band(under: profile)
    return JSONTree.members([
      "energy_low_j": .fixed(band.low, FixedPoint.thousandths),
      "energy_high_j": .fixed(band.high, FixedPoint.thousandths), "profile": .string(profile.name),
      "calibration": calibration.map { .string($0) },
    ])
  }

  /// A line for people.
  package var text: String {
    let band = use.band(under: profile)
    let model = calibration.map { "calibrated against \($0)" } ?? "modelled, not measured"
    let battery = profile.batteryPercent(ofJoules: band.value)
      .map { ", \(Wording.figure($0, 1)) % of the battery" }
    return
      "about \(Wording.energy(band.value)), \(Wording.wattHours(band.value))\(battery ?? "") "
      + "(\(Wording.interval(band.low, band.high))); profile \(profile.name), \(model)\n"
  }
}

extension EnergyBooks {
  /// As the daemon hands them over.
  func tree() throws(Failure) -> JSONTree {
    do { return try ExactEncoder.tree(of: self) } catch {
      throw Failure(.software, what: "can't hand over the books: \(error)")
    }
  }

  /// - Throws: ``Failure`` where the daemon is of another version.
  init(_ tree: JSONTree) throws(Failure) {
    do { self = try ExactDecoder.value(EnergyBooks.self, of: tree) } catch {
      throw Failure(.software, what: "the daemon's books can't be read: it is of another version")
    }
  }
}

package import LocationCore
import LocationFormats

/// How long the blocks of a calibration have to be, so that a step of the meter is no more than the error allowed.
///
/// `T = 2 q / (ε P)` with the step `q` in joules, the error `ε` as a share and the power `P` of the state: the state is
/// the difference of two blocks, and each is off by a step.
package struct CalibrationPlan: Sendable {
  /// A state of the device.
  package struct State: Sendable {
    /// What people call it.
    package var name: String
    /// What it draws, by the profile.
    package var milliwatts: Double
    /// How long its block has to be.
    package var leastSeconds: Double
  }

  /// What costs energy each time it happens.
  package struct Impulse: Sendable {
    /// What people call it.
    package var name: String
    /// What it costs, by the profile.
    package var joules: Double
    /// How often it has to happen.
    package var leastCount: Int
  }

  /// Those that the profile has a power for.
  package let states: [State]
  /// Those that the profile has an energy for.
  package let impulses: [Impulse]

  /// For a meter whose smallest step is `stepJoules`, and a relative error above 0 and below 1.
  package init(_ profile: PowerProfile, stepJoules: Double, error: Double) {
    let states: [(String, PowerParameter)] = [
      ("base alone", .base), ("searching", .receiverAcquire), ("tracking", .receiverTrackStrong),
      ("power saving", .receiverPowerSave), ("awake", .awake), ("network location", .networkLocation),
      ("motion sensor", .motion), ("radio connected", .radioTail), ("one busy core", .core),
    ]
    self.states = states.compactMap { name, parameter in
      let milliwatts = profile[parameter].value
      guard milliwatts > 0 else { return nil }
      let seconds = 2 * stepJoules / (error * milliwatts * 1e-3)
      return State(name: name, milliwatts: milliwatts, leastSeconds: max(60, seconds))
    }
    let impulses: [(String, PowerParameter)] = [
      ("wakes", .wake), ("relaunches", .relaunch), ("Wi-Fi scans", .wifiScan),
      ("radio promotions", .radioPromotion),
    ]
    self.impulses = impulses.compactMap { name, parameter in
      let joules = profile[parameter].value
      guard joules > 0 else { return nil }
      let count = (2 * stepJoules / (error * joules)).rounded(.up)
      return Impulse(name: name, joules: joules, leastCount: Int(max(10, min(count, 1e9))))
    }
  }

  /// For people.
  package var text: String {
    func row(_ name: String, _ value: Double, _ least: String) -> String {
      CalibrationReport.left(name, 17) + CalibrationReport.right(JSONText.number(value), 8) + "  "
        + least
    }
    var lines = [
      "Blocks in the order A B B A for each state, so that drift cancels: base, state, state, base.", "",
      "state                  mW  at least",
    ]
    lines += states.map { row($0.name, $0.milliwatts, Wording.duration($0.leastSeconds)) }
    lines += ["", "impulse                 J  at least"]
    lines += impulses.map { row($0.name, $0.joules, Wording.count($0.leastCount)) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A line for each state and each impulse.
  package var json: String {
    let states = states.map { state in
      CalibrationReport.line("power.plan") { line in
        line.member("state", state.name)
        line.member("mw", state.milliwatts, decimals: FixedPoint.thousandths)
        line.member("least_s", state.leastSeconds, decimals: FixedPoint.thousandths)
      }
    }
    let impulses = impulses.map { impulse in
      CalibrationReport.line("power.plan") { line in
        line.member("impulse", impulse.name)
        line.member("joules", impulse.joules, decimals: FixedPoint.thousandths)
        line.member("least_count", impulse.leastCount)
      }
    }
    return (states + impulses).joined()
  }
}

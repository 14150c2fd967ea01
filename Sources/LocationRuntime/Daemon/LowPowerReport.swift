import LocationCore
package import LocationFormats

/// Whether a machine is in low-power mode, and whether that has an effect.
package struct LowPowerReport: Hashable, Sendable {
  /// Whether it is.
  package var isOn: Bool
  /// How the receiver is asked for fixes, as settings say it: low-power mode has an effect where that is adaptive.
  package var sampling: String
  /// Whether a daemon runs; where none does, the next one goes on so.
  package var isRunning = true

  /// As an engine has it.
  init(_ engine: borrowing Engine) {
    isOn = engine.isLowPower
    sampling = engine.configuration.sampling.mode.word
  }

  /// As a daemon's answer has it.
  ///
  /// - Throws: ``Failure`` where the answer is another one.
  init(_ answer: JSONTree) throws(Failure) {
    guard case .boolean(let isOn) = answer["low_power"],
      let sampling = answer["sampling"]?.string
    else { throw Failure(.software, what: "the daemon's answer says nothing of low-power mode") }
    self.isOn = isOn
    self.sampling = sampling
  }

  /// What a daemon answers.
  var members: [JSONTree.Member] {
    JSONTree.members(["low_power": .boolean(isOn), "sampling": .string(sampling)])
  }

  /// One JSON object.
  package var tree: JSONTree {
    .object(
      [.init(key: "v", value: .integer(1))] + members + [.init(key: "daemon", value: .boolean(isRunning))])
  }

  /// One line for people.
  package var text: String {
    let state = "low-power mode is \(isOn ? "on" : "off")"
    guard isRunning else { return "\(state); no daemon runs, the next one goes on so\n" }
    guard isOn, sampling == SamplingConfiguration.Mode.continuous.word else { return "\(state)\n" }
    return "\(state), \(Self.withoutEffect)\n"
  }

  /// What is said where the receiver is always on.
  static let withoutEffect = "without effect: the receiver is on all the time"
}

package import LocationCore

/// What a replay of one track came to.
package struct Summary: Sendable {
  /// The id after the last record's.
  package var id: Int
  /// UTC of the last fix.
  package var time: UTCTime?
  /// What was seen and done, counted.
  package var tally: Tally
  /// Records of the background modes, counted.
  package var modes: ModeTally
  /// Joules on account of the services, with its band.
  package var energy: PowerBand
  /// Joules of the whole device, its base included.
  package var deviceJoules: Double
  /// The name of the power profile.
  package var profile: String
  /// What the profile was calibrated against; nil where it was not.
  package var calibration: String?
  /// Joules of a full battery; nil where the profile has none.
  package var batteryJoules: Double?
  /// Seconds the receiver was on.
  package var receiverOnSeconds: Double
  /// Seconds from the first fix to the last.
  package var durationSeconds: Double
  /// Seconds from the first fix to the end of what the energy is of: refused reports, programs and a scenario may go on
  /// after the last fix.
  package var modelledSeconds: Double
  /// What the reader took generously.
  package var notes: [String]

  /// What an engine has come to by now.
  ///
  /// - Parameter draws: those of the engine's profile, where many engines have the same.
  package init(
    of engine: borrowing Engine, modes: ModeTally = ModeTally(), notes: [String], draws: PowerDrawTable? = nil
  ) {
    tally = engine.tally
    self.modes = modes
    durationSeconds = engine.tally.durationSeconds
    let rest = tally.last.map { max(0, $0.instant.seconds(to: engine.instant)) } ?? 0
    modelledSeconds = durationSeconds + rest
    id = engine.nextID
    time = tally.last?.time
    energy = engine.ledger.estimate(draws)
    deviceJoules = engine.ledger.deviceJoules(overSeconds: modelledSeconds)
    profile = engine.ledger.profile.name
    calibration = engine.ledger.profile.calibration.map { "\($0.meter) on \($0.device)" }
    batteryJoules = engine.ledger.profile.batteryJoules
    receiverOnSeconds = engine.ledger.receiverOnSeconds
    self.notes = notes
  }

  /// Counted events by record type, in the order of their names.
  package var events: [(type: String, count: Int)] {
    var events: [(type: String, count: Int)] = []
    if tally.decisions > 0 { events.append(("decision", tally.decisions)) }
    if tally.gaps > 0 { events.append(("gap", tally.gaps)) }
    if tally.locations > 0 { events.append(("location", tally.locations)) }
    if tally.pauses > 0 { events.append(("paused", tally.pauses)) }
    events += tally.regions.all.map { ("region.\($0.name)", $0.count) }
    if tally.resumes > 0 { events.append(("resumed", tally.resumes)) }
    if tally.significant > 0 { events.append(("significant", tally.significant)) }
    if tally.stale > 0 { events.append(("stale", tally.stale)) }
    if tally.arrivals > 0 { events.append(("visit.arrive", tally.arrivals)) }
    if tally.departures > 0 { events.append(("visit.depart", tally.departures)) }
    return (events + modes.all).sorted { $0.type < $1.type }
  }

  /// Refused fixes by reason, in the order in which the gate asks.
  package var rejected: [(reason: RejectReason, count: Int)] {
    RejectReason.allCases.map { ($0, tally.rejected(for: $0)) }.filter { $0.1 > 0 }
  }

  /// Writes the members of the `summary` record, after `v` and `seq`.
  package func write(to line: inout JSONLine, track: String?) {
    line.member("id", id)
    line.member("type", "summary")
    line.member("time", time)
    line.member("track", track)
    line.member("fixes", tally.fixes)
    line.member("accepted", tally.accepted)
    line.open("rejected")
    for (reason, count) in rejected { line.member(named: reason.rawValue, count) }
    line.close()
    line.open("events")
    for (type, count) in events { line.member(named: type, count) }
    line.close()
    line.member("wakes", tally.wakes)
    line.member("relaunches", tally.relaunches)
    line.member("energy_j", energy.value, decimals: FixedPoint.thousandths)
    line.member("energy_low_j", energy.low, decimals: FixedPoint.thousandths)
    line.member("energy_high_j", energy.high, decimals: FixedPoint.thousandths)
    line.member("device_j", deviceJoules, decimals: FixedPoint.thousandths)
    line.member("profile", profile)
    line.member("calibration", calibration)
    line.member("receiver_on_s", receiverOnSeconds, decimals: FixedPoint.thousandths)
    line.member("duration_s", durationSeconds, decimals: FixedPoint.thousandths)
    if !notes.isEmpty { line.member("notes", notes) }
  }
}

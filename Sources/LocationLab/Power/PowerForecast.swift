package import LocationCore
package import LocationFormats
import LocationRuntime

/// What the model says that a device uses over known times, and beside it what a meter read.
package struct PowerForecast: Sendable {
  /// A time over which it is known what the device does.
  package struct Part: Sendable {
    /// For people.
    package var name: String
    /// When it begins, seconds as the meter's log has them.
    package var from: Double
    /// How long it is, seconds.
    package var seconds: Double
    /// What is used beyond the base.
    package var use: PowerUse
    /// What the meter says, joules; nil where nothing was read.
    package var measured: Double?
  }

  /// The device.
  package let profile: PowerProfile
  /// In order of time.
  package private(set) var parts: [Part]
  /// What to beware of.
  package private(set) var notes: [String] = []
  /// The smallest difference that the meter shows, joules.
  private var stepJoules = 0.0
  private var isMeasured = false
  /// Whether a schedule states how long and how often, and not a model.
  private let isStated: Bool

  /// What the blocks of a calibration's file come to.
  ///
  /// - Parameter profile: the device; nil for the one that the file names.
  package init(_ schedule: CalibrationFile, profile: PowerProfile?) {
    self.profile = profile ?? schedule.before
    isStated = true
    parts = schedule.blocks.map {
      Part(name: "line \($0.line)", from: $0.from, seconds: $0.to - $0.from, use: $0.use)
    }
  }

  /// What a track comes to, replayed with the programs, regions and settings of a request.
  ///
  /// - Parameter begins: what the meter's log has for the time of the first fix, seconds.
  /// - Throws: ``Failure`` as the reader of the track does, and of code 1 where nothing of it was believed.
  package init(track path: String, _ request: ReplayRequest, begins: Double) throws(Failure) {
    profile = request.configuration.profile
    isStated = false
    var reader = try TrackReader(path: path, options: request.track)
    var replay = TrackReplay(request, to: NoRecords())
    var items: [TrackItem] = []
    while try reader.read(into: &items) {
      for item in items { replay.take(item) }
      items.removeAll(keepingCapacity: true)
    }
    let summary = replay.finish(notes: reader.notes)
    guard summary.durationSeconds > 0 else {
      throw Failure(
        .conditionFails, file: path, what: "no two fixes of it were believed",
        remedy: "locwatch replay --explain shows each report")
    }
    parts = [
      Part(name: path, from: begins, seconds: summary.modelledSeconds, use: replay.ledger.use)
    ]
    notes = summary.notes
  }

  /// Holds the parts against what a meter read. A part that the log does not cover is named in ``notes``.
  package mutating func compare(with stream: MeterStream) {
    isMeasured = true
    stepJoules = stream.stepJoules
    notes += stream.notes
    for index in parts.indices {
      let part = parts[index]
      parts[index].measured = stream.joules(from: part.from, to: part.from + part.seconds)
      guard parts[index].measured == nil else { continue }
      let range = Wording.number(part.from, 0) + " to " + Wording.number(part.from + part.seconds, 0)
      let covered = stream.ranges(near: part.from, to: part.from + part.seconds)
      notes.append("\(part.name) (\(range) s): without a break the log covers only \(covered)")
    }
  }

  /// Takes the records of a replay of which only the energy matters.
  private struct NoRecords: RecordSink {
    mutating func receive(_ record: Record) {}
  }
}

// MARK: - What it comes to

extension PowerForecast {
  /// The energy of the whole device over a part, with the interval that holds it with 90 %.
  package func band(of part: Part) -> PowerBand {
    part.use.band(under: profile, deviceSeconds: part.seconds, isObserved: isStated)
  }

  /// The parts with a measurement, as one; nil where there are none.
  private func sum(of parts: [Part]) -> Part? {
    guard var sum = parts.first, parts.count > 1 else { return nil }
    sum.name = "all"
    for part in parts.dropFirst() {
      sum.use.add(part.use)
      sum.seconds += part.seconds
      sum.measured = sum.measured.flatMap { sum in part.measured.map { sum + $0 } }
    }
    return sum
  }

  /// Whether the interval holds what was measured, to a step of the meter.
  private func holds(_ part: Part) -> Bool? {
    let band = band(of: part)
    return part.measured.map { $0 >= band.low - stepJoules && $0 <= band.high + stepJoules }
  }

  /// By how much the model says more than was measured, as a share.
  private func error(of part: Part) -> Double? {
    guard let measured = part.measured, measured > 0 else { return nil }
    return band(of: part).value / measured - 1
  }

  /// The parts, then all of those that were measured, or all where nothing was.
  private var rows: [Part] {
    let all = isMeasured ? parts.filter { $0.measured != nil } : parts
    return parts + (sum(of: all).map { [$0] } ?? [])
  }

  /// A table, and what it means.
  package var text: String {
    var header = ["", "TIME", "POWER", "ENERGY", "", "90 % WITHIN", "OF THE BATTERY"]
    if isMeasured { header += ["MEASURED", "ERROR", "HELD"] }
    let cells = rows.map { part in
      let band = band(of: part)
      var row = [
        part.name, Wording.duration(part.seconds),
        "\(Wording.figure(band.value / part.seconds * 1e3, 0)) mW", Wording.energy(band.value),
        Wording.wattHours(band.value),
        "\(Wording.energy(band.low)) to \(Wording.energy(band.high))",
        profile.batteryPercent(ofJoules: band.value).map { "\(Wording.figure($0, 1)) %" } ?? "",
      ]
      if isMeasured {
        row += [
          part.measured.map(Wording.energy) ?? "-",
          error(of: part).map { "\($0 < 0 ? "-" : "+")\(Wording.number(abs($0) * 100, 0)) %" } ?? "",
          holds(part).map { $0 ? "yes" : "no" } ?? "",
        ]
      }
      return row
    }
    var text = TextTable(header: header, rows: cells, rightAligned: [1, 2, 3, 4, 6, 7, 8]).text
    text += "\n\(profile.name), \(Self.basis(profile))\n"
    if let verdict { text += verdict + "\n" }
    return text + notes.map { "note: \($0)\n" }.joined()
  }

  private static func basis(_ profile: PowerProfile) -> String {
    profile.calibration.map { "calibrated with \($0.meter) on \($0.device)" }
      ?? "not calibrated: it orders policies, and says little of joules"
  }

  /// How the model fares; nil where nothing was measured.
  private var verdict: String? {
    let measured = parts.filter { $0.measured != nil }
    let errors = measured.compactMap { error(of: $0).map(abs) }
    guard let median = PolicyResult.quantile(0.5, errors) else {
      return isMeasured ? "nothing was measured" : nil
    }
    let held = measured.count { holds($0) == true }
    return
      "median error \(Wording.number(median * 100, 0)) %; the interval holds \(held) of "
      + "\(measured.count)"
  }

  /// Why there is nothing to hold the prediction against; nil where a part was measured, or none was to be.
  package var lack: Failure? {
    guard isMeasured, parts.allSatisfy({ $0.measured == nil }) else { return nil }
    return Failure(
      .conditionFails, what: "nothing was measured: the log covers no part as a whole",
      remedy: "compare the times of both")
  }

  /// One JSON object for each row of the table.
  package var json: String {
    rows.map { part in
      let band = band(of: part)
      let line = JSONLine.line { line in
        line.member("v", 1)
        line.member("type", isMeasured ? "power.validation" : "power.forecast")
        line.member("part", part.name)
        line.member("profile", profile.name)
        line.member("calibrated", profile.calibration != nil)
        line.member("seconds", part.seconds, decimals: FixedPoint.thousandths)
        line.member("energy_j", band.value, decimals: FixedPoint.thousandths)
        line.member("energy_low_j", band.low, decimals: FixedPoint.thousandths)
        line.member("energy_high_j", band.high, decimals: FixedPoint.thousandths)
        line.member("measured_j", part.measured, decimals: FixedPoint.thousandths)
        line.member("held", holds(part))
      }
      return String(decoding: line, as: UTF8.self)
    }.joined()
  }
}

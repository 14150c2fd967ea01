/// Makes position reports of the sentences of one receiver, as gpsd does: the sentences of one time are one epoch, and
/// each says what the others have left open.
package struct NMEADecoder {
  /// What follows from a sentence.
  package enum Outcome {
    /// What is known of the epoch with it; the last of an epoch says the most. Its time is nil before the first date.
    case position(GPSDReport)
    /// Standard deviations of the epoch (GST), metres.
    case deviations(time: UTCTime?, latitudeSigma: Double, longitudeSigma: Double)
    /// It says nothing of a position.
    case nothing
  }

  private struct Epoch {
    var timeOfDay: Int64
    var latitude: Double?
    var longitude: Double?
    var hasFix = true
    var isDeadReckoned = false
    var speedMetersPerSecond: Double?
    var courseDegrees: Double?
    var altitudeMeters: Double?
  }

  private var epoch: Epoch?
  /// The day of the last sentence that named one, days since 1970; nil before it.
  private var day: Int?
  /// The last horizontal dilution of precision; GSA comes after the position that it is about.
  private var hdop: Double?
  /// Whether the last sentence that says how the position was found calls it simulated: a GGA or GNS, where there are
  /// any.
  private var isSimulated = false
  private var hasQuality = false
  /// What the last GSA said of the dimensions.
  private var mode = FixMode.unknown

  package init() {}

  /// Whether a sentence has named the date.
  package var hasDate: Bool { day != nil }

  /// Takes a sentence.
  package mutating func read(_ sentence: NMEASentence) -> Outcome {
    if sentence.isKind("RMC") { return recommended(sentence) }
    if sentence.isKind("GGA") || sentence.isKind("GNS") { return fixData(sentence) }
    if sentence.isKind("GLL") { return geographic(sentence) }
    if sentence.isKind("VTG") { return velocity(sentence) }
    if sentence.isKind("GSA") { return active(sentence) }
    if sentence.isKind("GST") { return deviations(sentence) }
    if sentence.isKind("ZDA") { return date(sentence) }
    return .nothing
  }

  // MARK: - Sentences

  /// RMC: time, status, place, knots, course, date, and from NMEA 2.3 on the mode.
  private mutating func recommended(_ sentence: NMEASentence) -> Outcome {
    guard let timeOfDay = sentence.timeOfDay(1) else { return .nothing }
    if let named = sentence.day(9) { day = named }
    begin(timeOfDay, hasDate: sentence.day(9) != nil)
    epoch?.hasFix = sentence.letter(2) == UInt8(ascii: "A")
    noteMode(sentence.letter(12))
    place(sentence, 3)
    if let knots = sentence.number(7) { epoch?.speedMetersPerSecond = knots * Self.metersPerSecondInKnot }
    if let course = sentence.number(8) { epoch?.courseDegrees = course }
    return report()
  }

  /// GGA and GNS: time, place, quality or modes, satellites, dilution, altitude.
  private mutating func fixData(_ sentence: NMEASentence) -> Outcome {
    guard let timeOfDay = sentence.timeOfDay(1) else { return .nothing }
    begin(timeOfDay)
    // GNS has a mode for each constellation: `NA` is GLONASS without GPS.
    let modes = sentence.letters(6).filter { $0 != UInt8(ascii: "0") && $0 != UInt8(ascii: "N") }
    epoch?.hasFix = !modes.isEmpty
    epoch?.isDeadReckoned =
      !modes.isEmpty && modes.allSatisfy { $0 == UInt8(ascii: "6") || $0 == UInt8(ascii: "E") }
    hasQuality = true
    isSimulated = modes.contains { $0 == UInt8(ascii: "8") || $0 == UInt8(ascii: "S") }
    place(sentence, 2)
    if let value = sentence.number(8), value > 0, value < Self.unknownDilution { hdop = value }
    if let altitude = sentence.number(9) { epoch?.altitudeMeters = altitude }
    return report()
  }

  /// GLL: place, time, from NMEA 2.0 on the status, and from NMEA 2.3 on the mode. Some receivers without a fix write the
  /// mode where the status belongs.
  private mutating func geographic(_ sentence: NMEASentence) -> Outcome {
    guard let timeOfDay = sentence.timeOfDay(5) else { return .nothing }
    begin(timeOfDay)
    epoch?.hasFix = [nil, UInt8(ascii: "A")].contains(sentence.letter(6))
    noteMode(sentence.letter(7))
    place(sentence, 1)
    return report()
  }

  /// VTG: course and knots of the epoch under way.
  private mutating func velocity(_ sentence: NMEASentence) -> Outcome {
    guard epoch?.latitude != nil, let knots = sentence.number(5) else { return .nothing }
    epoch?.speedMetersPerSecond = knots * Self.metersPerSecondInKnot
    if let course = sentence.number(1) { epoch?.courseDegrees = course }
    return report()
  }

  /// GSA: dimensions and dilutions.
  private mutating func active(_ sentence: NMEASentence) -> Outcome {
    if let number = sentence.number(2) { mode = FixMode(gpsdMode: number) }
    if let value = sentence.number(16), value > 0, value < Self.unknownDilution { hdop = value }
    return .nothing
  }

  /// GST: standard deviations.
  private mutating func deviations(_ sentence: NMEASentence) -> Outcome {
    guard let timeOfDay = sentence.timeOfDay(1), let latitude = sentence.number(6),
      let longitude = sentence.number(7)
    else { return .nothing }
    begin(timeOfDay)
    return .deviations(time: time, latitudeSigma: latitude, longitudeSigma: longitude)
  }

  /// ZDA: time and date.
  private mutating func date(_ sentence: NMEASentence) -> Outcome {
    guard let timeOfDay = sentence.timeOfDay(1), let named = sentence.day(ofFields: 2) else {
      return .nothing
    }
    day = named
    begin(timeOfDay, hasDate: true)
    return .nothing
  }

  // MARK: - The epoch

  /// Goes on with the epoch of a time, or begins it. A time that jumps back by more than half a day is of the next day.
  private mutating func begin(_ timeOfDay: Int64, hasDate: Bool = false) {
    if let epoch, epoch.timeOfDay == timeOfDay { return }
    if !hasDate, let before = epoch?.timeOfDay, let today = day {
      if before - timeOfDay > Self.halfDay { day = today + 1 }
      if timeOfDay - before > Self.halfDay { day = today - 1 }
    }
    epoch = Epoch(timeOfDay: timeOfDay)
  }

  /// Takes the mode of a position: `N` for none, `E` for dead reckoning, `S` of a receiver that simulates. Some say that
  /// in GGA alone.
  private mutating func noteMode(_ mode: UInt8?) {
    guard let mode else { return }
    if mode == UInt8(ascii: "N") { epoch?.hasFix = false }
    if mode == UInt8(ascii: "E") { epoch?.isDeadReckoned = true }
    if mode == UInt8(ascii: "S") { isSimulated = true } else if !hasQuality { isSimulated = false }
  }

  private mutating func place(_ sentence: NMEASentence, _ field: Int) {
    guard let latitude = sentence.degrees(field, negative: UInt8(ascii: "S")),
      let longitude = sentence.degrees(field + 2, negative: UInt8(ascii: "W"))
    else { return }
    epoch?.latitude = latitude
    epoch?.longitude = longitude
  }

  private var time: UTCTime? {
    guard let day, let epoch else { return nil }
    return UTCTime(microseconds: Int64(day) * 86_400_000_000 + epoch.timeOfDay)
  }

  private func report() -> Outcome {
    guard let epoch else { return .nothing }
    let hasPlace = epoch.hasFix && epoch.latitude != nil
    let mode = hasPlace ? (self.mode == .noFix ? .unknown : self.mode) : .noFix
    let fix = FixReport(
      time: time, latitude: hasPlace ? epoch.latitude ?? .nan : .nan,
      longitude: hasPlace ? epoch.longitude ?? .nan : .nan, accuracy: .assumed(mode), mode: mode,
      speedMetersPerSecond: epoch.speedMetersPerSecond.flatMap { FixReport.speed($0) },
      courseDegrees: epoch.courseDegrees.flatMap { FixReport.course($0) },
      altitudeMeters: epoch.altitudeMeters)
    return .position(
      GPSDReport(
        device: 0, fix: fix, horizontalErrorMeters: hdop.map { $0 * Accuracy.metersPerHDOP95 },
        isDeadReckoned: epoch.isDeadReckoned, isSimulated: isSimulated))
  }

  private static let halfDay: Int64 = 43_200_000_000
  /// A knot is 1,852 m in an hour.
  private static let metersPerSecondInKnot = 1852.0 / 3600
  /// Receivers write 99.9 or 99.99 where they know none.
  private static let unknownDilution = 99.0
}

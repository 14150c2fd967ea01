import LocationFormats
import LocationRuntime

/// Snapshots of `/sys/class/power_supply`, or of what UPower says of its devices, as one log:
///
/// ```
/// while sleep 5; do echo "@ $(cut -d' ' -f1 /proc/uptime)"; cat /sys/class/power_supply/*/uevent; done > battery.log
/// while sleep 30; do echo "@ $(cut -d' ' -f1 /proc/uptime)"; upower -d; done > battery.log
/// ```
///
/// The number tells how much, the status tells which way: three conventions of sign are about in drivers, and UPower's
/// is the opposite of the kernel's.
struct PowerSupplyLog {
  /// What one battery said at one time. What it did not say is nil.
  struct Battery {
    var status: String?
    var energyJoules: Double?
    var chargeCoulombs: Double?
    var volts: Double?
    var amperes: Double?
    var watts: Double?
    var percent: Double?
    var fullJoules: Double?
  }

  /// What all batteries said at one time.
  struct Snapshot {
    var seconds: Double
    var batteries: [Battery]
  }

  /// What a snapshot comes to: the sum over the batteries of the first of these that all of them say.
  private enum Measure {
    case energy, charge, power, percent

    /// What the readings are worth: a counter is better than a sample, and a percent is coarse.
    var spread: Double {
      switch self {
      case .energy, .charge: 1.05
      case .power, .percent: 1.15
      }
    }
  }

  /// Turns snapshots into energy used.
  static func stream(
    _ snapshots: [Snapshot], kind: MeterStream.Kind, file: String
  ) throws(Failure) -> MeterStream {
    let batteries = snapshots.flatMap(\.batteries)
    guard !batteries.isEmpty else {
      throw Failure(
        .data, file: file, what: "no battery in it",
        remedy: "its type must be Battery, and its scope not Device: mice and pens report too")
    }
    let measure = try measure(batteries, file: file)
    var stream = MeterStream(kind: kind, meterSpread: measure.spread)
    if measure == .power { stream.note("momentary readings of power: peaks between them are missed") }
    if measure == .percent { stream.note("percent only: a block must use many of them") }
    var used = UsedEnergy(measure: measure)
    for snapshot in snapshots {
      guard snapshot.batteries.allSatisfy({ isDischarging($0.status) }), !snapshot.batteries.isEmpty else {
        stream.note("readings while not discharging were left out")
        used.breakOff()
        stream.breakOff()
        continue
      }
      switch used.take(snapshot) {
      case .joules(let joules): stream.append(seconds: snapshot.seconds, joules: joules)
      case .unchanged: break
      case .plateau:
        stream.note("readings before the first of 99 % or less were left out: a gauge stands at 100")
      case .rise(let joules):
        stream.note("the gauge rose while discharging: it corrected itself, and the log begins anew there")
        stream.breakOff()
        stream.append(seconds: snapshot.seconds, joules: joules)
      case .absent: stream.note("some snapshots lack what the others have, and were left out")
      }
    }
    stream.stepJoules = step(of: measure, batteries, stream)
    return stream
  }

  private static func isDischarging(_ status: String?) -> Bool {
    status.map { $0.lowercased() == "discharging" } ?? false
  }

  private static func measure(_ batteries: [Battery], file: String) throws(Failure) -> Measure {
    func all(_ has: (Battery) -> Bool) -> Bool {
      // A driver may fail to read a value now and then.
      batteries.count(where: has) * 10 >= batteries.count * 9
    }
    let zeros = batteries.allSatisfy {
      ($0.energyJoules ?? 0) == 0 && ($0.watts ?? 0) == 0 && ($0.chargeCoulombs ?? 0) == 0
        && ($0.amperes ?? 0) == 0
    }
    let says = batteries.contains { $0.energyJoules != nil || $0.watts != nil }
    if zeros, says {
      throw Failure(
        .data, file: file, what: "it says 0 for energy and power all the time",
        remedy: "log /sys/class/power_supply/*/uevent: UPower does not know this battery")
    }
    if all({ ($0.energyJoules ?? 0) > 0 }) { return .energy }
    if all({ ($0.chargeCoulombs ?? 0) > 0 && ($0.volts ?? 0) > 0 }) { return .charge }
    if all({ $0.watts != nil || $0.amperes != nil && $0.volts != nil }) { return .power }
    if all({ $0.percent != nil && ($0.fullJoules ?? 0) > 0 }) { return .percent }
    throw Failure(
      .data, file: file, what: "the battery tells neither energy, nor charge and voltage, nor power",
      remedy: "use a meter")
  }

  /// The smallest difference the gauge shows.
  private static func step(of measure: Measure, _ batteries: [Battery], _ stream: MeterStream) -> Double {
    switch measure {
    case .power: 0
    case .percent: (batteries.compactMap(\.fullJoules).max() ?? 0) / 100
    case .energy, .charge:
      stream.runs.flatMap { run in zip(run, run.dropFirst()).map { $1.joules - $0.joules } }
        .filter { $0 > 0 }.min() ?? 0
    }
  }

  /// The energy used since the log began.
  private struct UsedEnergy {
    enum Outcome {
      case joules(Double)
      /// The gauge has not moved: it is read more often than it measures.
      case unchanged
      case plateau, absent
      /// The gauge corrected itself; what was used up to here, as before.
      case rise(joules: Double)
    }

    let measure: Measure
    private var total = 0.0
    private var last: (level: Double, volts: Double)?
    private var integral = PowerIntegral()
    private var hasLeftPlateau = false

    init(measure: Measure) { self.measure = measure }

    mutating func breakOff() {
      last = nil
      hasLeftPlateau = false
      integral.breakOff()
    }

    mutating func take(_ snapshot: Snapshot) -> Outcome {
      if !hasLeftPlateau {
        // Where no percent is told there is no plateau to see.
        guard snapshot.batteries.allSatisfy({ ($0.percent ?? 0) <= 99 }) else { return .plateau }
        hasLeftPlateau = true
      }
      switch measure {
      case .power:
        let watts = snapshot.batteries.map(Self.watts)
        guard watts.allSatisfy({ $0 != nil }) else { return .absent }
        return .joules(
          integral.add(seconds: snapshot.seconds, watts: watts.reduce(0) { $0 + ($1 ?? 0) }))
      case .energy, .charge, .percent:
        guard let level = level(snapshot) else { return .absent }
        defer { last = level }
        guard let last else { return .joules(total) }
        let drop = last.level - level.level
        if drop == 0 { return .unchanged }
        guard drop > 0 else { return .rise(joules: total) }
        // A charge is worth the voltage it is drawn at, not the nominal one.
        total += measure == .charge ? drop * (last.volts + level.volts) / 2 : drop
        return .joules(total)
      }
    }

    private func level(_ snapshot: Snapshot) -> (level: Double, volts: Double)? {
      var sum = 0.0
      var volts = 0.0
      for battery in snapshot.batteries {
        let part: Double? =
          switch measure {
          case .energy: battery.energyJoules
          case .charge: battery.chargeCoulombs
          case .percent: battery.percent.flatMap { percent in battery.fullJoules.map { $0 * percent / 100 } }
          case .power: nil
          }
        guard let part, part > 0 else { return nil }
        sum += part
        volts += (battery.volts ?? 0) / Double(snapshot.batteries.count)
      }
      return (sum, volts)
    }

    private static func watts(_ battery: Battery) -> Double? {
      if let watts = battery.watts { return abs(watts) }
      guard let amperes = battery.amperes, let volts = battery.volts else { return nil }
      return abs(amperes * volts)
    }
  }
}

import LocationFormats

/// The meters whose logs are tables.
extension MeterStream {
  /// The counter of a processor package: `seconds,energy_uj`, with `# max_energy_range_uj=` from the file of that
  /// name beside `energy_uj`.
  ///
  /// The counter wraps: at 15 W after some five hours. A difference is taken modulo the range, which is right only
  /// where the package could not have used half of it between two readings.
  static func rapl(_ text: String, file: String) throws(Failure) -> MeterStream {
    let table = try MeterTable(text, file: file, known: ["seconds", "energy_uj"])
    let time = try table.timeColumn()
    guard let energy = table.column("energy_uj") else {
      throw Failure(
        .data, file: file, what: "no column `energy_uj`",
        remedy: "add the column: the number in the package's energy_uj file")
    }
    let range = try table.number("max_energy_range_uj")
    let watts = try table.number("max_power_w") ?? raplMaximumWatts
    var stream = MeterStream(kind: .rapl, meterSpread: 1.05)
    stream.note("the package only: no screen, radio, receiver or memory beyond it")
    var last: (seconds: Double, microjoules: Double)?
    var total = 0.0
    for (line, values) in table.rows {
      guard let seconds = values[time], let microjoules = values[energy] else { continue }
      if let last {
        var used = microjoules - last.microjoules
        if used < 0 {
          guard let range else {
            throw Failure(
              .data, file: file, line: line, what: "the counter fell, and where it wraps is not stated",
              remedy: "add # max_energy_range_uj= from the file beside energy_uj")
          }
          used += range
        }
        if let range, (seconds - last.seconds) * watts * 1e6 > range / 2 {
          stream.breakOff()
          stream.note("readings so far apart that the counter may have wrapped unseen were not joined")
        }
        total += used * 1e-6
      }
      stream.append(seconds: seconds, joules: total)
      last = (seconds, microjoules)
    }
    stream.stepJoules = 61e-6
    return stream
  }

  /// The most a package is taken to draw where `# max_power_w=` does not say, watts. An assumption.
  private static let raplMaximumWatts = 100.0

  /// Power monitors under the kernel's driver `ina2xx`: columns named as their files, `power1_input` (µW),
  /// `curr1_input` (mA), `in1_input` (bus, mV), `in0_input` (shunt, mV), `energy1_input` (µJ).
  ///
  /// - Parameter shuntMicroohms: What the shunt really has; the driver scaled by what `# shunt_resistor=` says.
  static func ina2xx(_ text: String, file: String, shuntMicroohms: Double?) throws(Failure) -> MeterStream {
    let table = try MeterTable(
      text, file: file,
      known: ["seconds", "power1_input", "curr1_input", "in1_input", "in0_input", "energy1_input"])
    let time = try table.timeColumn()
    let configured = try table.number("shunt_resistor")
    var stream = MeterStream(kind: .ina2xx, meterSpread: 1.05)
    var scale = 1.0
    if let shuntMicroohms {
      guard let configured else {
        throw Failure(
          .data, file: file, what: "the driver's shunt is not stated, so it can't be corrected",
          remedy: "add # shunt_resistor= from the file of that name")
      }
      scale = configured / shuntMicroohms
      if scale != 1 { stream.note("readings scaled by \(JSONText.number(scale)) for the true shunt") }
    }
    if let energy = table.column("energy1_input") {
      for (_, values) in table.rows {
        guard let seconds = values[time], let microjoules = values[energy] else { continue }
        stream.append(seconds: seconds, joules: microjoules * 1e-6 * scale)
      }
      return stream
    }
    let watts = try Self.inaWatts(table, trueShunt: shuntMicroohms ?? configured, scale: scale, &stream)
    var integral = PowerIntegral()
    var gaps: [Double] = []
    var last: Double?
    for (_, values) in table.rows {
      guard let seconds = values[time], let power = watts(values) else { continue }
      if let last { gaps.append(seconds - last) }
      last = seconds
      stream.append(seconds: seconds, joules: integral.add(seconds: seconds, watts: power))
    }
    if let interval = try table.number("update_interval"),
      let gap = gaps.sorted().dropFirst(gaps.count / 2).first,
      gap > 2 * interval * 1e-3
    {
      stream.note(
        "a reading averages \(JSONText.number(interval)) ms and they are \(JSONText.number(gap)) s "
          + "apart: raise update_interval to what the log samples")
      stream.meterSpread = 1.15
    }
    return stream
  }

  /// How a row's power is told, by what the log has.
  private static func inaWatts(
    _ table: MeterTable, trueShunt: Double?, scale: Double, _ stream: inout MeterStream
  ) throws(Failure) -> ([Double?]) -> Double? {
    if let power = table.column("power1_input") {
      return { values in values[power].map { $0 * 1e-6 * scale } }
    }
    guard let bus = table.column("in1_input") else {
      throw Failure(
        .data, file: table.file, what: "neither power1_input nor in1_input is among the columns",
        remedy: "log power1_input")
    }
    if let current = table.column("curr1_input") {
      let size = table.rows.compactMap { $0.values[current].map(abs) }.sorted()
      if let middle = size.dropFirst(size.count / 2).first, middle < coarseMilliamperes {
        stream.note(
          "currents about \(JSONText.number(middle)) mA in steps of 1 mA: log power1_input, or a larger shunt"
        )
        stream.meterSpread = 1.15
      }
      return { values in
        guard let volts = values[bus], let amperes = values[current] else { return nil }
        return volts * amperes * 1e-6 * scale
      }
    }
    guard let shunt = table.column("in0_input"), let trueShunt else {
      throw Failure(
        .data, file: table.file, what: "no current: neither curr1_input, nor in0_input and # shunt_resistor=",
        remedy: "log power1_input")
    }
    return { values in
      guard let volts = values[bus], let drop = values[shunt] else { return nil }
      return volts * 1e-3 * (drop * 1e-3) / (trueShunt * 1e-6)
    }
  }

  /// Below this, steps of 1 mA are more than 5 % of a current.
  private static let coarseMilliamperes = 20.0

  /// A meter in a USB cable: `seconds`, `voltage_v`, `current_a`, and what it counts, `energy_mwh` or `charge_mah`.
  static func usb(_ text: String, file: String) throws(Failure) -> MeterStream {
    let table = try MeterTable(
      text, file: file, known: ["seconds", "voltage_v", "current_a", "power_w", "energy_mwh", "charge_mah"])
    let time = try table.timeColumn()
    var stream = MeterStream(kind: .usb, meterSpread: 1.15)
    stream.note(
      "this meter is in the supply's cable: it counts what the converter loses, and what a battery takes too; measure "
        + "with the battery full or out, and beware of parts that are fed from the battery directly")
    let volts = table.column("voltage_v")
    let amperes = table.column("current_a")
    let watts = table.column("power_w")
    let counter = table.column("energy_mwh")
    guard watts != nil || volts != nil && amperes != nil || counter != nil else {
      throw Failure(
        .data, file: file,
        what: "neither power_w, nor voltage_v and current_a, nor energy_mwh is among the columns",
        remedy: "call the column of the meter one of these, in the line above the values")
    }
    var integral = PowerIntegral()
    for (_, values) in table.rows {
      guard let seconds = values[time] else { continue }
      if let watts {
        guard let power = values[watts] else { continue }
        stream.append(seconds: seconds, joules: integral.add(seconds: seconds, watts: abs(power)))
      } else if let volts, let amperes {
        // Some meters give the current a sign by the direction of the plug.
        guard let volt = values[volts], let ampere = values[amperes] else { continue }
        stream.append(seconds: seconds, joules: integral.add(seconds: seconds, watts: abs(volt * ampere)))
      } else if let counter, let count = values[counter] {
        stream.append(seconds: seconds, joules: count * 3.6)
        stream.stepJoules = 3.6
      }
    }
    Self.compare(stream, withCounter: counter, of: table, time) { stream.note($0) }
    return stream
  }

  /// The meter's own counter must agree with what its readings add up to.
  private static func compare(
    _ stream: MeterStream, withCounter counter: Int?, of table: MeterTable, _ time: Int,
    note: (String) -> Void
  ) {
    guard stream.stepJoules == 0, let counter, let run = stream.runs.first, let first = run.first,
      let last = run.last, let from = table.rows.first?.values[counter],
      let to = table.rows.last?.values[counter]
    else { return }
    let counted = (to - from) * 3.6
    let added = last.joules - first.joules
    guard counted > 100, added > 0, abs(counted / added - 1) > 0.05 else { return }
    let percent = Int(min(100 * (counted / added - 1), 1e9).rounded())
    note(
      "its counter says \(percent) % more than its readings add up to: it samples too rarely for this load")
  }
}

import FoundationEssentials
import Testing

@testable import LocationFormats
@testable import LocationLab

/// Batteries that tell of themselves, through the kernel and through UPower, with their traps. All logs are made here.
@Suite struct PowerSupplyLogTests {
  /// A log of uevents; `lines` gives each snapshot's further attributes.
  private static func uevents(
    _ times: some Sequence<Int>, device: String = "", _ lines: (Int) -> String
  ) -> String {
    times.map { time in
      "@ \(time).25\n\(device)POWER_SUPPLY_NAME=BAT0\nPOWER_SUPPLY_TYPE=Battery\n" + lines(time)
    }.joined(separator: "\n") + "\n"
  }

  private static func stream(_ text: String) throws(Failure) -> MeterStream {
    try MeterLog.stream(text, file: "battery.log", kind: nil)
  }

  private static func near(_ a: Double?, _ b: Double, _ tolerance: Double = 1e-6) -> Bool {
    a.map { abs($0 - b) <= tolerance * max(1, abs(b)) } ?? false
  }

  @Test func energyIsInMicrowattHours() throws {
    let text = Self.uevents(stride(from: 0, through: 3600, by: 600)) { time in
      "POWER_SUPPLY_STATUS=Discharging\nPOWER_SUPPLY_CAPACITY=80\nPOWER_SUPPLY_ENERGY_NOW=\(40_000_000 - time * 500)\n"
    }
    let stream = try Self.stream(text)
    #expect(stream.kind == .powerSupply)
    // 500 µWh a second are 1.8 W.
    #expect(Self.near(stream.joules(from: 1, to: 3001), 5400))
    #expect(Self.near(stream.stepJoules, 1080))
  }

  @Test func aChargeIsWorthTheVoltageItIsDrawnAtAndNotTheNominalOne() throws {
    let text = Self.uevents([0, 1800, 3600]) { time in
      """
      POWER_SUPPLY_STATUS=Discharging
      POWER_SUPPLY_VOLTAGE_MIN_DESIGN=3700000
      POWER_SUPPLY_VOLTAGE_NOW=\(4_200_000 - time * 100)
      POWER_SUPPLY_CHARGE_NOW=\(2_000_000 - time * 100)
      """
    }
    // 0.18 Ah at 4.11 V and as much at 3.93 V.
    #expect(Self.near(try Self.stream(text).joules(from: 0.25, to: 3600.25), 0.18 * 3600 * (4.11 + 3.93)))
  }

  @Test(arguments: [1, -1]) func theSignOfACurrentTellsNothingTheStatusDoes(_ sign: Int) throws {
    let text = Self.uevents(stride(from: 0, through: 100, by: 10)) { _ in
      "POWER_SUPPLY_STATUS=Discharging\nPOWER_SUPPLY_CURRENT_NOW=\(sign * 500_000)\nPOWER_SUPPLY_VOLTAGE_NOW=4000000\n"
    }
    let stream = try Self.stream(text)
    #expect(Self.near(stream.joules(from: 0.25, to: 100.25), 200))
    #expect(stream.notes.contains { $0.contains("momentary") })
    #expect(stream.meterSpread > 1.05)
  }

  @Test(arguments: ["Charging", "Full", "Not charging", "Unknown"])
  func aWindowWithAChangeOfStatusIsRefused(_ status: String) throws {
    let text = Self.uevents(stride(from: 0, through: 600, by: 60)) { time in
      "POWER_SUPPLY_STATUS=\(time == 300 ? status : "Discharging")\nPOWER_SUPPLY_ENERGY_NOW=\(40_000_000 - time * 500)\n"
    }
    let stream = try Self.stream(text)
    #expect(stream.joules(from: 1, to: 599) == nil)
    #expect(Self.near(stream.joules(from: 0.25, to: 240.25), 432))
    #expect(Self.near(stream.joules(from: 360.25, to: 600.25), 432))
    #expect(stream.notes.contains { $0.contains("not discharging") })
  }

  @Test func aGaugeThatMovesSeldomIsReadWhereItMoves() throws {
    // Moves each 60 s, is read each 5 s: between two moves energy is used evenly.
    let text = Self.uevents(stride(from: 0, through: 600, by: 5)) { time in
      "POWER_SUPPLY_STATUS=Discharging\nPOWER_SUPPLY_ENERGY_NOW=\(40_000_000 - time / 60 * 30_000)\n"
    }
    let stream = try Self.stream(text)
    #expect(stream.count == 11)
    #expect(Self.near(stream.joules(from: 30.25, to: 90.25), 108))
  }

  @Test func aGaugeThatStandsAtAHundredIsNotBelievedBeforeItHasMoved() throws {
    let text = Self.uevents(stride(from: 0, through: 1200, by: 60)) { time in
      let percent = time < 600 ? 100 : 99 - (time - 600) / 300
      return
        "POWER_SUPPLY_STATUS=Discharging\nPOWER_SUPPLY_CAPACITY=\(percent)\nPOWER_SUPPLY_ENERGY_NOW=\(time < 600 ? 40_000_000 : 40_000_000 - (time - 540) * 500)\n"
    }
    let stream = try Self.stream(text)
    #expect(stream.joules(from: 60.25, to: 700.25) == nil)
    #expect(Self.near(stream.joules(from: 600.25, to: 1200.25), 1080))
    #expect(stream.notes.contains { $0.contains("stands at 100") })
  }

  @Test func aGaugeThatCorrectsItselfUpwardsBeginsAnewWithThatReading() throws {
    let text = Self.uevents(stride(from: 0, through: 600, by: 60)) { time in
      "POWER_SUPPLY_STATUS=Discharging\nPOWER_SUPPLY_ENERGY_NOW=\(40_000_000 - time * 500 + (time > 300 ? 900_000 : 0))\n"
    }
    let stream = try Self.stream(text)
    #expect(stream.joules(from: 1, to: 599) == nil)
    #expect(Self.near(stream.joules(from: 0.25, to: 300.25), 540))
    #expect(Self.near(stream.joules(from: 360.25, to: 600.25), 432))
    #expect(stream.notes.contains { $0.contains("rose while discharging") })
  }

  @Test func miceAndPensAndChargersAreNoBatteriesOfTheMachine() throws {
    let others = """
      POWER_SUPPLY_NAME=hidpp_battery_0
      POWER_SUPPLY_TYPE=Battery
      POWER_SUPPLY_SCOPE=Device
      POWER_SUPPLY_STATUS=Charging
      POWER_SUPPLY_ENERGY_NOW=5
      POWER_SUPPLY_NAME=AC
      POWER_SUPPLY_TYPE=Mains
      POWER_SUPPLY_ONLINE=0

      """
    let text = Self.uevents([0, 100], device: others) { time in
      "POWER_SUPPLY_STATUS=Discharging\nPOWER_SUPPLY_ENERGY_NOW=\(40_000_000 - time * 500)\n"
    }
    #expect(Self.near(try Self.stream(text).joules(from: 0.25, to: 100.25), 180))
    let failure = #expect(throws: Failure.self) {
      try MeterLog.stream("@ 1\n\(others)@ 2\n\(others)", file: "x", kind: nil)
    }
    #expect(failure?.what == "no battery in it")
  }

  @Test func twoBatteriesAreOneSupply() throws {
    let text = [0, 100].map { time in
      ["BAT0", "BAT1"].map {
        "POWER_SUPPLY_NAME=\($0)\nPOWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_STATUS=Discharging\nPOWER_SUPPLY_ENERGY_NOW=\(20_000_000 - time * 250)\n"
      }.reduce("@ \(time)\n", +)
    }.joined()
    #expect(Self.near(try Self.stream(text).joules(from: 0, to: 100), 180))
  }

  @Test func aMissingAttributeNowAndThenIsBorneAndAlwaysIsRefused() throws {
    let text = Self.uevents(stride(from: 0, through: 1000, by: 50)) { time in
      "POWER_SUPPLY_STATUS=Discharging\n"
        + (time == 500 ? "" : "POWER_SUPPLY_ENERGY_NOW=\(40_000_000 - time * 500)\n")
    }
    let stream = try Self.stream(text)
    #expect(Self.near(stream.joules(from: 0.25, to: 1000.25), 1800))
    #expect(stream.notes.contains { $0.contains("lack") })
    let failure = #expect(throws: Failure.self) {
      try Self.stream(Self.uevents([0, 1]) { _ in "POWER_SUPPLY_STATUS=Discharging\n" })
    }
    #expect(failure?.remedy == "use a meter")
  }

  @Test func percentServesWhereTheBatteryTellsWhatAFullOneHolds() throws {
    let text = Self.uevents(stride(from: 0, through: 3600, by: 360)) { time in
      "POWER_SUPPLY_STATUS=Discharging\nPOWER_SUPPLY_CAPACITY=\(90 - time / 360)\nPOWER_SUPPLY_ENERGY_FULL=10000000\n"
    }
    let stream = try Self.stream(text)
    #expect(Self.near(stream.joules(from: 0.25, to: 3600.25), 3600))
    #expect(stream.stepJoules == 360)
    #expect(stream.notes.contains { $0.contains("percent only") })
  }

  @Test func aFolderOfCopiesIsReadByItsFiles() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    for time in [900, 1000, 1100] {
      let supply = folder.appendingPathComponent("\(time).5/BAT0")
      try FileManager.default.createDirectory(at: supply, withIntermediateDirectories: true)
      for (name, value) in [
        ("type", "Battery"), ("status", "Discharging"), ("energy_now", "\(50_000_000 - time * 1000)"),
      ] {
        try Data("\(value)\n".utf8).write(to: supply.appendingPathComponent(name))
      }
    }
    let log = try MeterLog(path: folder.path)
    #expect(Self.near(log.stream.joules(from: 900.5, to: 1100.5), 720))
    #expect(log.identity.contains("3 readings"))
  }

  // MARK: UPower

  private static func upower(_ times: some Sequence<Int>, _ lines: (Int) -> String) -> String {
    times.map { time in
      """
      @ \(time)
      Device: /org/freedesktop/UPower/devices/line_power_AC
        native-path:          AC
        power supply:         yes
        online:              no

      Device: /org/freedesktop/UPower/devices/battery_BAT0
        native-path:          BAT0
        power supply:         yes
        updated:              Sat 02 May 2026 10:00:00 CEST (12 seconds ago)
        battery
      \(lines(time))

      Device: /org/freedesktop/UPower/devices/mouse_hidpp
        native-path:          hidpp_battery_0
        power supply:         no
        percentage:          50%

      Device: /org/freedesktop/UPower/devices/DisplayDevice
        native-path:          (null)
        power supply:         yes
        percentage:          80%

      """
    }.joined()
  }

  @Test func uPowerTellsWattHours() throws {
    let text = Self.upower(stride(from: 0, through: 3600, by: 600)) { time in
      "    state:  discharging\n    energy:  \(40 - Double(time) / 3600 * 2) Wh\n    energy-rate:  2,0 W\n    percentage:  80%"
    }
    let stream = try Self.stream(text)
    #expect(stream.kind == .upower)
    #expect(Self.near(stream.joules(from: 0, to: 3600), 7200))
  }

  @Test(arguments: ["2.5 W", "-2.5 W", "2,5 W"])
  func itsRateCountsBySizeAndItsStateGivesTheDirection(_ rate: String) throws {
    let text = Self.upower([0, 30, 60]) { time in
      "    state:  discharging\n    energy-rate:  \(rate)\n    percentage:  80%"
    }
    #expect(Self.near(try Self.stream(text).joules(from: 0, to: 60), 150))
    let charging = text.replacing("discharging", with: "charging")
    #expect(try Self.stream(charging).count == 0)
  }

  @Test func aBatteryItDoesNotKnowIsRefusedWithTheWayOut() {
    let text = Self.upower([0, 30, 60]) { _ in
      "    state:  discharging\n    energy:  0 Wh\n    energy-rate:  0 W\n    percentage:  80%"
    }
    let failure = #expect(throws: Failure.self) { try Self.stream(text) }
    #expect(failure?.remedy?.contains("/sys/class/power_supply") == true)
  }

  @Test func aSnapshotWithoutItsTimeOrOutOfOrderIsRefused() {
    let uevent = "POWER_SUPPLY_NAME=B\nPOWER_SUPPLY_TYPE=Battery\n"
    for text in ["@ now\n\(uevent)", "@ 5\n\(uevent)@ 4\n\(uevent)"] {
      let failure = #expect(throws: Failure.self) { try Self.stream(text) }
      #expect(failure?.line != nil)
    }
  }
}

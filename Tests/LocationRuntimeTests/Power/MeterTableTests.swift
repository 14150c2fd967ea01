import Testing

@testable import LocationFormats
@testable import LocationLab

/// The meters whose logs are tables, with the traps that belong to each. All logs are made here.
@Suite struct MeterTableTests {
  private static func stream(_ text: String, shunt: Double? = nil) throws(Failure) -> MeterStream {
    try MeterLog.stream(text, file: "log.csv", kind: nil, shuntMicroohms: shunt)
  }

  private static func near(_ a: Double?, _ b: Double, _ tolerance: Double = 1e-9) -> Bool {
    a.map { abs($0 - b) <= tolerance * max(1, abs(b)) } ?? false
  }

  // MARK: RAPL

  @Test func aCounterThatWrapsIsTakenModuloItsRange() throws {
    let stream = try Self.stream(
      """
      # max_energy_range_uj=262143328850
      seconds,energy_uj
      10,262100000000
      20,262200000000
      """.replacing("262200000000", with: "56671150"))
    #expect(stream.kind == .rapl)
    // 43.33 J up to the range and 56.67 J beyond.
    #expect(Self.near(stream.joules(from: 10, to: 20), 100))
    #expect(stream.notes.contains { $0.contains("package only") })
  }

  @Test(arguments: ["\n", "\r\n"]) func `a byte order mark is passed over`(lineBreak: String) throws {
    let lines = ["\u{FEFF}seconds,power_w", "0,1.5", "10,1.5", ""]
    let stream = try Self.stream(lines.joined(separator: lineBreak))
    #expect(stream.kind == .usb)
    #expect(Self.near(stream.joules(from: 0, to: 10), 15))
  }

  @Test func aCounterThatFallsWithoutAStatedRangeIsRefused() {
    let failure = #expect(throws: Failure.self) { try Self.stream("seconds,energy_uj\n1,500\n2,400\n") }
    #expect(failure?.line == 3)
    #expect(failure?.remedy?.contains("max_energy_range_uj") == true)
  }

  @Test func readingsBetweenWhichTheCounterMayHaveWrappedUnseenAreNotJoined() throws {
    let text = """
      # max_energy_range_uj=262143328850
      # max_power_w=50
      seconds,energy_uj
      0,0
      60,300000000
      4000,900000000
      4060,1200000000
      """
    let stream = try Self.stream(text)
    #expect(Self.near(stream.joules(from: 0, to: 60), 300))
    #expect(stream.joules(from: 0, to: 4060) == nil)
    #expect(Self.near(stream.joules(from: 4000, to: 4060), 300))
    #expect(stream.notes.contains { $0.contains("wrapped unseen") })
  }

  // MARK: INA2xx

  @Test func anINAsPowerIsInMicrowattsItsCurrentInMilliamperesItsShuntInMillivolts() throws {
    let power = try Self.stream("seconds,power1_input\n0,1600000\n10,1600000\n")
    #expect(Self.near(power.joules(from: 0, to: 10), 16))
    let current = try Self.stream("seconds,in1_input,curr1_input\n0,5000,320\n10,5000,320\n")
    #expect(Self.near(current.joules(from: 0, to: 10), 16))
    let shunt = try Self.stream(
      "# shunt_resistor=100000\nseconds,in1_input,in0_input\n0,5000,32\n10,5000,32\n")
    #expect(Self.near(shunt.joules(from: 0, to: 10), 16))
    let energy = try Self.stream("seconds,energy1_input\n0,5000000\n10,21000000\n")
    #expect(Self.near(energy.joules(from: 0, to: 10), 16))
  }

  @Test func aWrongShuntIsCorrectedByTheTrueOneAndScalesEverything() throws {
    let text = "# shunt_resistor=10000\nseconds,power1_input\n0,16000000\n10,16000000\n"
    let stream = try Self.stream(text, shunt: 100_000)
    #expect(Self.near(stream.joules(from: 0, to: 10), 16))
    #expect(stream.notes.contains { $0.contains("true shunt") })
    let failure = #expect(throws: Failure.self) {
      try Self.stream("seconds,power1_input\n0,1\n1,1\n", shunt: 100_000)
    }
    #expect(failure?.remedy?.contains("shunt_resistor") == true)
  }

  @Test func currentsOfAFewMilliamperesAreSaidToBeCoarse() throws {
    let stream = try Self.stream("seconds,in1_input,curr1_input\n0,5000,3\n10,5000,4\n20,5000,3\n")
    #expect(stream.notes.contains { $0.contains("steps of 1 mA") })
    #expect(stream.meterSpread > 1.05)
  }

  @Test func aMeterThatAveragesForLessThanItIsSampledIsSaidToMissPeaks() throws {
    let text = "# update_interval=140\nseconds,power1_input\n0,1\n1,1\n2,1\n"
    #expect(try Self.stream(text).notes.contains { $0.contains("raise update_interval") })
    #expect(try Self.stream(text.replacing("140", with: "1000")).notes.isEmpty)
  }

  @Test func aDirectionOfCurrentIsNotEnergyGained() throws {
    let text = "seconds,voltage_v,current_a\n0,5,-0.32\n10,5,-0.32\n"
    #expect(Self.near(try Self.stream(text).joules(from: 0, to: 10), 16))
  }

  // MARK: USB meters

  @Test func aUSBMetersCounterIsInMilliwattHours() throws {
    let stream = try Self.stream("seconds,energy_mwh\n0,100\n3600,150\n")
    #expect(stream.kind == .usb)
    #expect(Self.near(stream.joules(from: 0, to: 3600), 180))
    #expect(stream.stepJoules == 3.6)
    #expect(stream.notes.contains { $0.contains("converter") })
  }

  @Test func `a counter that runs while the readings say nothing stops nobody`() throws {
    let stream = try Self.stream("seconds,power_w,energy_mwh\n0,0,100\n3600,0,150\n")
    #expect(stream.joules(from: 0, to: 3600) == 0)
  }

  @Test func aUSBMeterThatSamplesTooRarelyIsToldByItsOwnCounter() throws {
    // 1 W whenever it looks, and 2 W on the average.
    let rows = (0...40).map { "\($0 * 10),5,0.2,\(Double($0) * 10 * 2 / 3.6)" }
    let stream = try Self.stream("seconds,voltage_v,current_a,energy_mwh\n" + rows.joined(separator: "\n"))
    #expect(stream.notes.contains { $0.contains("samples too rarely") })
  }

  // MARK: Any table

  @Test(
    arguments: [
      ("seconds,powr1_input\n1,2\n", "unknown column \"powr1_input\"; did you mean \"power1_input\"?"),
      ("seconds,power1_input\n1,2\n1,2\n", ":3: the time does not rise"),
      ("seconds,power1_input\n1\n", ":2: 1 values under 2 names"),
      ("seconds,power1_input\n1,x\n", ":2: \"x\" is not a number"),
      ("seconds,power1_input\n,2\n", ":2: a reading without its time"),
      ("power1_input\n2\n", "no column `seconds`"),
      ("# clock=monotonic\nseconds,power1_input\n1,2\n", "its times are of the clock \"monotonic\""),
      ("# shunt_resistor=a\nseconds,power1_input\n1,2\n", "# shunt_resistor=a is not a number above 0"),
    ]
  )
  func whatIsWrongWithATableIsSaid(_ text: String, _ complaint: String) {
    let failure = #expect(throws: Failure.self) {
      try MeterLog.stream(text, file: "log.csv", kind: .ina2xx)
    }
    #expect(failure?.description.contains(complaint) == true, "\(failure.map(\.description) ?? "")")
  }

  @Test func whatIsNoMetersLogIsRefused() {
    #expect(throws: Failure.self) { try Self.stream("hello\n") }
    #expect(throws: Failure.self) { try Self.stream("") }
    #expect(throws: Failure.self) { try Self.stream("seconds,energy_uj\n1,2\n2,3\n", shunt: 5) }
  }

  @Test func betweenTwoReadingsEnergyIsUsedEvenlyAndBeyondThemNothingIsKnown() throws {
    let stream = try Self.stream("seconds,energy1_input\n0,0\n10,10000000\n20,40000000\n")
    #expect(Self.near(stream.joules(from: 5, to: 15), 20))
    #expect(Self.near(stream.joules(from: 0, to: 20), 40))
    #expect(stream.joules(from: -1, to: 5) == nil)
    #expect(stream.joules(from: 5, to: 21) == nil)
  }
}

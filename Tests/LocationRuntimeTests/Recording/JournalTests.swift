import LocationCore
import LocationFormats
import TestSupport
import Testing

@Suite struct JournalTests {
  private let folder = TemporaryFolder()

  /// An event of every kind, with values that are hard to keep.
  static let events: [Event] = [
    .fix(Drive.report(0, east: 0)),
    .fix(
      FixReport(
        time: nil, latitude: .nan, longitude: .infinity,
        accuracy: Accuracy(radiusMeters: -1, source: .assumed))),
    .fix(
      FixReport(
        time: UTCTime(microseconds: .min), latitude: 0.1 + 0.2, longitude: -180,
        accuracy: Accuracy(radiusMeters: .leastNonzeroMagnitude, source: .hdop), mode: .twoD,
        speedMetersPerSecond: 0,
        courseDegrees: 359.99999999999994, altitudeMeters: -0.0, received: UTCTime(microseconds: .max))),
    .segmentBreak,
    .source(.found(name: "gpsd \"3.22\"")), .source(.stale(.noDevice, seconds: 1.5)),
    .source(.switched(to: "/dev/ü")), .source(.dropped(reports: 3, seconds: 0.1)),
    .addRegion(
      Region(
        id: "a", name: "b", shape: .circle(center: Drive.origin, radiusMeters: 0.1),
        notify: [.enter, .cross],
        maxLatencySeconds: 7, initial: .silent)),
    .removeRegion(id: "a"),
    .addSubscriber(
      Subscriber(name: "s", command: ["/bin/x", "-y"], services: [.regions], regions: ["a"]), .suspended),
    .removeSubscriber(name: "s"),
    .subscriber(name: "s", .foreground), .subscriber(name: "s", .exited(status: -1)),
    .subscriber(name: "s", .acknowledged(event: 9, coreSeconds: 0.001)),
    .subscriber(name: "s", .dismissed(event: 9)), .subscriber(name: "s", .registered),
    .subscriber(name: "s", .beginTask(name: "t")), .subscriber(name: "s", .endTask(token: 1)),
    .subscriber(name: "s", .authorization(.whenInUse)), .subscriber(name: "s", .quit),
    .subscriber(name: "s", .mode(.notify(LocalNotification(id: "n", title: "t", when: .now)))),
    .subscriber(name: "s", .mode(.fetched(.newData, bytes: 7))),
    .subscriber(name: "s", .mode(.keepAlive(seconds: 600))), .subscriber(name: "s", .mode(.tag("sip"))),
    .subscriber(name: "s", .mode(.traffic(tag: "sip", bytes: 7, lost: 1))),
    .subscriber(name: "s", .mode(.audio(.begin(.both, mixes: true)))), .machine(.audioCommand("play")),
    .subscriber(name: "s", .mode(.presented(event: 3))),
    .subscriber(
      name: "s",
      .mode(
        .push(
          Push(
            id: "p", alert: LocalNotification.Content(title: "t"), isContentAvailable: true, payload: "{}")))),
    .subscriber(name: "s", .mode(.transfer(TransferTerms(session: "maps", kind: .put)))),
    .subscriber(name: "s", .mode(.cancelTransfer(number: 1))),
    .subscriber(name: "s", .mode(.answerTransfer(number: 2))),
    .subscriber(name: "s", .mode(.transferAsks(number: 3))),
    .subscriber(name: "s", .mode(.transferBroke(number: 3, retrySeconds: 0.75))),
    .subscriber(
      name: "s",
      .mode(.transferEnded(number: 4, .failed(.status, status: 404), bytes: 7))),
    .subscriber(
      name: "s",
      .mode(.accessory(.open(AccessoryTerms(session: "m", device: "/dev/ttyS0", baud: 19200))))),
    .subscriber(name: "s", .mode(.accessory(.data(session: "m", bytes: 7, lost: nil)))),
    .subscriber(
      name: "s",
      .mode(
        .accessory(
          .open(
            AccessoryTerms(
              session: "g", device: "AA:BB:CC:DD:EE:FF",
              gatt: .central(service: "180d", characteristic: "2a37")))))),
    .subscriber(
      name: "s",
      .mode(
        .accessory(
          .request(
            session: "g", GattRequest(number: 3, kind: .write, characteristic: "2a37", value: "01"))))),
    .subscriber(name: "s", .mode(.accessory(.permitBluetooth(false)))),
    .beacon(.seen(Beacon(uuid: Array(0..<16), major: 1, minor: 7), seconds: 5)),
    .beacon(.seen(Beacon(uuid: Array(0..<16), major: 1, minor: 7), seconds: nil)),
    .beacon(.lost(nil, secondsAgo: 10)),
    .machine(.zone(.utc)), .machine(.network(.metered)), .machine(.absent(true)), .machine(.audience(true)),
    .machine(.notifier(false)), .machine(.utc(aheadMicroseconds: -3)),
    .machine(.supply(PowerSupply(isOnBattery: true, percent: 19))), .machine(.awake),
    .machine(.reboot), .machine(.memoryPressure(.critical)), .machine(.lowPower(true)), .machine(.unlock),
    .end,
  ]

  @Test(arguments: events) func `every event comes back as it was`(event: Event) throws {
    let stamped = Stamped(at: EngineInstant(microseconds: .min + 1), event)
    let path = folder("one")
    let writer = try JournalWriter(path: path, configuration: EngineConfiguration())
    try writer.append(stamped)
    try writer.flush()
    let reading = try Recording(path: path)
    #expect(reading.events.count == 1)
    // Not a number is not equal to itself: compare what is written.
    #expect(try text(of: reading.events) == text(of: [stamped]))
    if case .fix(let report) = event, report.latitude.isNaN { return }
    #expect(reading.events == [stamped])
  }

  @Test func `a line is what the documentation shows`() throws {
    let report = FixReport(
      time: UTCTime(microseconds: 1_777_615_199_900_000), latitude: 48.1371, longitude: 11.5754,
      accuracy: Accuracy(radiusMeters: 5, source: .reported), mode: .threeD)
    let stamped = [
      Stamped(at: EngineInstant(microseconds: 1_777_615_200_000_000), .fix(report)),
      Stamped(at: EngineInstant(microseconds: 1_777_615_201_000_000), .source(.found(name: "gpsd 3.22"))),
    ]
    #expect(
      try text(of: stamped) == """
        {"at":1777615200000000,"fix":{"time":1777615199900000,"lat":48.1371,"lon":11.5754,"acc_m":5.0,"acc_source":"reported","mode":3}}
        {"at":1777615201000000,"event":{"source":{"_0":{"found":{"name":"gpsd 3.22"}}}}}

        """)
  }

  private func text(of events: [Stamped]) throws -> String {
    var bytes: [UInt8] = []
    for event in events { try JournalLine.append(event, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `the configuration comes back, and what it does not name is as by default`() throws {
    var configuration = EngineConfiguration()
    configuration.significant.distanceMeters = 123.456
    configuration.explains = true
    let path = folder("configured")
    _ = try JournalWriter(path: path, configuration: configuration)
    #expect(try Recording(path: path).configuration == configuration)

    let older = folder.write(
      "older",
      #"{"journal":"locwatch","v":1,"configuration":{"significant":{"windowSeconds":7.0},"gone":1}}"# + "\n")
    var expected = EngineConfiguration.standard
    expected.significant.windowSeconds = 7
    #expect(try Recording(path: older).configuration == expected)
  }

  @Test(arguments: ["[]", "[1]"]) func `a profile without a number for each parameter is refused`(
    _ parameters: String
  ) {
    let header =
      #"{"journal":"locwatch","v":1,"configuration":{"profile":{"parameters":\#(parameters)}}}"# + "\n"
    let path = folder.write("short", header + #"{"at":1,"event":{"segmentBreak":{}}}"# + "\n")
    #expect(throws: (any Error).self) { try Recording(path: path) }
  }

  @Test(arguments: [Int.max, Int.min, 253_402_300_800])
  func `a time on the wall that no calendar has is refused`(_ seconds: Int) throws {
    let event = Event.subscriber(
      name: "s",
      .mode(.notify(LocalNotification(id: "n", title: "t", when: .wall(WallTime(seconds: 7_777_777))))))
    let line = try text(of: [Stamped(at: EngineInstant(microseconds: 1), event)])
    let broken = line.replacing("7777777", with: "\(seconds)")
    let header = #"{"journal":"locwatch","v":1,"configuration":{}}"# + "\n"
    #expect(try Recording(path: folder.write("whole", header + line)).events.count == 1)
    #expect(throws: (any Error).self) { try Recording(path: folder.write("broken", header + broken)) }
  }

  @Test func `an event that was cut off is left out with a note`() throws {
    let whole = String(repeating: #"{"at":1,"event":{"segmentBreak":{}}}"# + "\n", count: 3)
    let header = #"{"journal":"locwatch","v":1,"configuration":{}}"# + "\n"
    for cut in 1..<37 {
      let path = folder.write("cut", header + whole + String(whole.prefix(cut)))
      let reading = try Recording(path: path)
      let isWhole = cut >= 36
      #expect(reading.events.count == (isWhole ? 4 : 3), "cut after \(cut)")
      #expect(reading.notes.isEmpty == isWhole)
    }
  }

  @Test(arguments: [
    (#"{"journal":"locwatch","v":2,"configuration":{}}"# + "\n", 1, "version 2"),
    (#"{"journal":"locwatch"}"# + "\n", 1, "no version"),
    (#"{"journal":"locwatch","v":1"#, 1, "cut off"),
    (#"{"journal":"locwatch","v":1,"configuration":{"gate":3}}"# + "\n", 1, "configuration"),
    (#"{"journal":"locwatch","v":1}"# + "\n{}\n", 2, "instant"),
    (#"{"journal":"locwatch","v":1}"# + "\n\n" + #"{"at":1}"# + "\n", 3, "its event"),
    (
      #"{"journal":"locwatch","v":1}"# + "\n" + #"{"at":1,"event":{"unheardOf":{}}}"# + "\n", 2,
      "not an event"
    ),
    (#"{"journal":"locwatch","v":1}"# + "\n" + #"{"at":1.5,"event":{"end":{}}}"# + "\n", 2, "not an event"),
    (#"{"journal":"locwatch","v":1}"# + "\nx\n", 2, "expected"),
  ])
  func `what is no recording of ours is refused with its line`(text: String, line: Int, what: String) throws {
    let path = folder.write("bad", text)
    let failure = #expect(throws: Failure.self) { try Recording(path: path) }
    #expect(failure?.code == .data)
    #expect(failure?.line == line)
    #expect(failure?.what.contains(what) == true, "\(failure?.what ?? "")")
  }

  @Test func `a recording can be read by its owner alone`() throws {
    let path = folder("private")
    _ = try JournalWriter(path: path, configuration: EngineConfiguration())
    #expect(permissions(of: path) == 0o600)
  }
}

import LocationCore
import TestSupport
import Testing

@testable import LocationFormats
@testable import LocationLab
@testable import LocationRuntime

/// Scenario files: what each verb means, and what is refused.
@Suite struct ScenarioTests {
  private static func read(_ yaml: String) throws(Failure) -> Scenario {
    let folder = TemporaryFolder()
    return try Scenario(path: folder.write("day.yaml", yaml), subscribers: ["logger", "watch"])
  }

  private static let mail = {
    var alert = LocalNotification.Content(title: "Mail")
    alert.data = #"{"n":1}"#
    return alert
  }()

  private static let upload = {
    var terms = TransferTerms(session: "maps", kind: .put)
    terms.metered = true
    return terms
  }()

  private static let serviceUUID = "0000180d-0000-1000-8000-00805f9b34fb"
  private static let characteristicUUID = "00002a37-0000-1000-8000-00805f9b34fb"
  private static let band = AccessoryTerms(
    session: "band", device: "AA:BB:CC:DD:EE:FF",
    gatt: .central(service: serviceUUID, characteristic: characteristicUUID))
  private static let lamp = AccessoryTerms(
    session: "lamp",
    gatt: .peripheral(
      GattService(
        uuid: serviceUUID,
        characteristics: [GattCharacteristic(uuid: characteristicUUID, uses: [.read, .write, .notify])])))

  /// Each verb as it stands in a step, and what it does.
  private static let tag = Beacon(
    namespace: [0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99],
    instance: [0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF])

  private static let verbs: [(Scenario.Step.Key, String, Scenario.Action)] = [
    (.launch, "launch: logger", .launch(subscriber: "logger")),
    (.background, "background: logger", .subscriber(name: "logger", .background)),
    (.foreground, "foreground: logger", .subscriber(name: "logger", .foreground)),
    (.quit, "quit: logger", .subscriber(name: "logger", .quit)),
    (.exit, "exit: logger, status: 3", .subscriber(name: "logger", .exited(status: 3))),
    (
      .authorization, "authorization: logger, value: whenInUse",
      .subscriber(name: "logger", .authorization(.whenInUse))
    ),
    (.accuracy, "accuracy: logger, value: reduced", .subscriber(name: "logger", .accuracy(.reduced))),
    (
      .backgroundDelivery, "background_delivery: logger, value: false",
      .subscriber(name: "logger", .backgroundDelivery(false))
    ),
    (.start, "start: logger, service: visits", .subscriber(name: "logger", .start(.visits))),
    (
      .stop, "stop: logger, service: significant-change",
      .subscriber(name: "logger", .stop(.significantChange))
    ),
    (.locate, "locate: logger, seconds: 20", .subscriber(name: "logger", .locate(seconds: 20))),
    (.hangs, "hangs: logger, value: true", .hang(subscriber: "logger", true)),
    (.memory, "memory: logger, bytes: 1048576", .subscriber(name: "logger", .memory(bytes: 1 << 20))),
    (.lock, "lock: logger, value: true", .subscriber(name: "logger", .lock(isHeld: true))),
    (
      .beginTask, "begin_task: logger, task: upload, seconds: 45",
      .task(subscriber: "logger", name: "upload", seconds: 45)
    ),
    (.lock, "lock: true", .machine(.lock)),
    (.interrupt, "interrupt: logger", .subscriber(name: "logger", .interrupted(true))),
    (.interrupt, "interrupt: logger, value: false", .subscriber(name: "logger", .interrupted(false))),
    (.interrupt, "interrupt: true", .call(begins: true)),
    (.interrupt, "interrupt: false", .call(begins: false)),
    (.memoryPressure, "memory_pressure: critical", .memoryPressure(.critical, freesBytes: nil)),
    (
      .memoryPressure, "memory_pressure: critical, frees_bytes: 5",
      .memoryPressure(.critical, freesBytes: 5)
    ),
    (.lowPower, "low_power: true", .machine(.lowPower(true))),
    (
      .cancelNotification, "cancel_notification: logger, id: tea",
      .subscriber(name: "logger", .mode(.cancelNotification(id: "tea")))
    ),
    (
      .openNotification, "open_notification: logger, id: tea",
      .subscriber(name: "logger", .mode(.openNotification(id: "tea")))
    ),
    (
      .notifications, "notifications: logger, value: denied",
      .subscriber(name: "logger", .mode(.permitNotifications(false)))
    ),
    (
      .fetchAnswer, "fetch_answer: logger, value: newData, seconds: 5, bytes: 2048",
      .fetchAnswer(subscriber: "logger", .newData, seconds: 5, bytes: 2048)
    ),
    (
      .keepAlive, "keep_alive: logger, seconds: 900",
      .subscriber(name: "logger", .mode(.keepAlive(seconds: 900)))
    ),
    (.tag, "tag: logger, value: sip", .subscriber(name: "logger", .mode(.tag("sip")))),
    (
      .traffic, "traffic: logger, tag: sip, bytes: 120",
      .subscriber(name: "logger", .mode(.traffic(tag: "sip", bytes: 120, lost: nil)))
    ),
    (
      .keepAlive, "keep_alive: logger, seconds: 900, handler_s: 31",
      .handled(subscriber: "logger", .keepAlive(seconds: 900), seconds: 31)
    ),
    (
      .beginAudio, "begin_audio: logger, kind: both, mixes: true",
      .subscriber(name: "logger", .mode(.audio(.begin(.both, mixes: true))))
    ),
    (.endAudio, "end_audio: logger, token: 2", .subscriber(name: "logger", .mode(.audio(.end(token: 2))))),
    (
      .audioLevel, "audio_level: logger, dbfs: -70",
      .subscriber(name: "logger", .mode(.audio(.level(decibels: -70))))
    ),
    (
      .microphone, "microphone: logger, value: denied",
      .subscriber(name: "logger", .mode(.audio(.permitMicrophone(false))))
    ),
    (.audioCommand, "audio_command: pause", .machine(.audioCommand("pause"))),
    (
      .push, #"push: logger, payload: {alert: Mail, content-available: 1, id: "7", data: {n: 1}}"#,
      .subscriber(
        name: "logger",
        .mode(
          .push(
            Push(
              id: "7", alert: Self.mail, isContentAvailable: true,
              payload: #"{"alert":"Mail","content-available":1,"id":"7","data":{"n":1}}"#))))
    ),
    (
      .transfer, "transfer: logger, session: maps, kind: put, bytes: 2048, seconds: 20, metered: true",
      .transfer(
        subscriber: "logger", Self.upload,
        Scenario.ModelledTransfer(bytes: 2048, seconds: 20, outcome: .done, asks: false))
    ),
    (
      .cancelTransfer, "cancel_transfer: logger, id: 2",
      .subscriber(name: "logger", .mode(.cancelTransfer(number: 2)))
    ),
    (
      .answerTransfer, "answer_transfer: logger, id: 2",
      .subscriber(name: "logger", .mode(.answerTransfer(number: 2)))
    ),
    (
      .openAccessory, "open_accessory: logger, session: meter, device: /dev/ttyUSB0, baud: 19200",
      .subscriber(
        name: "logger",
        .mode(
          .accessory(
            .open(AccessoryTerms(session: "meter", device: "/dev/ttyUSB0", baud: 19200)))))
    ),
    (
      .closeAccessory, "close_accessory: logger, session: meter",
      .subscriber(name: "logger", .mode(.accessory(.close(session: "meter"))))
    ),
    (
      .accessoryEvents, "accessory_events: logger, value: false",
      .subscriber(name: "logger", .mode(.accessory(.want(false))))
    ),
    (
      .allowAccessory, "allow_accessory: logger, value: false",
      .subscriber(name: "logger", .mode(.accessory(.allow(false))))
    ),
    (
      .openAccessory,
      "open_accessory: logger, session: band, kind: gatt, device: \"aa:bb:cc:dd:ee:ff\", service: 180d,"
        + " characteristic: 2A37",
      .subscriber(name: "logger", .mode(.accessory(.open(Self.band))))
    ),
    (
      .openAccessory,
      "open_accessory: logger, session: lamp, kind: gatt, peripheral: true, service: 180d,"
        + " characteristic: 2a37",
      .subscriber(name: "logger", .mode(.accessory(.open(Self.lamp))))
    ),
    (
      .advertise, "advertise: logger, type: _http._tcp, port: 8080",
      .subscriber(name: "logger", .mode(.advertise(AdvertisedService(type: "_http._tcp", port: 8080))))
    ),
    (
      .bluetooth, "bluetooth: logger, value: denied",
      .subscriber(name: "logger", .mode(.accessory(.permitBluetooth(false))))
    ),
    (
      .beacon, "beacon: \"00112233445566778899:aabbccddeeff\", seconds: 60",
      .beacon(.seen(Self.tag, seconds: 60))
    ),
    (.timezone, "timezone: UTC", .machine(.zone(.utc))),
    (.network, "network: metered", .machine(.network(.metered))),
    (.power, "power: battery, value: 40", .machine(.supply(PowerSupply(isOnBattery: true, percent: 40)))),
    (.machineAwake, "machine_awake: true", .machine(.awake)),
    (.source, "source: lost", .source(.stale(.lost, seconds: 0))),
    (.reboot, "reboot: true", .machine(.reboot)), (.unlock, "unlock: true", .machine(.unlock)),
  ]

  @Test func `every verb is read as what it means`() throws {
    // A notification has keys of its own: NotificationTests.
    let others =
      Scenario.Step.subscriberVerbs.map(\.key).filter { $0 != .notify }
      + Scenario.Step.machineVerbs.map(\.key)
    #expect(Set(Self.verbs.map(\.0)) == Set(others))
    for (_, text, action) in Self.verbs {
      let scenario = try Self.read("steps:\n  - {at: +5, \(text)}\n")
      #expect(scenario.steps == [Scenario.Step(at: .afterFirstFix(seconds: 5), action: action)], "\(text)")
    }
  }

  @Test func `what a verb needs and does not say is as by default, or is missing`() throws {
    let steps = try Self.read("steps:\n- {at: +1, exit: logger}\n- {at: +1, locate: logger}").steps
    #expect(
      steps.map(\.action) == [
        .subscriber(name: "logger", .exited(status: 0)), .subscriber(name: "logger", .locate(seconds: 30)),
      ])
    for (text, key) in [
      ("authorization: logger", "value"), ("accuracy: logger", "value"), ("start: logger", "service"),
      ("hangs: logger", "value"), ("memory: logger", "bytes"), ("lock: logger", "value"),
      ("begin_task: logger, task: a", "seconds"), ("begin_task: logger, seconds: 1", "task"),
    ] {
      let failure = #expect(throws: Failure.self) { try Self.read("steps:\n  - {at: +5, \(text)}\n") }
      #expect(failure?.line == 2 && failure?.what == "steps[0]: `\(key)` is missing", "\(text): \(failure!)")
    }
  }

  /// What is refused: the file, the line of the mistake, what is said of it.
  @Test(arguments: [
    ("steps:\n  - {at: +0, lunch: logger}", 2, "steps[0]: unknown key \"lunch\"; did you mean \"launch\"?"),
    ("step: []", 1, "unknown key \"step\"; did you mean \"steps\"?"),
    ("protect_until_first_unlock: true", 1, "`steps` is missing"),
    (
      "protect_until_first_unlock: yes\nsteps: []", 1,
      "protect_until_first_unlock: expected true or false, found \"yes\""
    ),
    ("steps: launch", 1, "steps: expected a list, found \"launch\""),
    ("steps:\n  - launch", 2, "steps[0]: expected a map of "),
    (
      "steps:\n  - {at: +0, quit: loger}", 2,
      "steps[0].quit: no subscriber is called \"loger\"; did you mean \"logger\"?"
    ),
    ("steps:\n  - {at: +0, quit: x}", 2, "subscribers here: logger, watch"),
    ("steps:\n  - {at: +0, quit: [logger]}", 2, "steps[0].quit: expected text, found a list"),
    ("steps:\n  - {launch: logger}", 2, "steps[0]: `at` is missing"),
    ("steps:\n  - {at: +0}", 2, "steps[0]: one of launch, background,"),
    (
      "steps:\n  - {at: 5, launch: logger}", 2,
      "steps[0].at: \"5\" is not a time; write +SECONDS after the first fix"
    ),
    ("steps:\n  - {at: +-5, launch: logger}", 2, "steps[0].at: \"+-5\" is not a time; "),
    ("steps:\n  - {at: 2026-05-01, launch: logger}", 2, "is not a time; "),
    (
      "steps:\n  - {at: +1e300, launch: logger}", 2,
      "steps[0].at: \"+1e300\" is too late; write at most +1000000000, some 30 years"
    ),
    ("steps:\n  - {at: [1], launch: logger}", 2, "steps[0].at: expected text, found a list"),
    (
      "steps:\n  - {at: +0, launch: logger, quit: logger}", 2,
      "steps[0].quit: can't stand beside `launch`"
    ),
    ("steps:\n  - {at: +0, launch: logger, status: 1}", 2, "steps[0].status: has no meaning beside `launch`"),
    ("steps:\n  - {at: +0, reboot: true, value: 1}", 2, "steps[0].value: has no meaning beside `reboot`"),
    (
      "steps:\n  - {at: +0, notify: logger, title: Tea, now: true, repeat: day}", 2,
      "steps[0].repeat: can't stand beside `now`; write after_s: 0 in place of now"
    ),
    (
      "steps:\n  - {at: +0, notify: logger, title: Tea, region: home, repeat: day}", 2,
      "steps[0].repeat: can't stand beside `region`; write once: false to show it each time"
    ),
    (
      "steps:\n  - {at: +0, notify: logger, title: Tea, after_s: 5, on: exit}", 2,
      "steps[0].on: has no meaning beside `after_s`"
    ),
    (
      "steps:\n  - {at: +0, notify: logger, title: Tea, now: true, once: false}", 2,
      "steps[0].once: has no meaning beside `now`"
    ),
    ("steps:\n  - {at: +0, reboot: false}", 2, "steps[0].reboot: can only be true; leave the step out"),
    ("steps:\n  - {at: +0, unlock: 1}", 2, "steps[0].unlock: expected true or false, found \"1\""),
    ("steps:\n  - {at: +0, exit: logger, status: 256}", 2, "steps[0].status: 256 is outside 0 to 255"),
    ("steps:\n  - {at: +0, exit: logger, status: x}", 2, "steps[0].status: expected a whole number"),
    (
      "steps:\n  - {at: +0, authorization: logger, value: sometimes}", 2,
      "steps[0].value: unknown word \"sometimes\"; words here: denied, whenInUse, always"
    ),
    ("steps:\n  - {at: +0, accuracy: logger, value: ful}", 2, "did you mean \"full\"?"),
    ("steps:\n  - {at: +0, start: logger, service: visit}", 2, "did you mean \"visits\"?"),
    ("steps:\n  - {at: +0, memory_pressure: high}", 2, "words here: none, warning, critical"),
    ("steps:\n  - {at: +0, source: found it}", 2, "unknown word \"found it\""),
    ("steps:\n  - {at: +0, memory: logger, bytes: 1.5}", 2, "steps[0].bytes: expected a whole number"),
    ("steps:\n  - {at: +0, locate: logger, seconds: 4000}", 2, "4000 is outside 0 to 3600"),
    (
      "steps:\n  - {at: +10, launch: logger}\n  - {at: +5, background: logger}", 3,
      "steps[1]: happens before a step above it; put the steps in the order in which they happen"
    ),
    (
      "steps:\n  - {at: 2026-05-01T06:00:00Z, unlock: true}\n  - {at: +5, launch: logger}\n"
        + "  - {at: 2026-05-01T05:00:00Z, reboot: true}", 4, "steps[2]: happens before a step above it"
    ),
    (
      "steps:\n  - {at: +0, transfer: logger, session: s, bytes: 1, seconds: 1, result: failed, status: 200}",
      2,
      "steps[0].status: 200 is outside 400 to 999"
    ),
    (
      "steps:\n  - {at: +0, open_accessory: logger, session: s, baud: 7777}", 2,
      "steps[0].baud: is no speed that serial drivers know; write 9600 or 115200, for instance"
    ),
    (
      "steps:\n  - {at: +0, open_accessory: logger, session: s, kind: usb, peripheral: true}", 2,
      "steps[0].peripheral: is for another kind than usb; remove it, or change kind"
    ),
    ("steps: [\n  {at: +0, launch: logger}", 3, "not YAML"),
    ("steps:\n  - {at: +0, launch: logger, launch: watch}", 2, "`launch` is there more than once"),
    ("", 1, "nothing in it"),
  ])
  func `a mistake is refused with file, line and remedy`(yaml: String, line: Int, words: String) throws {
    let failure = try #require(throws: Failure.self) { try Self.read(yaml) }
    #expect(failure.code == .data)
    #expect(failure.file?.hasSuffix("/day.yaml") == true)
    #expect(failure.line == line, "\(failure)")
    #expect("\(failure)".contains(words), "\(failure)")
  }

  @Test func `steps of one time keep their order, and a time is not compared with seconds`() throws {
    let scenario = try Self.read(
      """
      steps:
        - {at: +5, launch: logger}
        - {at: +5, background: logger}
        - {at: 2020-01-01T00:00:00Z, unlock: true}
        - {at: +5, quit: logger}
      """)
    #expect(scenario.steps.count == 4)
    #expect(scenario.protectUntilFirstUnlock == nil)
  }

  @Test func `every scenario that is shipped is in order`() throws {
    for track in ShippedTrack.all {
      let name = try SubscriberManifest.read(path: PackageRoot.file(track.subscriber)).name
      #expect(throws: Never.self) {
        try Scenario(path: PackageRoot.file(track.scenario), subscribers: [name])
      }
    }
  }
}

import Foundation
import TestSupport
import Testing

@testable import LocationCore

/// Rules J3 and J3a: sessions of Bluetooth, which go on without the process of their program.
@Suite struct BluetoothTests {
  private static let heartRate = "00002a37-0000-1000-8000-00805f9b34fb"
  private static let terms = AccessoryTerms(
    session: "band", device: "AA:BB:CC:DD:EE:FF",
    gatt: .central(service: "0000180d-0000-1000-8000-00805f9b34fb", characteristic: heartRate))
  private static let service = AccessoryTerms(
    session: "lamp",
    gatt: .peripheral(
      GattService(
        uuid: "0000aaaa-0000-1000-8000-00805f9b34fb",
        characteristics: [
          GattCharacteristic(uuid: heartRate, uses: [.read, .write, .notify], value: "00"),
          GattCharacteristic(uuid: "0000bbbb-0000-1000-8000-00805f9b34fb", uses: [.read]),
        ])))

  private static func stage(
    modes: Subscriber.Modes = [.bluetoothCentral, .bluetoothPeripheral], isProtected: Bool = false
  ) -> Stage {
    var stage = Stage { $0.policy.protectUntilFirstUnlock = isProtected }
    // No right to know the position is needed.
    stage.add(Subscriber(name: "a", services: [], modes: modes, authorization: .denied), .active, at: 0)
    return stage
  }

  /// One whose session is open and connected, and which is suspended since 10 s.
  private static func suspended(_ terms: AccessoryTerms = terms, isProtected: Bool = false) -> Stage {
    var stage = stage(isProtected: isProtected)
    stage.say(1, .mode(.accessory(.open(terms))))
    stage.say(1, .mode(.accessory(.connected(session: terms.session))))
    stage.say(4, .background)
    stage.wait(until: 10)
    return stage
  }

  private static func event(_ event: AccessoryEvent) -> SubscriberEvent { .mode(.accessory(event)) }
  private static func data(_ bytes: Int? = 2) -> SubscriberEvent {
    event(.data(session: "band", bytes: bytes, lost: nil))
  }

  // MARK: J3

  @Test func `J3 data, connect and disconnect wake a suspended program for 10 s`() throws {
    let causes: [(AccessoryEvent, String)] = [
      (.data(session: "band", bytes: 2, lost: nil), "accessory_data"),
      (.disconnected(session: "band"), "accessory_disconnected"),
    ]
    for (event, reason) in causes {
      var stage = Self.suspended()
      #expect(stage.engine.subscriberState("a") == .suspended)
      stage.say(20, Self.event(event))
      #expect(stage.log().last == "wake J3 suspended>background \(reason)")
      let launch = try #require(
        stage.effects.orders.compactMap { if case .wake(_, let launch) = $0 { launch } else { nil } }.last)
      #expect(launch.kind == "bluetooth" && launch.session == "band" && launch.budgetSeconds == 10)
      stage.wait(until: 30)
      #expect(stage.engine.subscriberState("a") == .suspended)
    }
  }

  @Test func `J3 the session goes on without the process, and data relaunches it`() throws {
    var stage = Self.suspended()
    stage.answerSeconds = 3
    stage.say(20, .exited(status: 0))
    #expect(stage.engine.subscriber("a")?.accessories.map(\.isConnected) == [true])
    #expect(stage.accessoryOrders == ["open band"])
    stage.say(30, Self.data())
    #expect(stage.log().last == "relaunch J3 notRunning>background accessory_data")
    let launch = try #require(
      stage.effects.orders.compactMap { if case .relaunch(_, let launch) = $0 { launch } else { nil } }.last)
    #expect(launch.kind == "bluetooth" && launch.session == "band")
    // That it asks for what it has changes nothing.
    stage.say(31, Self.event(.open(Self.terms)))
    #expect(stage.accessoryOrders == ["open band", "open band"])
    #expect(stage.engine.subscriber("a")?.accessories.map(\.isConnected) == [true])
  }

  @Test func `J3 a disconnect and the connection after it relaunch as well`() {
    var stage = Self.suspended()
    stage.say(20, .exited(status: 1))
    stage.say(30, Self.event(.disconnected(session: "band")))
    #expect(stage.log().last == "relaunch J3 notRunning>background accessory_disconnected")
    stage.say(31, .exited(status: 0))
    stage.say(60, Self.event(.connected(session: "band")))
    #expect(stage.log().last == "relaunch J3 notRunning>background accessory_connected")
  }

  /// What waits, and what a process had not acknowledged.
  @Test(arguments: [false, true])
  func `J3 M3 what the user has denied relaunches nobody`(isHanded: Bool) {
    var stage = Self.suspended()
    stage.say(20, .exited(status: 0))
    if isHanded {
      stage.hanging = ["a"]
      stage.say(30, Self.data())
      #expect(stage.engine.subscriberState("a") == .background)
    } else {
      stage.take(29, .machine(.memoryPressure(.critical)))
      stage.say(30, Self.data())
      #expect(stage.log().last == "defer A4 notRunning>notRunning memory_pressure")
    }
    stage.say(35, Self.event(.permitBluetooth(false)))
    stage.take(45, .machine(.memoryPressure(.none)))
    stage.wait(until: 100)
    #expect(stage.log().last == "drop J3 notRunning>notRunning not_permitted")
    #expect(stage.engine.subscriber("a")?.waiting == [])
    #expect(stage.engine.subscriberState("a") == .notRunning)
  }

  @Test func `J3 an accessory on a wire still ends with its process`() {
    var stage = Self.stage(modes: [.externalAccessory, .bluetoothCentral])
    stage.say(1, Self.event(.open(Self.terms)))
    stage.say(1, Self.event(.open(AccessoryTerms(session: "meter", device: "/dev/ttyUSB0"))))
    stage.say(2, .exited(status: 0))
    #expect(stage.engine.subscriber("a")?.accessories.map(\.session) == ["band"])
  }

  @Test func `J3 without the process there is no call that opens, and what waits is bounded`() {
    var stage = Self.suspended()
    stage.say(11, Self.event(.open(Self.terms)))
    #expect(stage.log().last == "refuse J3 suspended>suspended suspended")
    stage.say(12, .backgroundDelivery(false))
    for second in 0..<300 { stage.say(100 + 3 * Double(second), Self.data()) }
    #expect(stage.log().count { $0 == "drop J3 suspended>suspended outbox_full" } == 300 - 256)
    #expect(stage.engine.subscriber("a")?.waiting.count == 256)
  }

  @Test func `J3 who held the sessions is gone: they are asked for anew, which is no news`() {
    var stage = Self.suspended()
    stage.say(20, Self.event(.anew))
    #expect(stage.accessoryOrders == ["open band", "close band", "open band"])
    #expect(stage.accessories == ["band connect"])
    #expect(stage.engine.subscriberState("a") == .suspended)
    stage.say(21, Self.event(.connected(session: "band")))
    #expect(stage.log().last == "wake J3 suspended>background accessory_connected")
  }

  // MARK: Services of this machine

  @Test func `J3 what another device asks wakes and relaunches, and is handed to a program that runs`() {
    var stage = Self.suspended(Self.service)
    let write = GattRequest(number: 7, kind: .write, characteristic: Self.heartRate, value: "01")
    stage.say(20, Self.event(.request(session: "lamp", write)))
    #expect(stage.log().last == "wake J3 suspended>background accessory_request")
    let read = GattRequest(number: 8, kind: .read, characteristic: Self.heartRate)
    stage.say(20.05, Self.event(.request(session: "lamp", read)))
    #expect(stage.log().last == "deliver J3 background>background running")
    stage.say(22, .exited(status: 0))
    stage.say(60, Self.event(.request(session: "lamp", GattRequest(kind: .subscribe, characteristic: "x"))))
    #expect(stage.log().last == "relaunch J3 notRunning>background accessory_request")
    #expect(stage.accessories == ["lamp connect", "lamp write 01", "lamp read", "lamp subscribe"])
  }

  @Test func `J3 a program gives the values of its service, which are kept where they answer reads`() {
    var stage = Self.suspended(Self.service)
    func publish(_ characteristic: String) -> SubscriberEvent {
      Self.event(.publish(session: "lamp", characteristic: characteristic, value: "2a"))
    }
    stage.say(20, .foreground)
    stage.say(21, publish(Self.heartRate))
    stage.say(22, publish("0000bbbb-0000-1000-8000-00805f9b34fb"))
    #expect(stage.accessoryOrders == ["open lamp", "publish lamp 2a", "publish lamp 2a"])
    guard case .peripheral(let service)? = stage.engine.subscriber("a")?.accessories.first?.terms.gatt else {
      Issue.record("no service")
      return
    }
    #expect(service.characteristics.map(\.value) == ["2a", nil])
    stage.say(23, publish("0000cccc-0000-1000-8000-00805f9b34fb"))
    #expect(stage.log().last == "refuse J3 active>active unknown_accessory")
  }

  @Test func `J5 of requests that come too often as many wait as are set, and a further one is dropped`() {
    var stage = Stage {
      $0.policy.accessories.minuteLimit = 1
      $0.policy.accessories.mergeSeconds = 5
      $0.policy.accessories.requestLimit = 2
    }
    stage.add(
      Subscriber(name: "a", services: [], modes: .bluetoothPeripheral, authorization: .denied), .active, at: 0
    )
    stage.say(1, Self.event(.open(Self.service)))
    stage.say(1, Self.event(.connected(session: "lamp")))
    stage.say(4, .background)
    for number in 1...4 {
      let write = GattRequest(
        number: number, kind: .write, characteristic: Self.heartRate, value: "0\(number)")
      stage.say(99 + Double(number), Self.event(.request(session: "lamp", write)))
    }
    #expect(stage.log().last == "drop J3 suspended>suspended outbox_full")
    stage.wait(until: 104.9)
    #expect(stage.accessories.last == "lamp write 01")
    stage.wait(until: 105)
    #expect(stage.accessories.suffix(2) == ["lamp write 02", "lamp write 03"])
  }

  @Test func `J5 requests that come too often wait for the next wake, and all are handed over`() {
    var stage = Self.suspended(Self.service)
    var second = 100.0
    func ask(_ number: Int) -> SubscriberEvent {
      Self.event(
        .request(
          session: "lamp",
          GattRequest(number: number, kind: .write, characteristic: Self.heartRate, value: "0\(number % 10)"))
      )
    }
    for number in 1...30 {
      stage.say(second, ask(number))
      second += 1
    }
    // The last wake was at 129 s; a modelled program has handled it by then.
    stage.say(129.5, ask(31))
    stage.say(130, ask(32))
    #expect(stage.log().last == "coalesce K2 suspended>suspended merged")
    #expect(stage.accessories.count == 31)
    stage.wait(until: 131)
    #expect(stage.accessories.suffix(2) == ["lamp write 01", "lamp write 02"])
    #expect(stage.engine.subscriberState("a") == .background)
  }

  /// Another wakes it no sooner than the merged ones, or it runs by then.
  @Test(arguments: [false, true])
  func `J5 requests that were merged are handed over before a later one`(isOpened: Bool) {
    var stage = Self.suspended(Self.service)
    func ask(_ second: Double, _ value: String) {
      let write = GattRequest(kind: .write, characteristic: Self.heartRate, value: value)
      stage.say(second, Self.event(.request(session: "lamp", write)))
    }
    ask(100, "00")
    for number in 0..<29 { ask(152 + Double(number) / 4, "00") }
    // The last wake was at 159 s.
    ask(159.5, "aa")
    #expect(stage.log().last == "coalesce K2 suspended>suspended merged")
    if isOpened { stage.say(159.6, .foreground) }
    ask(isOpened ? 159.7 : 160.5, "bb")
    #expect(stage.accessories.dropFirst(31) == ["lamp write aa", "lamp write bb"])
    #expect(stage.handed().count == stage.accessories.count)
    stage.wait(until: 170)
    #expect(stage.accessories.count == 33)
  }

  // MARK: J3a

  @Test func `J3a denied, opening is refused; withdrawn, it is a disconnect that wakes nobody`() {
    var stage = Self.stage()
    let accessories = stage.engine.state.policy.session("a")?.modes.accessories
    #expect(accessories?.isBluetoothDenied != true)
    stage.say(1, Self.event(.permitBluetooth(false)))
    stage.say(2, Self.event(.open(Self.terms)))
    #expect(stage.log() == ["refuse J3 active>active not_permitted"])
    stage = Self.suspended()
    stage.say(20, Self.event(.permitBluetooth(false)))
    #expect(
      stage.log().suffix(2) == [
        "drop J3 suspended>suspended not_permitted", "defer J3 suspended>suspended suspended",
      ])
    #expect(stage.engine.subscriberState("a") == .suspended)
    #expect(stage.accessoryOrders.last == "close band")
    #expect(stage.accessories == ["band connect", "band disconnect"])
    // Without its process it is the same, and the session is opened again when the user lets it.
    stage.say(21, .exited(status: 0))
    stage.say(22, Self.data())
    #expect(stage.log().last == "refuse J3 notRunning>notRunning unknown_accessory")
    stage.say(23, Self.event(.permitBluetooth(true)))
    #expect(stage.accessoryOrders.last == "open band")
    #expect(stage.engine.subscriberState("a") == .notRunning)
  }

  /// What it was told last was that its device is there, or it was not told yet that the device went.
  @Test(arguments: [false, true])
  func `J3a one that was suspended is told of the disconnect when it runs again`(isGone: Bool) throws {
    var stage = Self.suspended()
    if isGone {
      stage.say(18, .backgroundDelivery(false))
      stage.say(19, Self.event(.disconnected(session: "band")))
    }
    stage.say(20, Self.event(.permitBluetooth(false)))
    let id = try #require(stage.effects.records.last { $0.type == "accessory" }?.id)
    #expect(stage.engine.subscriber("a")?.waiting.map(\.event) == [id])
    // Restored, it is still one that wakes nobody.
    let trigger = try Coding.copy(Trigger.bluetoothWithdrawn)
    #expect(trigger == .bluetoothWithdrawn && trigger != .bluetooth)
    stage.say(30, .backgroundDelivery(true))
    stage.wait(until: 100)
    #expect(stage.launches().isEmpty)
    stage.say(101, .foreground)
    #expect(stage.handed().last == id)
    stage.wait(until: 110)
    #expect(stage.engine.subscriber("a")?.waiting == [])
  }

  @Test func `J2 J3a one that was suspended is told that its device came again, after the disconnect`() {
    var stage = Self.suspended()
    stage.say(20, Self.event(.permitBluetooth(false)))
    stage.say(30, Self.event(.permitBluetooth(true)))
    stage.say(31, Self.event(.connected(session: "band")))
    #expect(stage.log().contains("wake J3 suspended>background accessory_connected"))
    #expect(stage.accessories == ["band connect", "band disconnect", "band connect"])
    #expect(stage.handed().count == 3)
    // A switch stops what is told, also of this.
    stage.wait(until: 40)
    stage.say(41, Self.event(.permitBluetooth(false)))
    stage.say(42, Self.event(.allow(false)))
    #expect(stage.log().last == "drop J2 suspended>suspended accessory_off")
    #expect(stage.engine.subscriber("a")?.waiting == [])
  }

  @Test func `J3a a program that runs is told that its session is closed`() {
    var stage = Self.stage()
    stage.say(1, Self.event(.open(Self.terms)))
    stage.say(1, Self.event(.connected(session: "band")))
    stage.say(2, Self.event(.permitBluetooth(false)))
    #expect(stage.accessories == ["band connect", "band disconnect"])
  }

  // MARK: J2

  @Test func `J2 a switch closes it too, and the program's own choice ends with its process`() {
    var stage = Self.suspended()
    stage.say(20, Self.event(.allow(false)))
    #expect(stage.accessoryOrders.last == "close band")
    stage.say(21, Self.event(.allow(true)))
    #expect(stage.accessoryOrders.last == "open band")
    stage.say(22, .foreground)
    stage.say(23, Self.event(.want(false)))
    stage.say(24, .exited(status: 0))
    #expect(stage.engine.subscriber("a")?.accessories.isEmpty == true)
  }

  // MARK: J4

  @Test func `J4 without the mode of its role the session is of the foreground and of the process`() {
    var stage = Self.stage(modes: .bluetoothPeripheral)
    stage.say(1, Self.event(.open(Self.terms)))
    stage.say(1, Self.event(.connected(session: "band")))
    stage.say(2, .background)
    #expect(stage.log().contains("refuse J4 background>background no_mode"))
    #expect(stage.accessoryOrders == ["open band", "close band"])
    stage.say(3, .foreground)
    #expect(stage.accessoryOrders.last == "open band")
    stage.say(4, .exited(status: 0))
    #expect(stage.accessoryOrders.last == "close band")
    #expect(stage.engine.subscriber("a")?.accessories.isEmpty == true)
  }

  @Test func `J4 without the mode, what its sessions told ends with the process`() {
    for end in [SubscriberEvent.exited(status: 0), .exited(status: 1)] {
      var stage = Self.stage(modes: [])
      stage.answerSeconds = 1000
      stage.say(1, Self.event(.open(Self.terms)))
      stage.say(1, Self.event(.connected(session: "band")))
      #expect(stage.engine.subscriber("a")?.waiting.count == 1)
      stage.say(2, end)
      #expect(stage.log().contains("drop J4 notRunning>notRunning no_mode"))
      #expect(stage.engine.subscriber("a")?.waiting.isEmpty == true)
      stage.wait(until: 900)
      #expect(stage.engine.subscriberState("a") == .notRunning)
    }
  }

  // MARK: J5

  @Test func `J5 force-quit closes it, drops what waits, and nothing relaunches`() {
    var stage = Self.suspended()
    stage.say(11, .backgroundDelivery(false))
    stage.say(12, Self.data())
    stage.say(15, .quit)
    #expect(stage.log().count { $0 == "drop J5 notRunning>notRunning force_quit" } == 2)
    #expect(stage.accessoryOrders.last == "close band")
    #expect(stage.engine.subscriber("a")?.waiting.isEmpty == true)
    stage.say(21, Self.data())
    #expect(stage.log().last == "refuse J3 notRunning>notRunning unknown_accessory")
  }

  @Test func `J5 after a reboot it is asked for again once the machine is unlocked`() {
    var stage = Self.suspended(isProtected: true)
    stage.take(20, .machine(.reboot))
    #expect(stage.accessoryOrders == ["open band"])
    #expect(stage.engine.subscriber("a")?.accessories.map(\.isConnected) == [false])
    stage.take(30, .machine(.unlock))
    #expect(stage.accessoryOrders == ["open band", "open band"])
    stage.say(40, Self.event(.connected(session: "band")))
    #expect(stage.log().last == "relaunch J3 notRunning>background accessory_connected")
  }

  @Test func `A8 before the first unlock what happens waits for that, and is told once`() {
    var stage = Self.suspended(isProtected: true)
    stage.take(20, .machine(.reboot))
    stage.say(22, Self.data())
    #expect(
      stage.log().suffix(2) == [
        "defer A8 notRunning>notRunning locked", "defer A8 notRunning>notRunning locked",
      ])
    stage.say(25, Self.event(.connected(session: "band")))
    stage.take(30, .machine(.unlock))
    stage.say(31, Self.event(.connected(session: "band")))
    #expect(stage.accessories == ["band connect", "band connect", "band data 2"])
  }

  @Test func `J5 after 30 wakes in a minute there is one in 2 s, also without a process`() {
    var stage = Self.suspended()
    var second = 100.0
    for _ in 1...30 {
      stage.say(second, Self.data())
      second += 1
    }
    stage.say(129.5, Self.data(9))
    #expect(stage.log().last == "coalesce K2 suspended>suspended merged")
    stage.say(130, .exited(status: 0))
    stage.wait(until: 131)
    #expect(stage.log().last == "relaunch J3 notRunning>background accessory_data")
  }

  @Test func `J5 a device that comes and goes all the time wakes no more often`() {
    var stage = Self.suspended()
    func flap(_ second: Double, _ isConnected: Bool) {
      let event: AccessoryEvent =
        isConnected ? .connected(session: "band") : .disconnected(session: "band")
      stage.say(second, Self.event(event))
    }
    for number in 0..<30 { flap(100 + Double(number), number % 2 == 1) }
    #expect(stage.accessories.count == 31)
    // The last wake was at 129 s. That it went and came is told at 131 s, in one wake.
    flap(129.5, false)
    #expect(stage.log().last == "coalesce K2 suspended>suspended merged")
    flap(130, true)
    stage.wait(until: 140)
    #expect(stage.accessories.dropFirst(31) == ["band disconnect", "band connect"])
    #expect(stage.launches().count == 31)
    #expect(stage.engine.subscriberState("a") == .suspended)
    flap(141, false)
    flap(141.5, true)
    flap(142, false)
    flap(142.5, true)
    stage.wait(until: 143)
    #expect(stage.accessories.dropFirst(33) == ["band disconnect", "band connect"])
    #expect(stage.launches().count == 33)
  }

  // MARK: Words

  @Test func `UUIDs are written in their long form, and what is none is refused`() {
    #expect(GattText.uuid("180D") == "0000180d-0000-1000-8000-00805f9b34fb")
    #expect(GattText.uuid("0000180d") == "0000180d-0000-1000-8000-00805f9b34fb")
    #expect(
      GattText.uuid("2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6") == "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6")
    for text in ["", "18", "180g", "-18d", "2f234454cf6d4a0fadf2f4911ba9ffa6", "180d-"] {
      #expect(GattText.uuid(text) == nil, "\(text)")
    }
    #expect(GattText.address("aa:bb:cc:dd:ee:0f") == "AA:BB:CC:DD:EE:0F")
    for text in ["", "aa:bb:cc:dd:ee", "aa:bb:cc:dd:ee:f", "aa-bb-cc-dd-ee-ff", "/dev/ttyUSB0"] {
      #expect(GattText.address(text) == nil, "\(text)")
    }
  }

  @Test func `values are two digits a byte`() {
    #expect(GattText.bytes("00ffA0") == [0, 255, 160])
    #expect(GattText.text([0, 255, 160]) == "00ffa0")
    #expect(GattText.bytes("") == [])
    #expect(GattText.bytes("0") == nil)
    #expect(GattText.bytes("0x") == nil)
    #expect(GattText.bytes(String(repeating: "00", count: 513)) == nil)
  }

  @Test func `a state that knew no Bluetooth can still be read`() throws {
    let old = #"{"sessions":[],"isWanted":true,"isAllowed":true}"#
    let state = try JSONDecoder().decode(AccessoryState.self, from: Data(old.utf8))
    #expect(state.objection(toBluetooth: true) == nil)
    let terms = #"{"session":"m","kind":"serial","device":"/dev/ttyUSB0","baud":9600}"#
    let decoded = try JSONDecoder().decode(AccessoryTerms.self, from: Data(terms.utf8))
    #expect(decoded == AccessoryTerms(session: "m", device: "/dev/ttyUSB0"))
  }
}

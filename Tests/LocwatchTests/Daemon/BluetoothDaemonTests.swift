import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// Rules J3 and J3a from the outside: a daemon with its program for Bluetooth, before a BlueZ of our own on a private
/// bus.
@Suite(.serialized, .needsBus) struct BluetoothDaemonTests {
  /// As much of BlueZ as connects a device and offers a service. It reads commands from its standard input and writes
  /// what it was asked to standard output. The device is not known at first; it is found by a discovery.
  private static let bluez = #"""
    import os, socket, sys, threading
    import dbus, dbus.service
    from dbus.mainloop.glib import DBusGMainLoop
    from gi.repository import GLib
    DBusGMainLoop(set_as_default=True)
    bus = dbus.SystemBus()
    log = open(sys.argv[1], "a", buffering=1)
    def note(*words): print(*words, file=log)
    PROPERTIES, MANAGER = "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.ObjectManager"
    DEVICE = "/org/bluez/hci0/dev_AA_BB_CC_DD_EE_FF"
    state = {"known": False, "near": False, "connected": False, "resolved": False,
             "powered": True}
    ends, client, root = [], None, None
    empty = dbus.Dictionary({}, signature="sv")
    def device_properties():
        return dbus.Dictionary({"Address": "AA:BB:CC:DD:EE:FF", "Connected": dbus.Boolean(state["connected"]),
            "ServicesResolved": dbus.Boolean(state["resolved"])}, signature="sv")
    class Root(dbus.service.Object):
        @dbus.service.method(MANAGER, out_signature="a{oa{sa{sv}}}")
        def GetManagedObjects(self):
            all = {"/org/bluez/hci0": {"org.bluez.Adapter1": {"Powered": dbus.Boolean(state["powered"])}, "org.bluez.GattManager1": empty,
                                       "org.bluez.LEAdvertisingManager1": empty}}
            if state["known"]: all[DEVICE] = {"org.bluez.Device1": device_properties()}
            if state["resolved"]:
                all[DEVICE + "/service000a"] = {"org.bluez.GattService1": {
                    "UUID": "0000180d-0000-1000-8000-00805f9b34fb"}}
                all[DEVICE + "/service000a/char000b"] = {"org.bluez.GattCharacteristic1": {
                    "UUID": "00002a37-0000-1000-8000-00805f9b34fb"}}
            return all
        @dbus.service.signal(MANAGER, signature="oa{sa{sv}}")
        def InterfacesAdded(self, path, interfaces): pass
        @dbus.service.signal(MANAGER, signature="oas")
        def InterfacesRemoved(self, path, interfaces): pass
    class Device(dbus.service.Object):
        @dbus.service.method("org.bluez.Device1", async_callbacks=("done", "failed"))
        def Connect(self, done, failed):
            note("connect")
            if not state["near"]: return failed(dbus.DBusException("timeout", name="org.bluez.Error.Failed"))
            done()
            change(connected=True)
            GLib.timeout_add(50, lambda: change(resolved=True))
        @dbus.service.method("org.bluez.Device1")
        def Disconnect(self):
            note("disconnect")
            drop()
        @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
        def PropertiesChanged(self, interface, changes, gone): pass
    class Characteristic(dbus.service.Object):
        @dbus.service.method("org.bluez.GattCharacteristic1", in_signature="a{sv}", out_signature="hq")
        def AcquireNotify(self, options):
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            ends[:] = [ours]
            note("acquired")
            return dbus.types.UnixFd(theirs), dbus.UInt16(185)
    class Adapter(dbus.service.Object):
        @dbus.service.method("org.bluez.Adapter1", in_signature="a{sv}")
        def SetDiscoveryFilter(self, filter): note("filter", filter["Transport"])
        @dbus.service.method("org.bluez.Adapter1")
        def StartDiscovery(self):
            note("discover")
            state["searching"] = True
            see()
        @dbus.service.method("org.bluez.Adapter1")
        def StopDiscovery(self):
            state["searching"] = False
            note("stop")
        @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
        def PropertiesChanged(self, interface, changes, gone): pass
        @dbus.service.method("org.bluez.GattManager1", in_signature="oa{sv}", sender_keyword="sender",
                             async_callbacks=("done", "failed"))
        def RegisterApplication(self, path, options, sender, done, failed):
            def came(objects):
                global client, root
                client, root = sender, str(path)
                for path_, interfaces in sorted(objects.items()):
                    for values in interfaces.values(): note("object", values["UUID"], *values.get("Flags", []))
                done()
            bus.call_async(sender, path, MANAGER, "GetManagedObjects", "", (), came, failed)
        @dbus.service.method("org.bluez.GattManager1", in_signature="o")
        def UnregisterApplication(self, path): note("unregistered")
        @dbus.service.method("org.bluez.LEAdvertisingManager1", in_signature="oa{sv}", sender_keyword="sender",
                             async_callbacks=("done", "failed"))
        def RegisterAdvertisement(self, path, options, sender, done, failed):
            def came(values):
                if not state["powered"]:
                    note("not advertised")
                    return failed(dbus.DBusException("off", name="org.bluez.Error.Failed"))
                note("advertised", values["Type"], values["ServiceUUIDs"][0], values.get("LocalName", ""))
                done()
            bus.call_async(sender, path, PROPERTIES, "GetAll", "s", ("org.bluez.LEAdvertisement1",), came, failed)
        @dbus.service.method("org.bluez.LEAdvertisingManager1", in_signature="o")
        def UnregisterAdvertisement(self, path): pass
    def see():
        if state.get("searching") and state["near"] and not state["known"]:
            state["known"] = True
            objects.InterfacesAdded(DEVICE, {"org.bluez.Device1": device_properties()})
    def change(**values):
        state.update(values)
        names = {"connected": "Connected", "resolved": "ServicesResolved"}
        device.PropertiesChanged("org.bluez.Device1",
            dbus.Dictionary({names[key]: dbus.Boolean(value) for key, value in values.items()}, signature="sv"), [])
        return False
    def drop():
        for end in ends: end.close()
        ends[:] = []
        if state["connected"]: change(connected=False, resolved=False)
    def answered(verb, value): note("answer", verb, bytes(value or []).hex())
    def carry(line):
        verb, *words = line.split()
        if verb == "near":
            state["near"] = True
            see()
        elif verb == "far":
            state["near"] = False
            drop()
        elif verb == "notify": ends[0].send(bytes.fromhex(words[0]))
        elif verb == "power":
            state["powered"] = words[0] == "on"
            adapter.PropertiesChanged("org.bluez.Adapter1",
                dbus.Dictionary({"Powered": dbus.Boolean(state["powered"])}, signature="sv"), [])
        elif verb == "renew":
            # The device has other services. Not every such change is told by ServicesResolved.
            for end in ends: end.close()
            path, type = DEVICE + "/service000a/char000b", "org.bluez.GattCharacteristic1"
            if words == ["told"]: change(resolved=False)
            objects.InterfacesRemoved(path, [type])
            objects.InterfacesAdded(path, {type: {"UUID": "00002a37-0000-1000-8000-00805f9b34fb"}})
            if words == ["told"]: change(resolved=True)
        else:
            path = root + "/service/char" + words[0]
            characteristic = "org.bluez.GattCharacteristic1"
            done = lambda value=None: answered(verb, value)
            failed = lambda error: note("failed", verb, error.get_dbus_name())
            if verb == "read":
                bus.call_async(client, path, characteristic, "ReadValue", "a{sv}", (empty,), done, failed)
            elif verb == "write":
                value = dbus.Array([dbus.Byte(b) for b in bytes.fromhex(words[1])], signature="y")
                bus.call_async(client, path, characteristic, "WriteValue", "aya{sv}", (value, empty), done, failed)
            elif verb == "subscribe":
                bus.call_async(client, path, characteristic, "StartNotify", "", (), done, failed)
        return False
    def changed(interface, values, gone, path=None):
        if interface == "org.bluez.GattCharacteristic1": note("value", bytes(values["Value"]).hex())
    bus.add_signal_receiver(changed, "PropertiesChanged", PROPERTIES, path_keyword="path")
    objects, device, adapter = Root(bus, "/"), Device(bus, DEVICE), Adapter(bus, "/org/bluez/hci0")
    characteristic = Characteristic(bus, DEVICE + "/service000a/char000b")
    name = dbus.service.BusName("org.bluez", bus)
    def read():
        for line in sys.stdin: GLib.idle_add(carry, line)
        os._exit(0)
    threading.Thread(target=read, daemon=True).start()
    print("ready", flush=True)
    GLib.MainLoop().run()
    """#

  /// A program that writes what it is told and what its characteristic says to the log, and acknowledges it. Each new
  /// descriptor takes the place of the one before.
  private static func program(_ open: String, _ run: DaemonRun) -> String {
    let path = run.folder.write(
      "program.py",
      #"""
      import json, os, select, socket, sys
      log = open(sys.argv[1] + "/log", "a", buffering=1)
      def note(*words): print(os.getpid(), *words, file=log)
      def say(answer): print(json.dumps(answer), flush=True)
      channel = socket.socket(fileno=int(os.environ["LOCWATCH_FD"]))
      band, rest, opened = None, b"", False
      def passed():
          global band
          message, descriptors, _, _ = socket.recv_fds(channel, 4096, 1)
          band = descriptors[0] if descriptors else None
          note("passed", json.loads(message)["accessory"])
      while True:
          ready, _, _ = select.select([0, channel] + ([band] if band else []), [], [])
          if channel in ready:
              passed()
              continue
          if band in ready:
              value = os.read(band, 512)
              if not value: band = None
              note("heard", value.hex())
              continue
          piece = os.read(0, 65536)
          if not piece: sys.exit(0)
          *lines, rest = (rest + piece).split(b"\n")
          for line in lines:
              event = json.loads(line)
              note(line.decode())
              if event.get("type") == "launch" and "sessions" not in event and not opened:
                  opened = True
                  say({"open_accessory": json.loads(sys.argv[2])})
              if event.get("type") == "accessory" and event["event"] == "read":
                  say({"answer_gatt": {"session": event["session"], "request": event["request"], "value": "beef"}})
              if event.get("type") == "accessory" and event["event"] == "write":
                  say({"answer_gatt": {"session": event["session"], "request": event["request"]}})
                  say({"set_gatt": {"session": event["session"], "characteristic": event["characteristic"],
                                    "value": event["value"]}})
              if "id" in event: say({"ack": event["id"]})
      """#)
    return "exec /usr/bin/python3 '\(path)' \"$D\" '\(open)'"
  }

  private static let central =
    #"{"session":"band","kind":"gatt","device":"aa:bb:cc:dd:ee:ff","service":"180d","characteristic":"2a37"}"#
  private static let peripheral =
    #"{"session":"lamp","kind":"gatt","peripheral":{"service":"aaaa","name":"Lamp","characteristics":"#
    + #"[{"characteristic":"bbbb","uses":["read","write","notify"],"value":"00"},"#
    + #"{"characteristic":"cccc","uses":["read"]}]}}"#

  /// A daemon with one subscriber in the foreground, and what commands BlueZ.
  private static func start(
    _ run: DaemonRun, _ open: String, mode: String
  ) async throws -> (String) throws -> Void {
    try await run.add("a", program(open, run), manifest: "services: []\nmodes: [\(mode)]")
    let command = try begin(run)
    #expect(try await run.command(["subscribers", "launch", "a"]).status == 0)
    return command
  }

  @discardableResult
  private static func begin(_ run: DaemonRun) throws -> (String) throws -> Void {
    try run.startOnBus(bluez, [run.folder("bluez.log")])
  }

  /// Waits until BlueZ has been asked something.
  private static func waitForBlueZ(_ run: DaemonRun, _ line: String, count: Int = 1) async throws {
    try await run.wait("BlueZ: \(line)") { run.lines(of: "bluez.log").count { $0 == line } >= count }
  }

  private static func waitForLog(_ run: DaemonRun, _ text: String, count: Int = 1) async throws {
    try await run.wait("the program: \(text)") { run.log.count { $0.line.contains(text) } >= count }
  }

  @Test func `J3 a device that comes connects, and its notifications wake and relaunch`() async throws {
    let run = try DaemonRun()
    let command = try await Self.start(run, Self.central, mode: "bluetooth-central")
    // BlueZ does not know it, and looks for it.
    try await Self.waitForBlueZ(run, "discover")
    try await Self.waitForLog(run, #"{"accessory":"band","connected":false}"#)
    try command("near")
    try await Self.waitForBlueZ(run, "acquired")
    try await Self.waitForBlueZ(run, "stop")
    try await Self.waitForLog(run, "passed band")
    try await Self.waitForLog(run, #""event":"connect""#)
    try command("notify 0142")
    try await Self.waitForLog(run, "heard 0142")

    // Suspended, the next one wakes it, and is read by it.
    #expect(try await run.command(["subscribers", "background", "a"]).status == 0)
    try await run.waitFor("a", .suspended)
    // What comes before its processes are stopped, it may read without being woken.
    try await run.wait("the wake") {
      try command("notify 0243")
      try await Task.sleep(for: .milliseconds(100))
      return try await run.decisions("a").contains("wake J3 accessory_data")
    }
    try await Self.waitForLog(run, "heard 0243")
    // It reads what its device says before what the daemon says.
    try await run.wait("the launch") {
      run.log.contains { $0.line.contains(#""kind":"bluetooth""#) && $0.line.contains("slept_s") }
    }

    // Its process ends; the connection does not. What comes starts another, which finds it open.
    try await run.waitFor("a", .suspended)
    let first = try #require(run.log.last?.pid)
    #expect(kill(first, SIGKILL) == 0)
    try await run.waitFor("a", .notRunning)
    let before = run.log.count
    try command("notify 0445")
    try await Self.waitForLog(run, "heard 0445")
    func second() -> [String] { run.log[before...].filter { $0.pid != first }.map(\.line) }
    try await run.wait("the launch") { second().contains { $0.contains(#""type":"launch""#) } }
    #expect(second().first == "passed band" || second().first?.contains(#""type":"launch""#) == true)
    let launch = try #require(second().first { $0.contains(#""type":"launch""#) })
    #expect(launch.contains(#""cause":"J3""#) && launch.contains(#""sessions":["band"]"#), "\(launch)")
    #expect(run.lines(of: "bluez.log").count { $0 == "acquired" } == 1)

    // It goes, and comes back.
    try await run.waitFor("a", .suspended)
    try command("far")
    try await Self.waitForLog(run, #""event":"disconnect""#)
    try command("near")
    try await Self.waitForBlueZ(run, "acquired", count: 2)
    try await Self.waitForLog(run, #""event":"connect""#, count: 2)
    try await run.waitFor("a", .suspended)

    // The user takes Bluetooth away: that wakes nobody.
    func wakes() -> Int { run.log.count { $0.line.contains("slept_s") } }
    let told = wakes()
    #expect(try await run.command(["subscribers", "bluetooth", "a", "deny"]).status == 0)
    try await Self.waitForBlueZ(run, "disconnect")
    #expect(try run.state(of: "a") == .suspended)
    #expect(wakes() == told)

    // Allowed again it is connected again, until a force-quit: after that nothing connects it or starts the program.
    #expect(try await run.command(["subscribers", "bluetooth", "a", "allow"]).status == 0)
    try await Self.waitForBlueZ(run, "acquired", count: 3)
    try await Self.waitForLog(run, #""event":"connect""#, count: 3)
    #expect(try await run.command(["subscribers", "quit", "a"]).status == 0)
    try await Self.waitForBlueZ(run, "disconnect", count: 2)
    #expect(try run.shown("a")?.accessories.isEmpty == true)
    #expect(try run.state(of: "a") == .notRunning)
    #expect(try await run.decisions("a").contains("drop J5 force_quit"))
    #expect(await run.end() == 0)
  }

  @Test(arguments: ["renew", "renew told"])
  func `J3 when the services of a device change, its notifications are asked for anew`(
    _ change: String
  ) async throws {
    let run = try DaemonRun()
    let command = try await Self.start(run, Self.central, mode: "bluetooth-central")
    try command("near")
    try await Self.waitForLog(run, "passed band")
    try command(change)
    try await Self.waitForBlueZ(run, "acquired", count: 2)
    try await Self.waitForLog(run, "passed band", count: 2)
    try command("notify 0142")
    try await Self.waitForLog(run, "heard 0142")
    #expect(run.lines(of: "bluez.log").count { $0 == "connect" } == 1)
    #expect(await run.end() == 0)
  }

  @Test func `J3 a service is advertised as soon as Bluetooth is on`() async throws {
    let run = try DaemonRun()
    try await run.add(
      "a", Self.program(Self.peripheral, run), manifest: "services: []\nmodes: [bluetooth-peripheral]")
    let command = try Self.begin(run)
    try command("power off")
    #expect(try await run.command(["subscribers", "launch", "a"]).status == 0)
    try await Self.waitForBlueZ(run, "not advertised")
    try command("power on")
    let line = "advertised peripheral 0000aaaa-0000-1000-8000-00805f9b34fb Lamp"
    try await Self.waitForBlueZ(run, line)
    #expect(await run.end() == 0)
  }

  @Test func `J3 after a restart of the daemon the connection is asked for anew, and relaunches`()
    async throws
  {
    let run = try DaemonRun()
    let command = try await Self.start(run, Self.central, mode: "bluetooth-central")
    try command("near")
    try await Self.waitForLog(run, "passed band")
    #expect(await run.end() == 0)
    try Self.begin(run)
    try command("near")
    try await Self.waitForBlueZ(run, "acquired", count: 2)
    try await Self.waitForLog(run, #""cause":"J3""#)
    try await Self.waitForLog(run, "passed band", count: 2)
    #expect(await run.end() == 0)
  }

  @Test func `J3 when the program that speaks to BlueZ is killed, the connection is asked for anew`()
    async throws
  {
    let run = try DaemonRun()
    let command = try await Self.start(run, Self.central, mode: "bluetooth-central")
    try command("near")
    try await Self.waitForLog(run, "passed band")
    let helper = try #require(run.helpers("bluetooth").first)
    #expect(kill(helper, SIGKILL) == 0)
    try await Self.waitForBlueZ(run, "acquired", count: 2)
    try await Self.waitForLog(run, "passed band", count: 2)
    try command("notify 0142")
    try await Self.waitForLog(run, "heard 0142")
    #expect(await run.end() == 0)
    #expect(run.process?.stderr.contains("locwatch-bluetooth has ended and is started again") == true)
  }

  @Test func `J3 a service of this machine is offered, and what is asked of it wakes its program`()
    async throws
  {
    let run = try DaemonRun()
    let command = try await Self.start(run, Self.peripheral, mode: "bluetooth-peripheral")
    try await Self.waitForBlueZ(run, "advertised peripheral 0000aaaa-0000-1000-8000-00805f9b34fb Lamp")
    #expect(
      run.lines(of: "bluez.log").contains("object 0000bbbb-0000-1000-8000-00805f9b34fb read write notify"))
    try await Self.waitForLog(run, #""event":"connect""#)
    #expect(try await run.command(["subscribers", "background", "a"]).status == 0)
    try await run.waitFor("a", .suspended)

    // A value that is given answers without the program.
    try command("read 0")
    try await Self.waitForBlueZ(run, "answer read 00")
    #expect(try run.state(of: "a") == .suspended)
    try command("read 1")
    try await Self.waitForBlueZ(run, "answer read beef")
    #expect(try await run.decisions("a").contains("wake J3 accessory_request"))
    try command("subscribe 0")
    try await Self.waitForBlueZ(run, "answer subscribe ")
    try await Self.waitForLog(run, #""event":"subscribe""#)
    try command("write 0 2a")
    try await Self.waitForBlueZ(run, "answer write ")
    try await Self.waitForBlueZ(run, "value 2a")
    try command("read 0")
    try await Self.waitForBlueZ(run, "answer read 2a")

    #expect(try await run.command(["subscribers", "bluetooth", "a", "deny"]).status == 0)
    try await Self.waitForBlueZ(run, "unregistered")
    #expect(await run.end() == 0)
  }

  @Test func `J3a a program that may not use Bluetooth is refused`() async throws {
    let run = try DaemonRun()
    try await run.add(
      "a", Self.program(Self.central, run), manifest: "services: []\nmodes: [bluetooth-central]")
    try Self.begin(run)
    #expect(try await run.command(["subscribers", "bluetooth", "a", "deny"]).status == 0)
    #expect(try await run.command(["subscribers", "launch", "a"]).status == 0)
    try await Self.waitForLog(run, #""what":"open_accessory","reason":"not_permitted""#)
    #expect(try await run.decisions("a").contains("refuse J3 not_permitted"))
    #expect(await run.end() == 0)
  }
}

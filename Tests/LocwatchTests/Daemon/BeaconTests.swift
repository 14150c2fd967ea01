import Foundation
import TestSupport
import Testing

/// Beacons that BlueZ has seen: the helper, and a daemon with it, before a BlueZ of our own on a private bus.
@Suite(.needsBus) struct BeaconTests {
  /// As much of BlueZ as looks for advertisements (`doc/org.bluez.AdvertisementMonitor.rst`). It reads commands from its
  /// standard input: `found DEVICE`, `lost DEVICE`. A device is found where one of our patterns fits what it sends.
  private static let bluez = #"""
    import json, os, sys, threading
    import dbus, dbus.service
    from dbus.mainloop.glib import DBusGMainLoop
    from gi.repository import GLib
    DBusGMainLoop(set_as_default=True)
    bus = dbus.SystemBus()
    uuid = bytes.fromhex("2f234454cf6d4a0fadf2f4911ba9ffa6")
    sent = {
        "desk": ("ManufacturerData", 0x004C, bytes([2, 0x15]) + uuid + bytes([0, 1, 0, 7, 0xC5])),
        "moved": ("ManufacturerData", 0x004C, bytes([2, 0x15]) + uuid + bytes([0, 1, 0, 7, 0xC5])),
        "other": ("ManufacturerData", 0x004C, bytes([2, 0x15]) + uuid + bytes([0, 1, 0, 8, 0xC5])),
        "alt": ("ManufacturerData", 0x0118, bytes([0xBE, 0xAC]) + uuid + bytes([0, 2, 0, 1, 0xC5, 0])),
        "stone": ("ServiceData", "0000feaa-0000-1000-8000-00805f9b34fb", bytes([0, 0xE7]) + bytes(range(1, 17))),
    }
    def value(name):
        kind, key, data = sent[name]
        if kind == "ServiceData": return 0x16, bytes([0xAA, 0xFE]) + data
        return 0xFF, key.to_bytes(2, "little") + data
    client, monitors = None, {}
    class Device(dbus.service.Object):
        def __init__(self, name):
            super().__init__(bus, "/org/bluez/hci0/" + name)
            self.name = name
        @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="s", out_signature="a{sv}")
        def GetAll(self, interface):
            kind, key, data = sent[self.name]
            signature = "qv" if kind == "ManufacturerData" else "sv"
            key = dbus.UInt16(key) if kind == "ManufacturerData" else key
            data = dbus.Array([dbus.Byte(byte) for byte in data], signature="y", variant_level=1)
            return {"Address": "00:11:22:33:44:55", kind: dbus.Dictionary({key: data}, signature=signature)}
    devices = [Device(name) for name in sent]
    class Adapter(dbus.service.Object):
        @dbus.service.method("org.bluez.AdvertisementMonitorManager1", in_signature="o", sender_keyword="sender",
                             async_callbacks=("done", "failed"))
        def RegisterMonitor(self, root, sender, done, failed):
            def came(objects):
                global client
                client = sender
                monitors.clear()
                for path, interfaces in objects.items():
                    monitors[str(path)] = interfaces["org.bluez.AdvertisementMonitor1"]
                    bus.call_async(sender, path, "org.bluez.AdvertisementMonitor1", "Activate", "", (), None, None)
                done()
                first = next(iter(monitors.values()))
                print("registered", len(monitors), first["Type"], int(first["RSSILowTimeout"]), flush=True)
            bus.call_async(sender, root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", "", (), came, failed)
        @dbus.service.method("org.bluez.AdvertisementMonitorManager1", in_signature="o")
        def UnregisterMonitor(self, root): print("unregistered", flush=True)
    adapter = Adapter(bus, "/org/bluez/hci0")
    class Root(dbus.service.Object):
        @dbus.service.method("org.freedesktop.DBus.ObjectManager", out_signature="a{oa{sa{sv}}}")
        def GetManagedObjects(self):
            return {"/org/bluez": {"org.bluez.AgentManager1": empty}, **(hci0 if is_plugged else {})}
        @dbus.service.signal("org.freedesktop.DBus.ObjectManager", signature="oa{sa{sv}}")
        def InterfacesAdded(self, path, interfaces): pass
        @dbus.service.signal("org.freedesktop.DBus.ObjectManager", signature="oas")
        def InterfacesRemoved(self, path, interfaces): pass
    empty = dbus.Dictionary({}, signature="sv")
    hci0 = {"/org/bluez/hci0": {"org.bluez.Adapter1": {"Powered": True},
                                "org.bluez.AdvertisementMonitorManager1": empty}}
    is_plugged = True
    root = Root(bus, "/")
    name = dbus.service.BusName("org.bluez", bus)
    def fits(name, monitor):
        type, data = value(name)
        return any(int(t) == type and data[int(start):].startswith(bytes(content))
                   for start, t, content in monitor["Patterns"])
    def carry(line):
        global is_plugged
        verb, device = line.split()
        if verb in ("plug", "unplug"):
            is_plugged = verb == "plug"
            for path, interfaces in hci0.items():
                if is_plugged: root.InterfacesAdded(path, interfaces)
                else: root.InterfacesRemoved(path, list(interfaces))
            return False
        method = {"found": "DeviceFound", "lost": "DeviceLost"}[verb]
        for path, monitor in monitors.items():
            if fits(device, monitor):
                bus.call_async(client, path, "org.bluez.AdvertisementMonitor1", method, "o",
                               (dbus.ObjectPath("/org/bluez/hci0/" + device),), None, None)
        return False
    def read():
        for line in sys.stdin: GLib.idle_add(carry, line)
        os._exit(0)
    threading.Thread(target=read, daemon=True).start()
    print("ready", flush=True)
    GLib.MainLoop().run()
    """#

  /// Plays the helper alone: prints what it says to each step.
  private static let helper = #"""
    import os, subprocess, sys
    os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = os.environ["DBUS_SESSION_BUS_ADDRESS"]
    bluez = subprocess.Popen([sys.executable, sys.argv[2]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    bluez.stdout.readline()
    helper = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    def tell(process, line):
        process.stdin.write(line + "\n")
        process.stdin.flush()
    def said(process): print(process.stdout.readline().strip(), flush=True)
    group = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"
    tell(helper, '{"watch":["%s:1:7","%s:2","0102030405060708090a"]}' % (group, group))
    said(bluez)
    for step in ("found desk", "found moved", "found other", "found alt", "found stone", "lost desk", "lost moved"):
        tell(bluez, step)
        if step in ("found desk", "found alt", "found stone", "lost moved"): said(helper)
    tell(helper, '{"watch":["%s"]}' % group)
    said(helper)
    said(bluez)
    said(bluez)
    tell(bluez, "found other")
    said(helper)
    tell(bluez, "unplug hci0")
    said(helper)
    said(helper)
    tell(bluez, "plug hci0")
    said(bluez)
    tell(bluez, "found other")
    said(helper)
    bluez.kill()
    said(helper)
    helper.stdin.close()
    print(helper.wait(250), flush=True)
    """#

  @Test func `B11 it tells when a beacon comes and goes, by whatever address`() async throws {
    let folder = TemporaryFolder()
    let run = try await Binary.run(
      [
        "--", "/usr/bin/python3", folder.write("helper.py", Self.helper),
        Binary.helper("beacons"),
        folder.write("bluez.py", Self.bluez),
      ], executable: "/usr/bin/dbus-run-session")
    #expect(run.status == 0, "\(run.stderr)")
    let group = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"
    #expect(
      run.stdout.split(separator: "\n").map(String.init) == [
        "registered 3 or_patterns 10", #"{"found":"\#(group):1:7"}"#, #"{"found":"\#(group):2:1"}"#,
        #"{"found":"0102030405060708090a:0b0c0d0e0f10"}"#, #"{"lost":"\#(group):1:7"}"#, #"{"lost":null}"#,
        "unregistered", "registered 1 or_patterns 10", #"{"found":"\#(group):1:8"}"#,
        #"{"lost":"\#(group):1:8"}"#, #"{"trouble":"BlueZ has lost its adapter: no beacon is looked for"}"#,
        "registered 1 or_patterns 10", #"{"found":"\#(group):1:8"}"#, #"{"lost":null}"#, "0",
      ], "\(run.stderr)")
  }

  @Test func `B11 a region of a beacon is entered live and left 30 s after the beacon was seen last`()
    async throws
  {
    let run = try DaemonRun()
    let beacon = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:1:7"
    #expect(try await run.command(["regions", "add", "desk", "--beacon", beacon]).status == 0)
    try await run.add("a", manifest: "services: [regions]")
    let command = try run.startOnBus(Self.bluez)
    func types() async throws -> [String] {
      try await run.events().compactMap { $0.firstMatch(of: /"type":"(region\.\w+)"/).map { String($0.1) } }
    }
    // The daemon may still be asking BlueZ: a device that is told before that is told to nobody.
    try await run.wait("the entry") {
      try command("found desk")
      try await Task.sleep(for: .milliseconds(200))
      return try await types().contains("region.enter")
    }
    try await run.wait("the wake") { run.log.contains { $0.line.contains(#""type":"region.enter""#) } }
    try command("lost desk")
    try await run.wait("the exit") { try await types().contains("region.exit") }
    let exit = try #require(try await run.events().first { $0.contains("region.exit") })
    #expect(exit.contains(#""reason":"unseen""#), "\(exit)")
    #expect(await run.end() == 0)
  }
}

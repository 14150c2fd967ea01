import Foundation
import TestSupport
import Testing

/// The program that asks NetworkManager and UPower, before mocks of both on a private bus.
@Suite(.needsBus) struct ConditionsHelperTests {
  /// Starts the program on a bus without anybody, then the services, and changes what they say; prints each line.
  private static let script = #"""
    import os, subprocess, sys, time
    import dbus
    os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = os.environ["DBUS_SESSION_BUS_ADDRESS"]
    asked = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    def told(): print(asked.stdout.readline().strip(), flush=True)
    told()
    bus = dbus.SystemBus()
    def service(name, path, template, parameters="{}"):
        process = subprocess.Popen([sys.executable, "-m", "dbusmock", "--system", "--template", template,
                                    "-p", parameters], stdout=subprocess.DEVNULL)
        while not bus.name_has_owner(name): time.sleep(0.02)
        return process, dbus.Interface(bus.get_object(name, path), "org.freedesktop.DBus.Mock")
    power, mock = service("org.freedesktop.UPower", "/org/freedesktop/UPower", "upower", '{"OnBattery": true}')
    told()
    mock.UpdateProperties("org.freedesktop.UPower", {"OnBattery": False})
    told()
    name = "org.freedesktop.NetworkManager"
    network, mock = service(name, "/org/freedesktop/NetworkManager", "networkmanager")
    mock.AddProperty(name, "Metered", dbus.UInt32(0))
    for value in (1, 4, 3):
        mock.UpdateProperties(name, {"Metered": dbus.UInt32(value)})
        told()
    power.terminate()
    power.wait()
    told()
    asked.stdin.close()
    print(asked.wait(), flush=True)
    network.terminate()
    """#

  @Test func `G1 it tells what they say, at once and without what nobody says`() async throws {
    let folder = TemporaryFolder()
    let script = folder.write("system.py", Self.script)
    let helper = Binary.helper("conditions")
    let run = try await Binary.run(
      ["--", "/usr/bin/python3", script, helper], executable: "/usr/bin/dbus-run-session")
    #expect(run.status == 0, "\(run.stderr)")
    let lines = run.stdout.split(separator: "\n")
    #expect(
      lines == [
        "{}", #"{"on_battery":true}"#, #"{"on_battery":false}"#, #"{"metered":true,"on_battery":false}"#,
        #"{"metered":false,"on_battery":false}"#, #"{"metered":true,"on_battery":false}"#,
        #"{"metered":true}"#,
        "0",
      ])
  }

  @Test func `G1 it is started again after it has ended`() async throws {
    let run = try DaemonRun()
    try await run.add("a", manifest: "services: []\nmodes: [fetch]")
    try run.startOnBus()
    try await run.wait("the helper") { !run.helpers("conditions").isEmpty }
    let first = try #require(run.helpers("conditions").first)
    try #require(kill(first, SIGKILL) == 0)
    try await run.wait("the next") { run.helpers("conditions").contains { $0 != first } }
    let log = run.process?.stderr ?? ""
    #expect(log.contains("locwatch-conditions has ended and is started again"), "\(log)")
    #expect(await run.end() == 0)
  }

  /// As much of NetworkManager as says that the network is metered.
  private static let meter = #"""
    import sys
    import dbus, dbus.service
    from dbus.mainloop.glib import DBusGMainLoop
    from gi.repository import GLib
    DBusGMainLoop(set_as_default=True)
    bus = dbus.SystemBus()
    class Network(dbus.service.Object):
        @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="ss", out_signature="v")
        def Get(self, interface, name): return dbus.UInt32(1)
    network = Network(bus, "/org/freedesktop/NetworkManager")
    name = dbus.service.BusName("org.freedesktop.NetworkManager", bus)
    print("ready", flush=True)
    GLib.MainLoop().run()
    """#

  @Test func `G1 I1 nothing begins over a metered network before that is known to be one`() async throws {
    let run = try DaemonRun()
    try #require(unsafe mkdir(run.folder("own"), 0o700) == 0)
    let ask = #"echo '{"transfer":{"session":"s","url":"http://127.0.0.1:9/x","file":"x"}}'"#
    try await run.add(
      "a", "[ -e \"$D/asked\" ] || { : > \"$D/asked\"\n\(ask)\n}\nserve",
      manifest: "services: []\ndirectory: \(run.folder("own"))")
    func began() async throws -> Bool {
      try await run.command(["events", "--format", "ndjson"]).stdout.contains("transfer.start")
    }
    _ = try run.startOnBus(Self.meter)
    #expect(try await run.command(["subscribers", "launch", "a"]).status == 0)
    try await run.wait("the transfer") {
      try await run.command(["transfers", "list", "a", "--format", "ndjson"]).stdout.contains(
        #""state":"waits_for_network""#)
    }
    #expect(try await !began())
    #expect(await run.end() == 0)
    _ = try run.startOnBus(Self.meter)
    try await run.wait("the helper") { !run.helpers("conditions").isEmpty }
    try await run.wait("the answer") { try await run.command(["status"]).status <= 1 }
    #expect(try await !began())
    #expect(await run.end() == 0)
  }
}

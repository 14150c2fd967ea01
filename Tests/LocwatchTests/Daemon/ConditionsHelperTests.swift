import Foundation
import TestSupport
import Testing

/// The program that asks NetworkManager and UPower, before mocks of both on a private bus.
@Suite(
  .enabled(
    if: FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/dbusmock")
      && FileManager.default.isExecutableFile(atPath: "/usr/bin/dbus-run-session"),
    "no mocks of the system here"))
struct ConditionsHelperTests {
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

  /// Starts a bus, which ends with it, then becomes the daemon.
  private static let daemon = #"""
    import ctypes, os, signal, subprocess, sys
    PR_SET_PDEATHSIG = 1
    bus = subprocess.Popen(["/usr/bin/dbus-daemon", "--session", "--nofork", "--print-address=1"],
                           stdout=subprocess.PIPE, text=True,
                           preexec_fn=lambda: ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
    os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = bus.stdout.readline().strip()
    os.execv(sys.argv[1], sys.argv[1:])
    """#

  @Test func `G1 it is started again after it has ended`() async throws {
    let run = try DaemonRun()
    try await run.add("a", manifest: "services: []\nmodes: [fetch]")
    try run.start(
      run.settings(), isSimulated: false,
      through: ["/usr/bin/python3", run.folder.write("daemon.py", Self.daemon)])
    let process = try #require(run.process)
    /// The number of the helper; nil while there is none.
    func helper() throws -> pid_t? {
      let tasks = "/proc/\(process.pid)/task"
      for task in try FileManager.default.contentsOfDirectory(atPath: tasks) {
        let children = try? String(contentsOfFile: "\(tasks)/\(task)/children", encoding: .utf8)
        for child in children?.split(separator: " ") ?? [] {
          let name = try? String(contentsOfFile: "/proc/\(child)/comm", encoding: .utf8)
          // The kernel cuts names after 15 bytes.
          if name == "locwatch-condit\n" { return pid_t(child) }
        }
      }
      return nil
    }
    try await run.wait("the helper") { try helper() != nil }
    let first = try #require(try helper())
    try #require(kill(first, SIGKILL) == 0)
    try await run.wait("the next") { try helper().map { $0 != first } ?? false }
    let log = process.stderr
    #expect(log.contains("locwatch-conditions has ended and is started again"), "\(log)")
    #expect(await run.end() == 0)
  }
}

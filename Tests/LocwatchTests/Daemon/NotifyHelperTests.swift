import Foundation
import TestSupport
import Testing

/// The program that shows notifications on the desktop, before a mock of the desktop's service on a private bus.
@Suite(.needsBus) struct NotifyHelperTests {
  /// Starts the service and the helper, waits for the call, has the user do something, and prints the helper's status.
  private static let script = #"""
    import json, subprocess, sys, time
    import dbus, dbus.lowlevel
    helper, log, capabilities, deed, line = sys.argv[1:]
    interface, path = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
    bus = dbus.SessionBus()
    def serve(log):
        service = subprocess.Popen([sys.executable, "-m", "dbusmock", "--template", "notification_daemon", "-l", log,
                                    "-p", json.dumps({"capabilities": capabilities})])
        while not bus.name_has_owner(interface): time.sleep(0.02)
        return service
    service = serve(log)
    launcher = subprocess.Popen(["/usr/bin/dbus-monitor", "interface='com.canonical.Unity.LauncherEntry'"],
                                stdout=subprocess.PIPE, text=True)
    # It is told its own name once it listens.
    while "NameLost" not in launcher.stdout.readline(): pass
    shown = subprocess.Popen([helper], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    shown.stdin.write(line + "\n")
    shown.stdin.close()
    said = shown.stdout.readline().strip()
    def emit(name, signature, *values):
        mock = dbus.Interface(bus.get_object(interface, path), "org.freedesktop.DBus.Mock")
        mock.EmitSignal(interface, name, signature, list(values))
    if deed == "open":
        emit("ActionInvoked", "us", dbus.UInt32(99), "default")
        emit("ActionInvoked", "us", dbus.UInt32(1), "default")
    if deed == "forge":
        forged = dbus.lowlevel.SignalMessage(path, interface, "ActionInvoked")
        forged.append(dbus.UInt32(1), "default")
        bus.send_message(forged)
    if deed in ("close", "forge"): emit("NotificationClosed", "uu", dbus.UInt32(1), dbus.UInt32(2))
    if deed == "restart":
        service.terminate()
        service.wait()
        service = serve(log + "2")
        emit("ActionInvoked", "us", dbus.UInt32(1), "default")
    print(said, shown.wait())
    if '"badge"' in line:
        update = [""]
        while "boolean" not in update[-1]: update.append(launcher.stdout.readline().strip())
        print("|".join(update))
    launcher.terminate()
    service.terminate()
    """#

  private static func show(
    _ line: String, _ deed: String, capabilities: String = "body actions"
  ) async throws -> (status: String, log: String) {
    let folder = TemporaryFolder()
    let script = folder.write("desktop.py", script)
    let log = folder("log")
    let helper = Binary.helper("notify")
    let run = try await Binary.run(
      ["--", "/usr/bin/python3", script, helper, log, capabilities, deed, line],
      executable: "/usr/bin/dbus-run-session")
    #expect(run.status == 0, "\(run.stderr)")
    let text = try String(contentsOfFile: log, encoding: .utf8)
    return (run.stdout.trimmingCharacters(in: .whitespacesAndNewlines), text)
  }

  private static let tea =
    #"{"v":1,"event":7,"subscriber":"a","notification":"tea","title":"Tea","body":"a < b","data":{"x":[1]}}"#

  @Test(arguments: [("open", "100"), ("close", "0"), ("forge", "0"), ("restart", "0")])
  func `D6 it says by its status whether the user opened the notification`(deed: String, status: String)
    async throws
  {
    let shown = try await Self.show(Self.tea, deed)
    #expect(shown.status == "shown \(status)")
    #expect(shown.log.contains(#"Notify "a" 0 "" "Tea" "a < b" ["default", "Open"]"#), "\(shown.log)")
  }

  @Test(arguments: [(3, "int64 3", "boolean true"), (0, "int64 0", "boolean false")])
  func `a badge is told to launchers by the name of the program`(
    badge: Int, count: String, isVisible: String
  ) async throws {
    let line = Self.tea.replacing("\"data\"", with: "\"badge\":\(badge),\"data\"")
    let shown = try await Self.show(line, "close").status
    for words in ["shown 0\n", "member=Update", #"string "application://a.desktop""#, count, isVisible] {
      #expect(shown.contains(words), "\(shown)")
    }
  }

  @Test func `a service without actions is not waited for, and one with markup gets it`() async throws {
    let shown = try await Self.show(Self.tea, "nothing", capabilities: "body body-markup")
    #expect(shown.status == "shown 0")
    #expect(shown.log.contains(#""a &lt; b" []"#), "\(shown.log)")
    // To Swift, "<" with an accent is another character; to a parser of markup it begins a tag.
    let accented = try await Self.show(
      Self.tea.replacing("a < b", with: "<\u{301}b> &\u{FE0F}"), "nothing", capabilities: "body body-markup")
    #expect(accented.log.contains("\"&lt;\u{301}b&gt; &amp;\u{FE0F}\""), "\(accented.log)")
  }

  @Test func `without a bus it says that it is not available, and a line that is none is bad data`()
    async throws
  {
    let helper = Binary.helper("notify")
    for (line, status) in [(Self.tea, 69), ("{}", 65)] {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: helper)
      process.environment = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere/bus"]
      let input = Pipe()
      process.standardInput = input
      try process.run()
      input.fileHandleForWriting.write(Data((line + "\n").utf8))
      try input.fileHandleForWriting.close()
      process.waitUntilExit()
      #expect(process.terminationStatus == Int32(status))
    }
  }
}

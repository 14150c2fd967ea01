import Foundation
import TestSupport
import Testing

/// The program that tells of the screen's lock, before a mock of logind on a private bus and a real daemon.
@Suite(.needsBus) struct SessionHelperTests {
  /// Runs a daemon with one program in the foreground, and tells what the log has of its states after each deed.
  private static let script = #"""
    import json, os, subprocess, sys, time
    import dbus
    locwatch, helper, folder = sys.argv[1:]
    state = ["--state", folder + "/state.db"]
    manager, session = "org.freedesktop.login1", "org.freedesktop.login1.Session"
    # The private bus stands for the machine's.
    os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = os.environ["DBUS_SESSION_BUS_ADDRESS"]
    mock = subprocess.Popen([sys.executable, "-m", "dbusmock", "--system", "--template", "logind"], stdout=subprocess.DEVNULL)
    bus = dbus.SystemBus()
    while not bus.name_has_owner(manager): time.sleep(0.02)
    root = dbus.Interface(bus.get_object(manager, "/org/freedesktop/login1"), "org.freedesktop.DBus.Mock")
    def add_session(name, user):
        path = root.AddSession(name, "seat0", dbus.UInt32(user), "someone%d" % user, True)
        return dbus.Interface(bus.get_object(manager, path), "org.freedesktop.DBus.Mock")
    own = add_session("1", os.getuid())
    other = add_session("2", os.getuid() + 1)
    # What the template leaves out: logind knows a user's object, and the session that shows the screen.
    root.AddMethod(manager + ".Manager", "GetUser", "u", "o", "ret = '/org/freedesktop/login1/user/%d' % args[0]")
    person = bus.get_object(manager, "/org/freedesktop/login1/user/%d" % os.getuid())
    dbus.Interface(person, "org.freedesktop.DBus.Properties").Set(
        manager + ".User", "Display", dbus.Struct(("1", dbus.ObjectPath("/org/freedesktop/login1/session/1"))))
    daemon = subprocess.Popen([locwatch, "run", "--gpsd", "127.0.0.1:1"] + state)
    def run(*words): return subprocess.run([locwatch, *words] + state, capture_output=True, text=True)
    while "daemon    runs" not in run("status").stdout: time.sleep(0.05)
    manifest = folder + "/a.yaml"
    open(manifest, "w").write("name: a\ncommand: [/bin/sleep, inf]\nservices: [significant-change]\nauthorization: always\n")
    added = run("subscribers", "add", manifest)
    assert added.returncode == 0, added.stderr
    while run("subscribers", "launch", "a").returncode != 0: time.sleep(0.05)
    def current():
        return json.loads(run("subscribers", "show", "a", "--format", "ndjson").stdout)["state"]
    def expect(wanted):
        for _ in range(4000):
            if current() == wanted: break
            time.sleep(0.05)
        print(current(), flush=True)
    expect("active")
    watch = subprocess.Popen([helper] + state)
    # It listens once it has asked for its signals; a lock of before is found by asking.
    own.UpdateProperties(session, {"LockedHint": True})
    expect("background")
    own.UpdateProperties(session, {"LockedHint": False})
    expect("active")
    own.EmitSignal(session, "Lock", "", [])
    expect("background")
    other.EmitSignal(session, "Unlock", "", [])
    own.UpdateProperties(session, {"IdleHint": True})
    own.EmitSignal(session, "Unlock", "", [])
    expect("active")
    # A signal to the helper alone comes whoever sends it, and is believed of nobody.
    from dbus.lowlevel import SignalMessage
    driver = dbus.Interface(bus.get_object("org.freedesktop.DBus", "/org/freedesktop/DBus"), "org.freedesktop.DBus")
    names = [name for name in bus.list_names() if name.startswith(":")]
    receiver = next(name for name in names if driver.GetConnectionUnixProcessID(name) == watch.pid)
    for member in ("Lock", "Unlock"):
        forged = SignalMessage("/org/freedesktop/login1/session/1", session, member)
        forged.set_destination(receiver)
        bus.send_message(forged)
    bus.flush()
    # Another user's lock is nobody's here: the own lock that follows it is the first that is told.
    other.EmitSignal(session, "Lock", "", [])
    own.EmitSignal(session, "Lock", "", [])
    expect("background")
    transitions = [json.loads(line) for line in run("events", "--format", "ndjson").stdout.splitlines()]
    print(sum(1 for one in transitions if one["type"] == "subscriber.state" and one["state_after"] == "background"), flush=True)
    for process in (watch, daemon, mock):
        process.terminate()
        process.wait()
    """#

  @Test func `A2 a lock of the own session sends programs to the background, and an unlock returns them`()
    async throws
  {
    let folder = TemporaryFolder()
    let script = folder.write("session.py", Self.script)
    let helper = Binary.helper("session")
    let run = try await Binary.run(
      ["--", "/usr/bin/python3", script, Binary.path, helper, folder.path],
      timeout: .seconds(2 * TestPatience.seconds), executable: "/usr/bin/dbus-run-session")
    #expect(run.status == 0, "\(run.stderr)")
    #expect(
      run.stdout.split(separator: "\n") == [
        "active", "background", "active", "background", "active", "background", "3",
      ],
      "\(run.stderr)")
  }

  @Test func `without a bus it says so, and a wrong argument is one`() async throws {
    let helper = Binary.helper("session")
    let run = try await Binary.run(
      ["DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nowhere/bus", helper], executable: "/usr/bin/env")
    #expect(run.status == 69)
    #expect(run.stderr.hasPrefix("locwatch-session: logind can't be asked:"))
    let wrong = try await Binary.run(["--wrong"], executable: helper)
    #expect(wrong.status == 64)
  }
}

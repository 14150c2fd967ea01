import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// Services of programs that are published (rule K6): the helper before a real Avahi on a bus and a network of our own,
/// and a daemon with it before an Avahi that only notes what it is asked.
@Suite struct AdvertiseTests {
  private static func hasPrograms(_ paths: [String]) -> Bool {
    paths.allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
  }

  private static let helper = Binary.helper("advertise")

  // MARK: The helper

  /// Whether an Avahi can be had that no other machine hears.
  private static let hasAvahi: Bool = {
    guard getuid() == 0,
      hasPrograms([
        "/usr/sbin/avahi-daemon", "/usr/bin/avahi-browse", "/usr/bin/avahi-publish",
        "/usr/bin/avahi-set-host-name", "/usr/bin/dbus-daemon", "/usr/bin/unshare", "/usr/bin/python3",
      ])
    else { return false }
    let trial = Process()
    trial.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    trial.arguments = ["-mn", "/bin/sh", "-c", "ip link add d0 type veth peer name d1"]
    trial.standardError = FileHandle.nullDevice
    guard (try? trial.run()) != nil else { return false }
    trial.waitUntilExit()
    return trial.terminationStatus == 0
  }()

  /// Plays the helper alone: prints what is published after each step, once it is as expected.
  private static let script = #"""
    import json, os, subprocess, sys, time
    helper, folder = sys.argv[1:]
    def run(*words): subprocess.run(words, check=True)
    os.makedirs("/run/avahi-daemon", exist_ok=True)
    run("mount", "--make-rprivate", "/")
    run("mount", "-t", "tmpfs", "tmpfs", "/run/avahi-daemon")
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", "d0", "type", "veth", "peer", "name", "d1")
    run("ip", "address", "add", "10.9.9.1/24", "dev", "d0")
    for link in ("d0", "d1"): run("ip", "link", "set", link, "up")
    bus = subprocess.Popen(["/usr/bin/dbus-daemon", "--session", "--nofork", "--print-address=1"],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = bus.stdout.readline().strip()
    with open(folder + "/avahi.conf", "w") as conf:
        conf.write("[server]\nhost-name=pi\nuse-ipv6=no\nallow-interfaces=d0\n"
                   "[publish]\npublish-workstation=no\npublish-hinfo=no\n")
    def start(*words): return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    def avahi(): return start("/usr/sbin/avahi-daemon", "--no-rlimits", "--no-drop-root", "--no-chroot",
                              "-f", folder + "/avahi.conf")
    def runs():
        probe = os.path.join(os.path.dirname(helper), "locwatch-conditions")
        names = json.loads(subprocess.run([probe, "--names", "system"], capture_output=True).stdout)
        return "org.freedesktop.Avahi" in names["running"]
    def browse():
        text = subprocess.run(["/usr/bin/avahi-browse", "-artpk"], capture_output=True, text=True).stdout
        found = [line.split(";") for line in text.splitlines() if line.startswith("=")]
        return sorted("%s %s %s" % (words[3].replace("\\032", " ").replace("\\035", "#"), words[4], words[8])
                      for words in found)
    def wait(*expected):
        end = time.monotonic() + 120
        while (seen := browse()) != sorted(expected) and time.monotonic() < end: time.sleep(0.2)
        print(seen, flush=True)
    def tell(name, **services):
        list = [{"type": "_" + type + "._tcp", "port": port} for type, port in services.items()]
        process.stdin.write(json.dumps({"subscriber": name, "services": list}) + "\n")
        process.stdin.flush()
    process = subprocess.Popen([helper], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    print("Avahi", runs())
    tell("a", http=8080)
    print(process.stdout.readline().strip())
    process.stdout.readline()
    server = avahi()
    end = time.monotonic() + 60
    while not runs() and time.monotonic() < end: time.sleep(0.1)
    print("Avahi", runs())
    tell("a", http=8080, ipp=631)
    tell("b", http=8081)
    wait("a on pi _http._tcp 8080", "a on pi _ipp._tcp 631", "b on pi _http._tcp 8081")
    tell("a", http=8082)
    wait("a on pi _http._tcp 8082", "b on pi _http._tcp 8081")
    server.terminate()
    server.wait()
    server = avahi()
    wait("a on pi _http._tcp 8082", "b on pi _http._tcp 8081")
    tell("b")
    other = start("/usr/bin/avahi-publish", "-s", "c on pi", "_ssh._tcp", "22")
    wait("a on pi _http._tcp 8082", "c on pi _ssh._tcp 22")
    tell("c", ssh=2222)
    wait("a on pi _http._tcp 8082", "c on pi _ssh._tcp 22", "c on pi #2 _ssh._tcp 2222")
    other.kill()
    run("/usr/bin/avahi-set-host-name", "po")
    wait("a on po _http._tcp 8082", "c on po _ssh._tcp 2222")
    process.stdin.close()
    wait()
    print(process.wait(120), process.stdout.read(), flush=True)
    server.kill()
    bus.kill()
    """#

  @Test(.enabled(if: hasAvahi, "no Avahi, or no network of our own here"))
  func
    `K6 Avahi publishes and withdraws, also after its restart, a collision and another name of the machine`()
    async throws
  {
    let folder = TemporaryFolder()
    let run = try await Binary.run(
      ["-mn", "/usr/bin/python3", folder.write("helper.py", Self.script), Self.helper, folder.path],
      executable: "/usr/bin/unshare")
    #expect(run.status == 0, "\(run.stderr)")
    let a = "'a on pi _http._tcp"
    #expect(
      run.stdout.split(separator: "\n").map(String.init) == [
        "Avahi False", #"{"unavailable":"a"}"#, "Avahi True",
        "[\(a) 8080', 'a on pi _ipp._tcp 631', 'b on pi _http._tcp 8081']",
        "[\(a) 8082', 'b on pi _http._tcp 8081']", "[\(a) 8082', 'b on pi _http._tcp 8081']",
        "[\(a) 8082', 'c on pi _ssh._tcp 22']",
        "[\(a) 8082', 'c on pi #2 _ssh._tcp 2222', 'c on pi _ssh._tcp 22']",
        "['a on po _http._tcp 8082', 'c on po _ssh._tcp 2222']", "[]", "0 ",
      ], "\(run.stderr)")
  }

  // MARK: The daemon

  /// As much of Avahi as publishes: it notes what it is asked in a file. With the argument `none` it is not there.
  private static let avahi = #"""
    import sys, dbus, dbus.service
    from dbus.mainloop.glib import DBusGMainLoop
    from gi.repository import GLib
    DBusGMainLoop(set_as_default=True)
    bus = dbus.SystemBus()
    log = open(sys.argv[1], "a", buffering=1)
    SERVER, GROUP = "org.freedesktop.Avahi.Server", "org.freedesktop.Avahi.EntryGroup"
    class Group(dbus.service.Object):
        def __init__(self, path):
            super().__init__(bus, path)
            self.added = ""
        @dbus.service.method(GROUP, in_signature="iiussssqaay")
        def AddService(self, interface, protocol, flags, name, type, domain, host, port, text):
            self.added = "%s %s %d" % (name, type, port)
        @dbus.service.method(GROUP)
        def Commit(self): print("+", self.added, file=log)
        @dbus.service.method(GROUP)
        def Free(self):
            print("-", self.added, file=log)
            self.remove_from_connection()
    class Server(dbus.service.Object):
        groups = 0
        @dbus.service.method(SERVER, out_signature="i")
        def GetState(self): return 2
        @dbus.service.method(SERVER, out_signature="s")
        def GetHostName(self): return "pi"
        @dbus.service.method(SERVER, out_signature="o", sender_keyword="sender")
        def EntryGroupNew(self, sender):
            self.groups += 1
            path = "/group/%d" % self.groups
            bus.watch_name_owner(sender, lambda owner: owner or print("gone", file=log))
            return Group(path)._object_path
    server = Server(bus, "/")
    if sys.argv[2] != "none": name = dbus.service.BusName("org.freedesktop.Avahi", bus)
    print("ready", flush=True)
    GLib.MainLoop().run()
    """#

  private static func begin(_ run: DaemonRun, hasAvahi: Bool = true) async throws {
    try await run.add(
      "a", #"echo '{"advertise":{"type":"_http._tcp","port":8080}}'; serve"#, manifest: "services: []")
    try run.startOnBus(avahi, [run.folder("avahi.log"), hasAvahi ? "there" : "none"])
    #expect(try await run.command(["subscribers", "launch", "a"]).status == 0)
  }

  @Test(.needsBus)
  func `K6 a service is published while its program runs, and the helper is there no longer than that`()
    async throws
  {
    let run = try DaemonRun()
    try await Self.begin(run)
    let published = "+ a on pi _http._tcp 8080"
    func count(_ line: String) -> Int { run.lines(of: "avahi.log").count { $0 == line } }
    try await run.wait("the service") { count(published) == 1 }
    #expect(!run.helpers("advertise").isEmpty)

    #expect(try await run.command(["subscribers", "background", "a"]).status == 0)
    try await run.waitFor("a", .suspended)
    try await run.wait("the end of the helper") { run.helpers("advertise").isEmpty && count("gone") == 1 }

    #expect(try await run.command(["subscribers", "launch", "a"]).status == 0)
    try await run.wait("the service again") { count(published) == 2 }

    // Who publishes it is killed, and started again.
    let helper = try #require(run.helpers("advertise").first)
    #expect(kill(helper, SIGKILL) == 0)
    try await run.wait("the service after that") { count(published) == 3 }

    // A daemon that goes on has another process, which asks anew.
    #expect(await run.end() == 0)
    #expect(run.process?.stderr.contains("locwatch-advertise has ended and is started again") == true)
    let told = try await run.events().filter { $0.contains(#""type":"service""#) }
    #expect(told.count { $0.contains(#""event":"publish""#) } == 2, "\(told)")
    #expect(told.first?.contains(#""service":"_http._tcp","port":8080"#) == true, "\(told)")
  }

  @Test(.needsBus)
  func `K6 without Avahi on the bus the program is told that nothing publishes its service`() async throws {
    let run = try DaemonRun()
    try await Self.begin(run, hasAvahi: false)
    try await run.wait("the refusal") {
      run.log.contains { $0.line.contains(#""what":"advertise","reason":"unavailable""#) }
    }
    #expect(try await run.decisions("a").contains("refuse B9 unavailable"))
    try await run.wait("the end of the helper") { run.helpers("advertise").isEmpty }
    #expect(await run.end() == 0)
  }
}

import Foundation
import TestSupport
import Testing

@testable import LocationRuntime

/// A bus of our own, on which a service in Python stands for one of the machine.
enum PrivateBus {
  fileprivate static let isHere =
    FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/dbusmock")
    && ["/usr/bin/dbus-daemon", "/usr/bin/dbus-run-session", "/usr/bin/python3"].allSatisfy {
      FileManager.default.isExecutableFile(atPath: $0)
    }

  /// Starts a bus, and on it the service of the words before `--`, which end with it, then becomes the daemon. The
  /// service reads the file `commands`, and says something when it is ready.
  fileprivate static let script = #"""
    import ctypes, os, signal, subprocess, sys
    PR_SET_PDEATHSIG = 1
    def end_with_parent(): ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    def start(*words, **more):
        return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, preexec_fn=end_with_parent, **more)
    bus = start("/usr/bin/dbus-daemon", "--session", "--nofork", "--print-address=1")
    os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = bus.stdout.readline().strip()
    end = sys.argv.index("--")
    commands, *service = sys.argv[1:end]
    if service:
        started = start(sys.executable, *service, stdin=os.open(commands, os.O_RDWR))
        started.stdout.readline()
    os.execv(sys.argv[end + 1], sys.argv[end + 1:])
    """#
}

extension Trait where Self == ConditionTrait {
  /// Where there is a bus and a Python that speaks to it.
  static var needsBus: Self { .enabled(if: PrivateBus.isHere, "apt-get install dbus python3-dbusmock") }
}

extension DaemonRun {
  /// Starts it, with the time of the machine, on a bus of its own beside a service in Python, if any.
  ///
  /// - Returns: what gives the service a line.
  @discardableResult
  func startOnBus(_ service: String? = nil, _ arguments: [String] = []) throws -> (String) throws -> Void {
    let commands = folder("commands")
    // It is there when the daemon starts again.
    _ = unsafe mkfifo(commands, 0o600)
    // Opened to read and write it waits for no other side, and has no end.
    let writer = try #require(FileHandle(forUpdatingAtPath: commands))
    let words = service.map { [folder.write("service.py", $0)] + arguments } ?? []
    try start(
      settings(), isSimulated: false,
      through: ["/usr/bin/python3", folder.write("bus.py", PrivateBus.script), commands] + words + ["--"])
    return { try writer.write(contentsOf: Data(($0 + "\n").utf8)) }
  }

  /// The processes of a helper that it has started.
  func helpers(_ name: String) -> [Int32] {
    KernelFile.names(in: "/proc", areDirectories: true).compactMap { Int32($0) }.filter {
      KernelFile.target("/proc/\($0)/exe")?.hasSuffix("/locwatch-\(name)") == true
        && KernelFile.read("/proc/\($0)/status")?.contains("\nPPid:\t\(process?.pid ?? 0)\n") == true
    }
  }
}

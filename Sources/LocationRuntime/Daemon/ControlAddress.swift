import Glibc
import LocationFormats

/// Where a daemon listens for commands: a Unix socket.
struct ControlAddress {
  let path: String

  /// Beside the state file, unless systemd gives the service a directory for such things.
  static func own(state: String) -> ControlAddress { ControlAddress(path: place("control", state: state)) }

  /// Where something of this boot lies: beside the state file, unless systemd gives the service a directory for it.
  static func place(_ name: String, state: String) -> String {
    if let folder = EnvironmentVariable.value("RUNTIME_DIRECTORY")?.split(separator: ":").first,
      folder.hasPrefix("/")
    {
      return "\(folder)/\(name)"
    }
    return "\(state).\(name)"
  }

  /// Where it is when nobody says otherwise.
  static func beside(_ state: String) -> ControlAddress { ControlAddress(path: state + ".control") }

  /// That of the machine's service, as Examples/systemd/locwatch.socket has it.
  static let system = ControlAddress(path: "/run/locwatch/control")

  /// Where it is taken to be when the state file does not say: the machine's own can't be read by its group, which may
  /// use the socket all the same.
  static func unstored(state: String, isForbidden: Bool) -> ControlAddress {
    isForbidden && state == StatePath.system ? system : beside(state)
  }

  /// Calls `body` with the address for `bind` or `connect`; -1, with `errno` set, where the path can't be used.
  ///
  /// A path has room for 107 bytes only (unix(7)); a longer one is reached by way of its open folder.
  func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var short = path
    var folder: Descriptor?
    if path.utf8.count > Self.longestBytes {
      let parts = path.split(separator: "/", omittingEmptySubsequences: false)
      let above = parts.dropLast().joined(separator: "/")
      let flags = O_RDONLY | O_DIRECTORY
      guard let name = parts.last, let opened = Descriptor.open(above, flags) else { return -1 }
      folder = opened
      short = "/proc/self/fd/\(opened.number)/\(name)"
    }
    guard short.utf8.count <= Self.longestBytes else {
      errno = ENAMETOOLONG
      return -1
    }
    var address = sockaddr_un(path: short.utf8)
    let code = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    withExtendedLifetime(folder) {}
    return code
  }

  private static let longestBytes = 107

  /// Connects to it and hangs up, without waiting; 0 where a server listens, otherwise `errno`.
  func probe() -> Int32 {
    guard let descriptor = Self.newSocket(waits: false) else { return errno }
    return connect(descriptor)
  }

  /// Connects a socket to it; 0, or `errno`.
  func connect(_ descriptor: Descriptor) -> Int32 {
    let code = unsafe withAddress { unsafe SystemCall.connectSocket(descriptor.number, $0, $1) }
    return code == 0 ? 0 : errno
  }

  /// A new socket for it; nil where the machine has no descriptors left.
  static func newSocket(waits: Bool) -> Descriptor? {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (waits ? 0 : SOCK_NONBLOCK.rawValue))
    let number = socket(AF_UNIX, kind, 0)
    return number < 0 ? nil : Descriptor(number)
  }
}

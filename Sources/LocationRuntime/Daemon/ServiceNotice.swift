import Glibc
import LocationFormats

/// Tells systemd how the service is: datagrams to the socket it names, as sd_notify(3) describes them. Without that
/// socket it tells nobody.
struct ServiceNotice {
  private let path: String?
  /// How often systemd wants to hear that the service lives, microseconds; nil where it does not.
  let watchdogMicroseconds: Int64?

  init() {
    path = EnvironmentVariable.value("NOTIFY_SOCKET").flatMap {
      $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil
    }
    let isForUs = EnvironmentVariable.value("WATCHDOG_PID").map { pid_t($0) == getpid() } ?? true
    // Half the time, as sd_watchdog_enabled(3) advises.
    watchdogMicroseconds =
      isForUs
      ? EnvironmentVariable.value("WATCHDOG_USEC").flatMap { Int64($0) }.flatMap { $0 > 1 ? $0 / 2 : nil }
      : nil
  }

  /// The environment of this process without what systemd sets for the service itself.
  static func environmentForChildren() -> [String] {
    ProgramStart.inheritedEnvironment().filter { entry in !variables.contains { entry.hasPrefix($0 + "=") } }
  }

  private static let variables = [
    "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
  ]

  /// It serves.
  func ready(_ status: String) { send("READY=1\nSTATUS=\(TextTable.cell(status))") }

  /// It reads its settings again.
  func reloading() {
    send("RELOADING=1\nMONOTONIC_USEC=\(SystemCall.microseconds(of: CLOCK_MONOTONIC))")
  }

  /// It is about to end.
  func stopping() { send("STOPPING=1\nSTATUS=stopping") }

  /// For people.
  func status(_ text: String) { send("STATUS=\(TextTable.cell(text))", waits: false) }

  /// It lives.
  func alive() { send("WATCHDOG=1", waits: false) }

  /// - Parameter waits: whether it is worth waiting for where systemd has not read what it was told before.
  private func send(_ text: String, waits: Bool = true) {
    guard let path else { return }
    let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var bytes = Array(path.utf8)
    // A name that begins with @ stands in no file system (unix(7)).
    if path.hasPrefix("@") { bytes[0] = 0 }
    guard bytes.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return }
    var address = sockaddr_un(path: bytes)
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let message = Array(text.utf8)
    unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = unsafe message.withUnsafeBytes {
          unsafe sendto(
            descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT)),
            address, length)
        }
      }
    }
  }
}

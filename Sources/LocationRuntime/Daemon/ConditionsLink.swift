import LocationCore
import LocationFormats

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The program that asks NetworkManager and UPower, `locwatch-conditions`, and what it said last. Where it is not there,
/// or has ended, nothing is known. Used by the daemon's thread alone.
final class ConditionsLink {
  private var program: ProgramStart?
  private var lines = LineBuffer(limit: 4_096)
  /// Whether the network counts what it carries; nil where nobody says.
  private(set) var isMetered: Bool?
  /// What the machine runs on; nil where nobody says.
  private(set) var supply: PowerSupply?

  /// Asks nobody.
  init() {}

  /// Starts the program, where it is beside this one and there is a bus of the machine.
  init(startedWith environment: [String]) {
    guard Self.hasBus, let path = Self.helper else { return }
    program = try? ProgramStart(
      command: [path], environment: environment, hasOutput: true, cgroup: nil, noting: { _ in })
  }

  /// It ends with its input; until then it can't be waited for.
  deinit {
    guard let program else { return }
    kill(-program.pid, SIGKILL)
    while program.reap() == nil { _ = poll(nil, 0, 1) }
  }

  /// The program; nil where it is not there.
  static var helper: String? {
    SiblingProgram.path("locwatch-conditions").flatMap { unsafe access($0, X_OK) == 0 ? $0 : nil }
  }

  /// Whether there is a bus of the machine.
  static var hasBus: Bool {
    let isThere = unsafe access("/run/dbus/system_bus_socket", F_OK) == 0
    return isThere || EnvironmentVariable.value("DBUS_SYSTEM_BUS_ADDRESS") != nil
  }

  /// For `poll`.
  var readable: Int32 { program?.output?.number ?? -1 }

  /// Takes what has come.
  func take() {
    guard let output = program?.output else { return }
    var piece = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = unsafe piece.withUnsafeMutableBytes { unsafe SystemCall.readBytes(output.number, $0) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      guard count > 0 else {
        forget()
        return
      }
      lines.append(piece.span.extracting(0..<count))
      while case .line(let range) = lines.next() { take(Array(lines.bytes[range])) }
    }
  }

  private func take(_ line: [UInt8]) {
    var reader = JSONReader(line)
    guard let tree = try? JSONTree(&reader) else { return }
    func flag(_ key: String) -> Bool? { if case .boolean(let value)? = tree[key] { value } else { nil } }
    isMetered = flag("metered")
    supply = flag("on_battery").map { isOnBattery in
      PowerSupply(isOnBattery: isOnBattery, percent: tree["percent"].flatMap { Double($0.text) })
    }
  }

  /// It has ended: what it said holds no longer.
  private func forget() {
    if let program { while program.reap() == nil { _ = poll(nil, 0, 1) } }
    program = nil
    isMetered = nil
    supply = nil
  }
}

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
  private var process: SiblingProcess?
  /// Whether the network counts what it carries; nil where nobody says.
  private(set) var isMetered: Bool?
  /// What the machine runs on; nil where nobody says.
  private(set) var supply: PowerSupply?

  /// Asks nobody.
  init() {}

  /// Starts the program, where it is beside this one and there is a bus of the machine.
  init(startedWith environment: [String]) {
    guard Self.hasBus, let path = Self.helper else { return }
    process = try? SiblingProcess(path, environment: environment, lineBytes: 4_096)
  }

  /// It ends with its input; until then it can't be waited for.
  deinit { process?.kill() }

  /// The program; nil where it is not there.
  static var helper: String? { SiblingProgram.executable("locwatch-conditions") }

  /// Whether there is a bus of the machine.
  static var hasBus: Bool {
    let isThere = unsafe access("/run/dbus/system_bus_socket", F_OK) == 0
    return isThere || EnvironmentVariable.value("DBUS_SYSTEM_BUS_ADDRESS") != nil
  }

  /// For `poll`.
  var readable: Int32 { process?.readable ?? -1 }

  /// Takes what has come. Where it has ended, what it said holds no longer.
  func take() {
    guard let (lines, hasEnded) = process?.take() else { return }
    for line in lines { take(line) }
    guard hasEnded else { return }
    process?.kill()
    process = nil
    isMetered = nil
    supply = nil
  }

  private func take(_ tree: JSONTree) {
    func flag(_ key: String) -> Bool? { if case .boolean(let value)? = tree[key] { value } else { nil } }
    isMetered = flag("metered")
    supply = flag("on_battery").map { isOnBattery in
      PowerSupply(isOnBattery: isOnBattery, percent: tree["percent"].flatMap { Double($0.text) })
    }
  }
}

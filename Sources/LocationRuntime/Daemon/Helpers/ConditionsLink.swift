import Glibc
import LocationCore
import LocationFormats

/// The program that asks NetworkManager and UPower, `locwatch-conditions`, and what it said last. Where it is not there,
/// or has ended, nothing is known.
struct ConditionsLink: LinkedSibling {
  var link: SiblingLink
  /// Whether the network counts what it carries; nil where nobody says.
  private(set) var isMetered: Bool?
  /// What the machine runs on; nil where nobody says.
  private(set) var supply: PowerSupply?
  /// Whether it runs and has said nothing yet.
  private(set) var isAwaited = false

  init(environment: [String], now: @escaping () -> EngineInstant) {
    link = SiblingLink(environment: environment, now: now)
  }

  /// The program; nil where it is not there, or the machine has no bus.
  static var helper: String? { helper(program) }

  /// Its name. It also asks the bus of a session, which may be there without that of the machine.
  static let program = "locwatch-conditions"

  /// A program that speaks to the bus of the machine; nil where it is not there, or there is no bus.
  static func helper(_ program: String) -> String? { hasBus ? SiblingProgram.executable(program) : nil }

  /// Whether there is a bus of the machine.
  static var hasBus: Bool {
    let isThere = unsafe access("/run/dbus/system_bus_socket", F_OK) == 0
    return isThere || EnvironmentVariable.value("DBUS_SYSTEM_BUS_ADDRESS") != nil
  }

  /// Starts the program where it does not run, is beside this one, and there is a bus of the machine.
  mutating func start() {
    link.start(Self.helper)
    isAwaited = link.isRunning
  }

  /// It is told nothing.
  mutating func forgetTold() {}

  /// Whether something has come.
  func hasNews(_ polled: PollSet) -> Bool { link.hasNews(polled) }

  /// Takes what has come. Where it has ended, what it said holds no longer.
  mutating func take() {
    let (lines, hasEnded) = link.take()
    for line in lines { take(line) }
    if hasEnded || !lines.isEmpty { isAwaited = false }
    guard hasEnded else { return }
    isMetered = nil
    supply = nil
    link.complain("locwatch-conditions has ended and is started again; until then the kernel alone is asked")
  }

  private mutating func take(_ tree: JSONTree) {
    func flag(_ key: String) -> Bool? { if case .boolean(let value)? = tree[key] { value } else { nil } }
    isMetered = flag("metered")
    supply = flag("on_battery").map { isOnBattery in
      PowerSupply(isOnBattery: isOnBattery, percent: tree["percent"].flatMap { Double($0.text) })
    }
  }
}

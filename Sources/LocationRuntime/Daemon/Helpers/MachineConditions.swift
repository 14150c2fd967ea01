import Glibc
import LocationCore
import LocationFormats

/// What good moments to fetch depend on (rule G1): whether a network can be reached, and what the machine runs on. It
/// is read from the kernel when the kernel has news, and never between.
///
/// "Network there" is a default route on a link that is up. Whether it is metered only NetworkManager knows: without it,
/// it counts as free. What UPower says of the battery comes before what the kernel says. A network that has just come
/// counts after ``settleSeconds``.
struct MachineConditions {
  private let network = KernelNews(.network)
  private let devices = KernelNews(.devices)
  private let root: String
  /// Who asks NetworkManager and UPower.
  private var bus: ConditionsLink
  private var told: (network: NetworkState?, supply: PowerSupply?) = (nil, nil)
  /// When a network that has come counts; nil where none has.
  private(set) var settlesAt: EngineInstant?

  /// - Parameters:
  ///   - root: in place of `/`, for tests.
  ///   - bus: who asks NetworkManager and UPower.
  init(root: String = "", bus: ConditionsLink) {
    self.root = root
    self.bus = bus
  }

  /// When there is something to do; nil where there is not.
  var deadline: EngineInstant? { [settlesAt, bus.retryAt].compactMap { $0 }.min() }

  /// Ends who asks.
  mutating func end() { bus.end() }

  /// What went wrong, once.
  mutating func takeTroubles() -> [String] { bus.takeTroubles() }

  /// Adds what is waited for.
  func watch(_ polled: inout PollSet) {
    for news in [network, devices] { polled.watch(news?.readable ?? -1) }
    bus.watch(&polled)
  }

  /// What has changed.
  mutating func take(_ polled: PollSet, at instant: EngineInstant) -> [MachineEvent] {
    let hasNews = [network, devices].contains { polled.has($0?.readable ?? -1) } || bus.hasNews(polled)
    if hasNews {
      network?.drain()
      devices?.drain()
      bus.take()
    }
    if bus.mayRetry() { bus.start() }
    guard hasNews || settlesAt.map({ $0 <= instant }) ?? false else { return [] }
    return look(at: instant)
  }

  /// What is so now, where that is not what was said last.
  mutating func look(at instant: EngineInstant) -> [MachineEvent] {
    var events: [MachineEvent] = []
    let supply = bus.supply ?? Self.supply(in: root + "/sys/class/power_supply")
    if supply != told.supply {
      told.supply = supply
      events.append(.supply(supply))
    }
    let reached: NetworkState = bus.isMetered == true ? .metered : .free
    let network = DefaultRoute.isThere(under: root) ? reached : .unreachable
    if network != told.network {
      if network != .unreachable, told.network == .unreachable, settlesAt.map({ $0 > instant }) ?? true {
        settlesAt = settlesAt ?? instant.advanced(bySeconds: Self.settleSeconds)
        return events
      }
      told.network = network
      events.append(.network(network))
    }
    settlesAt = nil
    return events
  }

  /// Seconds from a network's coming to its being counted: addresses, routes and names take some.
  static let settleSeconds = 20.0
}

// MARK: - The kernel's files

extension MachineConditions {
  /// What the machine runs on: on its battery where one discharges and no other supply is online. Batteries of mice and
  /// the like (`scope` is `Device`) do not count.
  static func supply(in folder: String) -> PowerSupply {
    func text(_ name: String, _ file: String) -> String? {
      KernelFile.read("\(folder)/\(name)/\(file)").map { String($0.prefix { $0 != "\n" }) }
    }
    var isOnline = false
    var isDischarging = false
    var percents: [Double] = []
    // In /sys they are links.
    let names = [false, true].flatMap { KernelFile.names(in: folder, areDirectories: $0) }
    for name in names where text(name, "scope") != "Device" {
      if text(name, "type") == "Battery" {
        if text(name, "status") == "Discharging" { isDischarging = true }
        if let percent = text(name, "capacity").flatMap({ Double($0) }) { percents.append(percent) }
      } else if text(name, "online") == "1" {
        isOnline = true
      }
    }
    return PowerSupply(isOnBattery: isDischarging && !isOnline, percent: percents.max())
  }
}

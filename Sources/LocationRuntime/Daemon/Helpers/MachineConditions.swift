import Glibc
import LocationCore
import LocationFormats

/// What good moments to fetch depend on (rule G1): whether a network can be reached, and what the machine runs on. It
/// is read from the kernel when the kernel has news, and never between.
///
/// "Network there" is a default route on a link that is up. Whether it is metered only NetworkManager knows: without it,
/// it counts as free. Until it has been asked the network counts as it did, or as unreachable. What UPower says of the
/// battery comes before what the kernel says. A network that has just come counts after ``settleSeconds``.
struct MachineConditions {
  private let network = KernelNews(.network)
  private let devices = KernelNews(.devices)
  private let root: String
  /// Who asks NetworkManager and UPower.
  private var bus: ConditionsLink
  private var told: (network: NetworkState?, supply: PowerSupply?) = (nil, nil)
  /// When a network that has come counts; nil where none has.
  private(set) var settlesAt: EngineInstant?
  /// When the network counts without an answer of who knows whether it is metered; nil where none is waited for.
  private var answerBy: EngineInstant?
  /// Whether a network has been seen here, or seen to be missing.
  private var hasSeen = false

  /// - Parameters:
  ///   - root: in place of `/`, for tests.
  ///   - bus: who asks NetworkManager and UPower.
  ///   - known: what the engine was told of the network before; nil where that is too long ago.
  ///   - now: the instant.
  init(root: String = "", bus: ConditionsLink, known: NetworkState?, at now: EngineInstant) {
    self.root = root
    self.bus = bus
    told.network = known
    if bus.isAwaited { answerBy = now.advanced(bySeconds: Self.answerSeconds) }
  }

  /// When there is something to do; nil where there is not.
  var deadline: EngineInstant? { [settlesAt, answerBy, bus.retryAt].compactMap { $0 }.min() }

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
    guard hasNews || [settlesAt, answerBy].contains(where: { $0.map { $0 <= instant } ?? false }) else {
      return []
    }
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
    if !bus.isAwaited || answerBy.map({ $0 <= instant }) ?? false { answerBy = nil }
    let isThere = DefaultRoute.isThere(under: root)
    if isThere, answerBy != nil {
      guard told.network == nil else { return events }
      told.network = .unreachable
      return events + [.network(.unreachable)]
    }
    let hadSeen = hasSeen
    hasSeen = true
    let reached: NetworkState = bus.isMetered == true ? .metered : .free
    let network = isThere ? reached : .unreachable
    if network != told.network {
      let hasCome = hadSeen && told.network == .unreachable && network != .unreachable
      if hasCome, settlesAt.map({ $0 > instant }) ?? true {
        settlesAt = settlesAt ?? instant.advanced(bySeconds: Self.settleSeconds)
        return events
      }
      told.network = network
      events.append(.network(network))
    }
    settlesAt = nil
    return events
  }

  /// Seconds that NetworkManager is waited for: on a machine that starts, it may take some.
  static let answerSeconds = 10.0
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

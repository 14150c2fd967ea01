import LocationCore
import LocationFormats
import TestSupport

@testable import LocationRuntime

/// The simulated supervisor, its programs, and the user.
extension Simulation {
  /// The supervisor carries some orders out; what is left comes later.
  mutating func carryOut() {
    for _ in 0..<Int.random(in: 0...8, using: &random) {
      guard let order = orders.takeOldest(\.name, &random) else { return }
      carryOut(order.work)
    }
  }

  mutating func carryOut(_ work: DaemonPorts.Work) {
    switch work {
    case .order(.wake(let name, _), _):
      if programs[name]?.state == .suspended { programs[name]?.state = .running }
    case .order(.relaunch(let name, _), _): start(name)
    case .action(.userLaunch(let name, _)): start(name)
    case .order(.suspend(let name), _):
      if programs[name]?.state == .running { programs[name]?.state = .suspended }
    case .order(.terminate(let name), _): end(name, status: 143)
    case .order(.deliver(let name, let event, _), _):
      counts.deliveries += 1
      if programs[name]?.state == .running { programs[name]?.handed.append(event) }
    case .order(.open(let name, _), _): start(name)
    case .order(.warn, _), .order(.announce, _), .order(.refuse, _), .order(.notify, _), .order(.keep, _),
      .order(.audio, _), .order(.transfer, _), .order(.accessory, _), .order(.advertise, _):
      break
    case .action(.answer), .action(.withdraw): break
    }
  }

  private mutating func start(_ name: String) {
    guard programs[name]?.state == .ended else {
      programs[name]?.state = .running
      return
    }
    if random.chance(0.1) { return reports.append((name, .exited(status: 127))) }
    programs[name] = Program(state: .running)
  }

  private mutating func end(_ name: String, status: Int32) {
    guard programs[name]?.state != .ended else { return }
    programs[name] = Program()
    reports.append((name, .exited(status: status)))
  }

  /// A program says something, or ends.
  mutating func speak() {
    guard let name = Self.subscribers.randomElement(using: &random)?.name,
      let program = programs[name], program.state == .running
    else { return }
    switch random.unit() {
    case ..<0.6:
      let count = Int.random(in: 0...program.handed.count, using: &random)
      for event in program.handed.prefix(count) {
        reports.append((name, .acknowledged(event: event, coreSeconds: 0)))
      }
      programs[name]?.handed.removeFirst(count)
    case ..<0.65:
      reports.append((name, .acknowledged(event: Int.random(in: 0...500, using: &random), coreSeconds: 0)))
    case ..<0.72: reports.append((name, .beginTask(name: "upload")))
    case ..<0.78: reports.append((name, .endTask(token: Int.random(in: 1...5, using: &random))))
    case ..<0.82: reports.append((name, .done))
    case ..<0.86: reports.append((name, .start(.standard)))
    case ..<0.89: reports.append((name, .stop(.standard)))
    case ..<0.93: end(name, status: 1)
    default: break  // It hangs.
    }
  }

  /// The daemon reads some of what programs said.
  mutating func read() throws {
    for _ in 0..<Int.random(in: 0...reports.count, using: &random) {
      guard let report = reports.takeOldest(\.name, &random) else { return }
      if isNoted { note("\(report.name): \(report.event)") }
      try handle(report)
    }
  }

  mutating func handle(_ report: (name: String, event: SubscriberEvent)) throws {
    try host.handle(.subscriber(name: report.name, report.event), at: reading)
    if case .acknowledged(let event, _) = report.event {
      promises.waiting[report.name]?.remove(event)
    }
  }

  mutating func user() throws {
    let name = Self.subscribers.randomElement(using: &random)?.name ?? ""
    let event: SubscriberEvent? =
      switch random.unit() {
      case ..<0.3: .foreground
      case ..<0.6: .background
      case ..<0.7: .quit
      case ..<0.8: .authorization(Subscriber.Authorization.allCases.randomElement(using: &random) ?? .always)
      case ..<0.9: .backgroundDelivery(random.chance(0.5))
      default: nil
      }
    guard let event else { return try changeRegions() }
    if isNoted { note("user: \(name) \(event)") }
    if event == .foreground {
      guard let state = host.engine.subscriberState(name), !state.isForeground,
        state != .notRunning || !host.engine.isLocked
      else { return }
      host.add(.userLaunch(name))
    }
    try host.handle(.subscriber(name: name, event), at: reading)
  }

  private mutating func changeRegions() throws {
    let id = "x\(Int.random(in: 0...2, using: &random))"
    if random.chance(0.5) {
      let feature =
        #"{"type":"Feature","id":"\#(id)","properties":{"radius_m":\#(Int.random(in: 100...300, using: &random))},"#
        + #""geometry":{"type":"Point","coordinates":[11.5,48.25]}}"#
      let file = try RegionFile.read(bytes: Array(feature.utf8), name: "f")
      // A disk that fails takes it later or never.
      _ = try? database.put([file], changing: true)
    } else {
      _ = try? database.remove(.ids([id]))
    }
    // The daemon is told, or not.
    if random.chance(0.8) { try host.applyRegions([id], of: database, at: reading) }
    if isNoted { note("region \(id)") }
  }

  /// The user starts a program and turns to another.
  mutating func openAndLeave(_ name: String) throws {
    host.add(.userLaunch(name))
    try host.handle(.subscriber(name: name, .foreground), at: reading)
    try host.handle(.subscriber(name: name, .background), at: reading)
  }
}

extension Array {
  /// Takes the oldest that concerns one program. What concerns several comes in any order.
  fileprivate mutating func takeOldest(
    _ name: KeyPath<Element, String>, _ random: inout SeededRandom
  ) -> Element? {
    guard let item = randomElement(using: &random),
      let place = firstIndex(where: { $0[keyPath: name] == item[keyPath: name] })
    else { return nil }
    return remove(at: place)
  }
}

extension DaemonPorts.Work {
  /// Whom it concerns.
  var name: String {
    switch self {
    case .action(.userLaunch(let name, _)), .action(.answer(let name, _)), .action(.withdraw(let name, _)),
      .order(.wake(let name, _), _),
      .order(.relaunch(let name, _), _), .order(.deliver(let name, _, _), _), .order(.suspend(let name), _),
      .order(.warn(let name, _), _), .order(.announce(let name, _), _), .order(.refuse(let name, _, _), _),
      .order(.terminate(let name), _), .order(.notify(let name, _, _, _), _), .order(.keep(let name, _), _),
      .order(.transfer(let name, _, _), _), .order(.accessory(let name, _, _), _),
      .order(.open(let name, _), _), .order(.audio(let name, _), _), .order(.advertise(let name, _), _):
      name
    }
  }
}

package import LocationCore
package import LocationFormats

/// A client's side of gpsd's protocol, without a socket and without a clock: bytes, outcomes and the time go in,
/// actions come out.
///
/// It connects, asks for reports, and makes events of what comes: fixes, and what becomes of the source. What goes
/// wrong on the way is counted, told once, and got over; see ``GPSDLimits``. Times are those of the caller's clock.
///
/// ```swift
/// var session = try GPSDSession(address: .local, seed: 1)
/// session.start(at: now)
/// for action in session.takeActions() { ... }      // .connect, .disconnect, .send, .deliver
/// ```
package struct GPSDSession: ~Copyable {
  /// What the owner of the socket is to do, in this order.
  package enum Action: Hashable, Sendable {
    /// Connect to ``address``, and tell ``connected(at:)`` or ``failed(_:at:)``.
    case connect
    /// Close the connection, or give up connecting.
    case disconnect
    /// Send all of this.
    case send([UInt8])
    /// Hand this to the engine.
    case deliver(Event)
  }

  /// What the connection is doing.
  enum Link: Hashable {
    case down(until: EngineInstant)
    case connecting(until: EngineInstant)
    case up(since: EngineInstant)
  }

  /// How the fixes are coming.
  enum Freshness: Hashable {
    /// None came yet since there could be some.
    case searching
    case fresh
    /// None for a few of the receiver's cycles.
    case degraded
    /// None for many, and that has been told; or there can't be any.
    case none
  }

  /// Where the source is.
  package let address: SourceAddress
  let traits: SourceTraits
  /// Whether the source plays a log: its fixes may be of any date, and receivers may call them simulated.
  package let isSimulated: Bool
  let decoder: GPSDDecoder
  var link: Link
  var buffer = LineBuffer(limit: GPSDLimits.lineBytes)
  var delay: ReconnectDelay
  var actions: [Action] = []

  /// Whether the source has said anything on this connection that it speaks.
  var hasSpoken = false
  /// Whether anybody has.
  var hasHeard = false
  /// Whether sentences of NMEA 0183 have not come in time on this connection. It stays: to open a device or a port anew
  /// brings none, and misses what comes meanwhile.
  var lacksSentences = false
  /// Whether the source was told to be there, and not since told to be lost.
  var isFound = false
  /// Whether gpsd has a receiver; nil until it says.
  var hasDevice: Bool?
  /// When the last line of gpsd came.
  var lastWordAt: EngineInstant
  /// Since when there could have been a fix.
  var searchSince: EngineInstant
  var lastFixAt: EngineInstant?
  var freshness = Freshness.searching
  /// The last thing told of there being no fixes, until there are.
  var told: SourceEvent.Staleness?
  /// How far apart the receiver's fixes are.
  var cycle = FixCycle()
  /// Connections given up in a row because nothing came.
  var quietConnections = 0
  /// Whether the next fix may be an old one that gpsd had kept; the time of the one to compare with.
  var mayBeCached = true
  var cachedTime: UTCTime?
  /// The last report whose date can't be true, and its age in seconds.
  var misdated: (time: UTCTime, age: Double)?

  /// What went wrong last; nil where nothing did.
  package internal(set) var trouble: GPSDTrouble?

  /// - Parameters:
  ///   - seed: of the jitter in ``ReconnectDelay``.
  ///   - isSimulated: see ``isSimulated``.
  /// - Throws: ``Failure`` where there is no memory for libgps.
  package init(address: SourceAddress, seed: UInt64, isSimulated: Bool = false) throws(Failure) {
    self.address = address
    traits = address.traits
    self.isSimulated = isSimulated
    decoder = try GPSDDecoder(assumeAccuracyMeters: nil, isLive: true, acceptsSimulated: isSimulated)
    delay = ReconnectDelay(seed: seed)
    link = .down(until: .distantPast)
    lastWordAt = .distantPast
    searchSince = .distantPast
  }

  /// Hands out what is to be done since the last call.
  package mutating func takeActions() -> [Action] {
    defer { actions.removeAll(keepingCapacity: true) }
    return actions
  }
}

// MARK: - The connection

extension GPSDSession {
  /// Begins.
  package mutating func start(at reading: ClockReading) {
    searchSince = reading.instant
    connect(at: reading.instant)
  }

  /// The connection is there.
  package mutating func connected(at reading: ClockReading) {
    guard case .connecting = link else { return }
    link = .up(since: reading.instant)
    buffer = LineBuffer(limit: GPSDLimits.lineBytes)
    hasSpoken = false
    hasHeard = false
    lacksSentences = false
    hasDevice = nil
    lastWordAt = reading.instant
    mayBeCached = true
    cachedTime = nil
    misdated = nil
    decoder.reconnected(at: reading.instant)
    guard traits.isAsked else { return }
    let device = address.device.map { ",\"device\":\"\($0)\"" } ?? ""
    actions.append(.send(Array("?WATCH={\"enable\":true,\"json\":true\(device)};\r\n".utf8)))
  }

  /// It could not be made.
  package mutating func failed(_ trouble: GPSDTrouble, at reading: ClockReading) {
    guard case .connecting = link else { return }
    breakOff(trouble, at: reading.instant)
  }

  /// It has ended.
  package mutating func closed(at reading: ClockReading) {
    guard case .up = link else { return }
    finishEpoch(at: reading)
    if traits.explainsItsEnd, case .complaint(let reason) = trouble {
      return breakOff(.complaint(reason), at: reading.instant)
    }
    breakOff(hasHeard && !hasSpoken ? .notGPSD : .closed, at: reading.instant)
  }

  mutating func connect(at instant: EngineInstant) {
    actions.append(.connect)
    link = .connecting(until: instant.advanced(bySeconds: GPSDLimits.connectSeconds))
  }

  /// Gives the connection up and comes back later.
  mutating func breakOff(_ trouble: GPSDTrouble, at instant: EngineInstant) {
    self.trouble = trouble
    if case .up(let since) = link, since.seconds(to: instant) >= ReconnectDelay.longestSeconds {
      delay.reset()
    }
    actions.append(.disconnect)
    link = .down(until: instant.advanced(bySeconds: delay.next()))
    guard trouble == .noSuchDevice else { return lose(at: instant) }
    freshness = .none
    tell(.noDevice, at: instant)
  }

  /// The source is lost, until it says its first word again.
  mutating func lose(at instant: EngineInstant) {
    freshness = .none
    isFound = false
    tell(.lost, at: instant)
  }

  /// Gives a connection up on which nothing comes any more, and makes a new one at once: a receiver that vanished
  /// is missing only from the devices a new connection is told of (gpsd 3.22).
  mutating func renew(at instant: EngineInstant) {
    if hasSpoken { trouble = .silent }
    quietConnections += 1
    actions.append(.disconnect)
    connect(at: instant)
  }
}

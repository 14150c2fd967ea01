/// Section E: sockets of a program that are watched for it while it is suspended (rule E4).
extension BackgroundMode {
  /// Rule E4.
  public static let traffic = BackgroundMode(
    name: "traffic", kind: "traffic", modes: .voip, trigger: .traffic)
}

extension Trigger {
  /// Rule E4.
  public static let traffic = Trigger(
    rule: .traffic, wakes: true, relaunches: false, afterForceQuit: .closed, beforeUnlock: .notRunning,
    withoutDelivery: .deferredInPlace, budget: .long, waiting: .mergesLater, isOfProcess: true)
}

extension ModeMember {
  static let sockets = ModeMember(
    key: "sockets", title: "sockets", endsWithProcess: true,
    write: { $2.member($1, $0.session.modes.sockets) },
    sentences: {
      let tags = $0.session.modes.sockets
      return tags.isEmpty ? [] : ["\(tags.joined(separator: ", ")): watched while it is suspended (E4)"]
    })
}

extension ModePart {
  static let sockets = ModePart(
    align: { policy, index, _ in policy.update(index, without: .voip) { $0.modes.sockets = [] } },
    endProcess: { modes, _ in modes.sockets = [] })
}

extension Policy.Configuration {
  /// The number of rule E4.
  public struct Sockets: Hashable, Sendable, Codable, Blank {
    /// Sockets that are watched for one subscriber, at most.
    public var limit = 4

    public init() {}
  }
}

extension Policy {
  /// A program passes a socket to be watched while it is suspended. One of the same tag takes the place of the one
  /// before (rule E4).
  mutating func tagSocket(_ tag: String, _ index: Int, in turn: inout PolicyTurn) {
    guard mayUseVoip(.traffic, index, in: &turn) else { return }
    let tags = sessions[index].modes.sockets
    guard tags.contains(tag) || tags.count < configuration.sockets.limit else {
      return decide(.refuse, .traffic, .tooManySockets, index, in: &turn)
    }
    if !tags.contains(tag) { update(index) { $0.modes.sockets.append(tag) } }
    turn.order(.keep(subscriber: sessions[index].subscriber.name, tag: tag))
  }

  /// A watched socket has something to read, or its peer has hung up. While its program runs, the program sees that
  /// itself.
  ///
  /// - Parameters:
  ///   - bytes: How many came, for the energy of the radio; nil where nobody knows.
  ///   - lost: Datagrams that found no room in the kernel's buffer since the socket was passed; nil where there can be
  ///     none.
  mutating func noteTraffic(_ tag: String, bytes: Int?, lost: Int?, _ index: Int, in turn: inout PolicyTurn) {
    let session = sessions[index]
    guard session.modes.sockets.contains(tag) else {
      return decide(.refuse, .traffic, .unknownSocket, index, in: &turn)
    }
    let name = session.subscriber.name
    if let bytes, bytes > 0 {
      turn.steps.append(
        .transferred(subscriber: name, rule: .traffic, kilobytes: Double(bytes) / 1000, seconds: 0))
    }
    guard session.state == .suspended else { return }
    var call = ModeCall(subscriber: name, kind: .traffic, reason: .traffic)
    call.tag = tag
    if let lost, lost > 0 { call.lost = lost }
    turn.steps.append(.called(call))
  }
}

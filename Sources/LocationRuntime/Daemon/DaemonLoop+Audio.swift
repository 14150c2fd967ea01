import Glibc
import LocationCore
import LocationFormats

/// Audio sessions: whether they sound, and what the user commands.
extension DaemonLoop {
  /// Tells who listens, and the desktop, of the sessions that are open now.
  mutating func alignAudio() {
    let views = live.engine.hasAudio ? live.engine.subscribers.filter { !$0.audio.isEmpty } : []
    audio.align(
      views.map { AudioWatch.Player(name: $0.subscriber.name, state: $0.state) },
      live.engine.configuration.policy.audio, at: clock.instant)
    if let trouble = audio.takeTrouble() { Self.log(trouble) }
    player.align(
      live.engine.audioPlayer.map { name in
        let sessions = views.first { $0.subscriber.name == name }?.audio ?? []
        let isSounding = sessions.contains { $0.state == .sounding }
        let status = sessions.isEmpty ? "Stopped" : isSounding ? "Playing" : "Paused"
        return PlayerLink.Player(name: name, status: status)
      })
  }

  /// Takes what was heard, and what the user commands.
  mutating func takeAudio() throws(Failure) {
    for level in audio.take(polled, at: clock.instant) {
      try handle(.audio(.level(decibels: level.decibels)), of: level.subscriber)
    }
    if let trouble = audio.takeTrouble() { Self.log(trouble) }
    for command in player.take(polled) {
      try live.handle(.machine(.audioCommand(command)), at: clock.read())
    }
    if player.mayRetry() { alignAudio() }
    player.takeTroubles().forEach(Self.log)
  }

  /// The user lets a subscriber use the microphone, or no longer (rule F6).
  mutating func microphone(_ request: JSONTree) throws(Failure) {
    let name = try subscriber(request)
    try handle(.audio(.permitMicrophone(try choice(request, "allowed", "denied"))), of: name)
  }

  /// A call or the like begins or ends. It comes before whoever is in the foreground or sounds (rules A1 and F4).
  mutating func interrupt(_ request: JSONTree) throws(Failure) {
    let begins = try choice(request, "begin", "end")
    let named = request["subscriber"] == nil ? nil : try subscriber(request)
    for name in live.engine.subscribers.map(\.subscriber.name) {
      // The end for one may be the end for all.
      guard let view = live.engine.subscriber(name) else { continue }
      let isMeant = named.map { $0 == view.subscriber.name } ?? view.isAffectedByCall(begins: begins)
      guard isMeant else { continue }
      try live.handle(
        .subscriber(name: view.subscriber.name, .interrupted(begins)), at: clock.read())
      if named != nil, let refusal = live.host.refusal { throw Self.failure(refusal) }
    }
  }

  /// The user commands, by something that is on no bus, whose session was last (rule F5).
  mutating func audioCommand(_ request: JSONTree) throws(Failure) {
    let command = try word("command", request)
    guard live.engine.audioPlayer != nil else {
      throw Failure(.conditionFails, what: "no program with the mode audio has had a session")
    }
    try live.handle(.machine(.audioCommand(command)), at: clock.read())
  }
}

/// Section F: audio that goes on in the background.
extension BackgroundMode {
  /// Rule F5.
  public static let remoteControl = BackgroundMode(
    name: "remote control of audio", kind: "audio", modes: .audio, trigger: .remoteControl)
}

extension Trigger {
  /// Rule F5.
  public static let remoteControl = Trigger(
    rule: .remoteControl, wakes: true, relaunches: true, afterForceQuit: .never, budget: .short,
    waiting: .latest)
}

/// What an audio session does. The raw values are stable: programs and scenarios write them.
public enum AudioKind: String, Hashable, Sendable, Codable, CaseIterable {
  case play, record, both

  /// Whether it needs the microphone (rule F6).
  public var records: Bool { self != .play }
}

/// What a program says of its audio, or the user or the machine does to it.
public enum AudioEvent: Hashable, Sendable, Codable {
  /// It opens a session (rule F1).
  case begin(AudioKind, mixes: Bool)
  /// It ends a session; nil for all that are open.
  case end(token: Int?)
  /// How loud its sessions are: the peak, relative to full scale. Paused and corked ones are at minus infinity.
  case level(decibels: Double)
  /// The user lets it use the microphone, or no longer (rule F6).
  case permitMicrophone(Bool)
}

/// An open audio session, for those who look.
public struct AudioView: Hashable, Sendable {
  /// Whether it is heard. The raw values are stable.
  public enum State: String, Hashable, Sendable, CaseIterable {
    case sounding, silent, interrupted
  }

  /// Its number.
  public var token: Int
  /// What it does.
  public var kind: AudioKind
  /// Whether it is heard.
  public var state: State

  init(_ session: AudioState.Session) {
    token = session.token
    kind = session.kind
    state = session.interrupter != nil ? .interrupted : session.isSilent ? .silent : .sounding
  }
}

extension SubscriberView {
  /// Its open audio sessions, in the order in which it opened them (rule F1).
  public var audio: [AudioView] { session.modes.audio?.sessions.map(AudioView.init) ?? [] }

  /// Whether a call, or what else the user answers, changes something for it at its begin or its end (rules A1 and F4).
  public func isAffectedByCall(begins: Bool) -> Bool {
    guard begins else {
      return state == .inactive || session.isCalled || session.modes.audio?.isInterruptedByCall == true
    }
    return state == .active || state.isRunning && audio.contains { $0.state == .sounding }
  }
}

extension ModeMember {
  static let audio = ModeMember(
    key: "audio", title: "audio", endsWithProcess: true,
    write: {
      $2.objects($1, $0.audio) {
        $1.member("audio", $0.token)
        $1.member("kind", $0.kind.rawValue)
        $1.member("state", $0.state.rawValue)
      }
    },
    sentences: {
      $0.audio.map { "session \($0.token) (\($0.kind.rawValue)) is \($0.state.rawValue) (F1)" }
    })
}

extension ModePart {
  /// Section F. The end of a silence is one of a session's own deadlines.
  static let audio = ModePart(
    align: { policy, index, _ in
      guard !policy.sessions[index].state.isForeground else { return }
      policy.update(index, without: .audio) {
        $0.modes.audio?.sessions = []
        $0.assertions.removeAll { $0.reason == .audio }
      }
    },
    endProcess: { modes, _ in
      modes.audio?.sessions = []
      modes.audio?.isQuiet = false
      modes.audio?.answered = []
    },
    giveBack: { $0.audio?.giveBack(seconds: $1) })
}

extension Policy.Configuration {
  /// The numbers of section F.
  public struct Audio: Hashable, Sendable, Codable, Blank {
    /// Decibels relative to full scale below which a session is quiet (rule F3).
    public var quietDecibels = -60.0
    /// Seconds of quiet after which a session holds nothing off (rule F3).
    public var silenceSeconds = 30.0
    /// Seconds for which an interrupted session still holds off suspension (rule F4).
    public var interruptionSeconds = 30.0

    public init() {}
  }
}

/// One subscriber's audio sessions.
struct AudioState: Hashable, Sendable, Codable {
  struct Session: Hashable, Sendable, Codable {
    let token: Int
    let kind: AudioKind
    /// Whether it may sound while others do.
    let mixes: Bool
    /// Since when it does not sound; nil while it does.
    var quietSince: EngineInstant?
    /// Whether it has been quiet for so long that it holds nothing off any more (rule F3).
    var isSilent = false
    /// What sounds in its place; nil while it may sound (rule F4).
    var interrupter: Interrupter?
    /// When its interruption ends its assertion; nil while it is not interrupted.
    var interruptionEnd: EngineInstant?
    /// Whether its interruption ended while its program was suspended, which is still to be told; nil where not.
    var isResumptionUntold: Bool?

    /// Whether it is heard, or would be in a moment.
    var isSounding: Bool { !isSilent && interrupter == nil }
  }

  /// What sounds in place of a session.
  enum Interrupter: Hashable, Sendable, Codable {
    /// A call, or what else the user answers.
    case call
    /// A session in the foreground.
    case session(subscriber: String, token: Int)
  }

  /// In the order in which they were opened.
  var sessions: [Session] = []
  var nextToken = 1
  /// The number of its last session, counted over all programs in the order in which sessions began (rule F5); nil
  /// before its first.
  var begun: Int?
  /// Whether the user lets it use the microphone.
  var mayRecord = true
  /// Whether its sessions were last said to be quiet: those that begin are, too (rule F3).
  @Added var isQuiet = false
  /// The commands that its last session answered, until it acknowledges them, too (rule F5).
  @Added var answered: [Int] = []

  /// Whether a call sounds in place of a session of it.
  var isInterruptedByCall: Bool { sessions.contains { $0.interrupter == .call } }

  /// Nobody was there for some seconds: silences and interruptions last as much longer.
  mutating func giveBack(seconds: Double) {
    for place in sessions.indices {
      sessions[place].quietSince = sessions[place].quietSince?.advanced(bySeconds: seconds)
      sessions[place].interruptionEnd = sessions[place].interruptionEnd?.advanced(bySeconds: seconds)
    }
  }

  /// When a session has been quiet for long enough to hold nothing off any more. An interruption has an end of its own.
  func silenceEnd(_ numbers: Policy.Configuration.Audio) -> EngineInstant? {
    sessions.filter(\.isSounding).compactMap(\.quietSince).min()?
      .advanced(bySeconds: numbers.silenceSeconds)
  }
}

// MARK: - What is done to it

extension Policy {
  /// Takes what a program says of its audio, or the user does to it.
  mutating func take(_ event: AudioEvent, _ index: Int, in turn: inout PolicyTurn) {
    switch event {
    case .begin(let kind, let mixes): beginAudio(kind, mixes: mixes, index, in: &turn)
    case .end(let token): endAudio(token, index, in: &turn)
    case .level(let decibels): hearAudio(decibels, index, in: &turn)
    case .permitMicrophone(let isAllowed): permitMicrophone(isAllowed, index, in: &turn)
    }
  }

  /// Opens a session, unless it may not record (rule F6), is in the background without the mode (rule F2), or is
  /// there while a call goes on or others sound that do not mix with it (rule F4).
  private mutating func beginAudio(_ kind: AudioKind, mixes: Bool, _ index: Int, in turn: inout PolicyTurn) {
    let session = sessions[index]
    let audio = session.modes.audio ?? AudioState()
    func refuse(_ rule: Rule, _ reason: Decision.Reason) {
      decide(.refuse, rule, reason, index, in: &turn)
    }
    if let reason = session.state.refusal { return refuse(.audioSession, reason) }
    guard audio.sessions.count < Limits.audioSessions else { return refuse(.audioSession, .audioBusy) }
    if kind.records, !audio.mayRecord { return refuse(.microphone, .notPermitted) }
    if session.state == .background {
      guard session.subscriber.modes.contains(.audio) else { return refuse(.audioMode, .noMode) }
      guard !isCalled, soundingBeside(index).allSatisfy({ mixes && $0.session.mixes }) else {
        return refuse(.audioFocus, .audioBusy)
      }
    }
    let token = audio.nextToken
    let begun = sessions.compactMap { $0.modes.audio?.begun }.max() ?? 0
    update(index) {
      $0.modes.audio = audio
      $0.modes.audio?.begun = begun + 1
      $0.modes.audio?.nextToken += 1
      $0.modes.audio?.sessions.append(
        AudioState.Session(
          token: token, kind: kind, mixes: mixes, quietSince: audio.isQuiet ? turn.instant : nil))
    }
    decide(.hold, .audioSession, .audioPlaying, index, in: &turn)
    if session.state.isForeground, !mixes {
      interruptOthers(than: index, token: token, in: &turn)
    }
    holdForAudio(index, at: turn.instant)
    answerCommands(index, in: &turn)
  }

  /// It has begun a session. That is also its acknowledgment of the commands that it was handed (rule F5).
  private mutating func answerCommands(_ index: Int, in turn: inout PolicyTurn) {
    let answered = sessions[index].outbox.filter { $0.trigger.row == .remoteControl && $0.isHanded }
      .map(\.event)
    guard !answered.isEmpty else { return }
    update(index) { $0.modes.audio?.answered = answered }
    for event in answered { acknowledge(event, index, in: &turn) }
  }

  /// Ends a session, or all; a token that is not open is an error to the caller and changes nothing.
  private mutating func endAudio(_ token: Int?, _ index: Int, in turn: inout PolicyTurn) {
    let open = sessions[index].modes.audio?.sessions ?? []
    guard open.contains(where: { token == nil || $0.token == token }) else {
      return decide(.refuse, .audioSession, .unknownAudio, index, in: &turn)
    }
    update(index) { $0.modes.audio?.sessions.removeAll { token == nil || $0.token == token } }
    loseAudio(index, .audioEnded, in: &turn)
  }

  /// How loud it is from now on: a session that was silent and sounds again holds off suspension again (rule F3). Of a
  /// suspended program that counts for what it begins later, or is given back.
  private mutating func hearAudio(_ decibels: Double, _ index: Int, in turn: inout PolicyTurn) {
    let state = sessions[index].state
    let isQuiet = decibels < configuration.audio.quietDecibels
    guard state != .notRunning, isQuiet || sessions[index].modes.audio != nil else { return }
    var audio = sessions[index].modes.audio ?? AudioState()
    audio.isQuiet = isQuiet
    update(index) { $0.modes.audio = audio }
    guard state.isRunning else { return }
    var returning = isQuiet ? [] : audio.sessions.filter { $0.isSilent && $0.interrupter == nil }
    update(index) {
      for place in audio.sessions.indices {
        let since = audio.sessions[place].quietSince
        $0.modes.audio?.sessions[place].quietSince = isQuiet ? since ?? turn.instant : nil
        if !isQuiet { $0.modes.audio?.sessions[place].isSilent = false }
      }
    }
    // In the background it is as if they began.
    if state == .background {
      returning.removeAll { giveWay($0, index, in: &turn) }
    }
    if !returning.isEmpty { decide(.hold, .audioSilence, .audioPlaying, index, in: &turn) }
    holdForAudio(index, at: turn.instant)
    if state.isForeground { interruptOthers(than: index, for: returning, in: &turn) }
  }

  /// Interrupts a session that sounds again in the background, if a call goes on or a session beside it does not mix
  /// (rule F4). The end of that gives it back. Returns whether it is interrupted.
  private mutating func giveWay(
    _ session: AudioState.Session, _ index: Int, in turn: inout PolicyTurn
  ) -> Bool {
    let other = soundingBeside(index).first { !(session.mixes && $0.session.mixes) }
    let taker = other.map {
      AudioState.Interrupter.session(subscriber: $0.subscriber, token: $0.session.token)
    }
    guard let interrupter = isCalled ? .call : taker,
      let place = sessions[index].modes.audio?.sessions.firstIndex(where: { $0.token == session.token })
    else { return false }
    // The silent session held nothing off, so it holds nothing off now.
    interrupt(place, index, by: interrupter, until: turn.instant, in: &turn)
    return true
  }

  /// The user lets it use the microphone, or no longer: that ends what records (rule F6).
  private mutating func permitMicrophone(_ isAllowed: Bool, _ index: Int, in turn: inout PolicyTurn) {
    update(index) {
      if $0.modes.audio == nil { $0.modes.audio = AudioState() }
      $0.modes.audio?.mayRecord = isAllowed
    }
    let ended = isAllowed ? [] : sessions[index].modes.audio?.sessions.filter(\.kind.records) ?? []
    guard !ended.isEmpty else { return }
    update(index) { $0.modes.audio?.sessions.removeAll(where: \.kind.records) }
    for session in ended {
      decide(.warn, .microphone, .notPermitted, index, in: &turn)
      tellAudio(.ended, session.token, index, in: &turn)
    }
    loseAudio(index, .audioEnded, in: &turn)
  }

  /// Something that comes before it, such as a call, begins or ends, also for one that was suspended meanwhile; whether
  /// that is more to it than a move. A call interrupts all that sound, and goes on as long as it does for one of them.
  mutating func interruptAudio(_ index: Int, begins: Bool, in turn: inout PolicyTurn) -> Bool {
    let session = sessions[index]
    let open = session.modes.audio?.sessions ?? []
    guard begins else {
      update(index) { $0.isCalled = false }
      resumeAudio(in: &turn)
      return session.isCalled || !isCalled && open.contains { $0.interrupter == .call }
    }
    guard session.state == .active || session.state.isRunning && !open.isEmpty else { return false }
    update(index) { $0.isCalled = true }
    for other in sessions.indices where sessions[other].state.isRunning {
      interrupt(other, by: .call, in: &turn)
    }
    return !open.isEmpty
  }

  /// Gives back what a call has taken, once it is over.
  private mutating func endCall(in turn: inout PolicyTurn) {
    guard !sessions.contains(where: \.isCalled) else { return }
    for index in sessions.indices where sessions[index].modes.audio?.isInterruptedByCall == true {
      let open = sessions[index].modes.audio?.sessions ?? []
      let isForeground = sessions[index].state.isForeground
      // Who began during the call goes on, beside what mixes.
      if let other = soundingBeside(index).first(where: {
        !$0.session.mixes && ($0.isForeground || !isForeground)
      }) {
        update(index) {
          for place in open.indices where open[place].interrupter == .call && !open[place].mixes {
            $0.modes.audio?.sessions[place].interrupter = .session(
              subscriber: other.subscriber, token: other.session.token)
          }
        }
      }
      resumeAudio(index, in: &turn) { $0.interrupter == .call }
    }
  }

  /// Whose audio session was opened last, of those with the mode: remote control is for it (rule F5).
  var lastAudio: String? {
    func begun(_ session: Session) -> Int { session.modes.audio?.begun ?? 0 }
    let players = sessions.filter { $0.subscriber.modes.contains(.audio) && begun($0) > 0 }
    return players.max { begun($0) < begun($1) }?.subscriber.name
  }

  /// The user commands, by a key or a headset, whoever had a session last (rule F5).
  mutating func commandAudio(_ command: String, in turn: inout PolicyTurn) {
    guard let lastAudio else { return }
    var call = ModeCall(subscriber: lastAudio, kind: .audio, reason: .audioCommand)
    call.command = command
    turn.steps.append(.called(call))
  }
}

// MARK: - What follows of its state

extension Policy {
  /// It is in the foreground: what was given back to it while it was suspended may sound again, unless it was said to
  /// be quiet (rules F3 and F4).
  mutating func enterForegroundWithAudio(_ index: Int, in turn: inout PolicyTurn) {
    guard let audio = sessions[index].modes.audio, !audio.isQuiet else { return }
    let returning = audio.sessions.filter { $0.isSilent && $0.interrupter == nil }
    resumeAudio(index, in: &turn, where: returning.contains)
  }

  /// It left the foreground: without the mode its sessions are ended at once (rule F2).
  mutating func leaveForegroundWithAudio(_ index: Int, in turn: inout PolicyTurn) {
    let session = sessions[index]
    guard let open = session.modes.audio?.sessions, !open.isEmpty, !session.subscriber.modes.contains(.audio)
    else { return }
    for audio in open {
      decide(.refuse, .audioMode, .noMode, index, in: &turn)
      tellAudio(.ended, audio.token, index, in: &turn)
    }
    update(index) { $0.modes.audio?.sessions = [] }
    holdForAudio(index, at: turn.instant)
    resumeAudio(in: &turn)
  }

  /// Sessions that have been quiet for long enough hold nothing off any more (rule F3).
  mutating func endSilence(_ index: Int, in turn: inout PolicyTurn) {
    let numbers = configuration.audio
    guard let end = sessions[index].modes.audio?.silenceEnd(numbers), end <= turn.instant,
      let open = sessions[index].modes.audio?.sessions
    else { return }
    for (place, session) in open.enumerated() where session.isSounding {
      let isOver = session.quietSince.map { $0.advanced(bySeconds: numbers.silenceSeconds) <= turn.instant }
      guard isOver == true else { continue }
      update(index) {
        $0.modes.audio?.sessions[place].isSilent = true
        $0.modes.audio?.sessions[place].isResumptionUntold = nil
      }
      decide(.warn, .audioSilence, .audioSilent, index, in: &turn)
      tellAudio(.silent, session.token, index, in: &turn)
    }
    loseAudio(index, .audioSilent, in: &turn)
  }

  /// Gives back to others what the sessions that are gone had taken from them (rule F4): first in the foreground, then
  /// what was taken last. What is given back may stand in the way of the rest.
  mutating func resumeAudio(in turn: inout PolicyTurn) {
    endCall(in: &turn)
    for (index, session) in interruptedSessions {
      let isForeground = sessions[index].state.isForeground
      guard isForeground || !isCalled else { continue }
      // What a call interrupts sounds again at its end.
      let others = openBeside(index) { $0.isSounding || $0.interrupter == .call }
      let isTaken = others.contains { other in
        session.interrupter == .session(subscriber: other.subscriber, token: other.session.token)
          || !other.session.mixes && (other.isForeground || !isForeground)
      }
      guard !isTaken else { continue }
      resumeAudio(index, in: &turn) { $0.token == session.token }
    }
  }

  /// Whether a call goes on: till its end no session begins in the background, or is given back there (rule F4).
  private var isCalled: Bool { sessions.contains(where: \.isCalled) }

  /// What other sessions interrupt, in the order in which it is given back. Of what was taken at once, what mixes comes
  /// first: it does not stand in the way of the rest.
  private var interruptedSessions: [(index: Int, session: AudioState.Session)] {
    var waiting: [(index: Int, session: AudioState.Session)] = []
    for index in sessions.indices {
      for session in sessions[index].modes.audio?.sessions ?? [] {
        if case .session = session.interrupter { waiting.append((index, session)) }
      }
    }
    guard waiting.count > 1 else { return waiting }
    func turn(_ place: Int) -> Int { sessions[waiting[place].index].state.isForeground ? 0 : 1 }
    func end(_ place: Int) -> EngineInstant { waiting[place].session.interruptionEnd ?? .distantPast }
    func blocks(_ place: Int) -> Int { waiting[place].session.mixes ? 0 : 1 }
    return waiting.indices.sorted {
      (turn($0), end($1), blocks($0), $0) < (turn($1), end($0), blocks($1), $1)
    }.map { waiting[$0] }
  }

  /// Something of it does not sound any more: it is suspended as soon as nothing else holds that off.
  private mutating func loseAudio(_ index: Int, _ reason: Decision.Reason, in turn: inout PolicyTurn) {
    holdForAudio(index, at: turn.instant)
    resumeAudio(in: &turn)
    suspendIfIdle(index, reason: reason, in: &turn)
  }

  /// Lets its sessions that sound hold off suspension, and no others (rule F1).
  private mutating func holdForAudio(_ index: Int, at instant: EngineInstant) {
    update(index) {
      $0.assertions.removeAll { $0.reason == .audio }
      guard $0.subscriber.modes.contains(.audio), $0.state != .notRunning else { return }
      for session in $0.modes.audio?.sessions ?? [] where !session.isSilent {
        if let end = session.interruptionEnd, end <= instant { continue }
        $0.assertions.append(.audio(token: session.token, until: session.interruptionEnd))
      }
    }
  }

  /// Sessions of it sound again. Others may have begun meanwhile: it is as if it began after them (rule F4).
  private mutating func interruptOthers(
    than index: Int, for returning: [AudioState.Session], sparesMixing: Bool = false,
    in turn: inout PolicyTurn
  ) {
    guard let session = returning.first(where: { !$0.mixes }) else { return }
    interruptOthers(than: index, token: session.token, sparesMixing: sparesMixing, in: &turn)
  }

  private mutating func interruptOthers(
    than index: Int, token: Int, sparesMixing: Bool = false, in turn: inout PolicyTurn
  ) {
    let interrupter = AudioState.Interrupter.session(
      subscriber: sessions[index].subscriber.name, token: token)
    for other in sessions.indices where other != index {
      interrupt(other, by: interrupter, sparesMixing: sparesMixing, in: &turn)
    }
  }

  private mutating func interrupt(
    _ index: Int, by interrupter: AudioState.Interrupter, sparesMixing: Bool = false,
    in turn: inout PolicyTurn
  ) {
    let open = sessions[index].modes.audio?.sessions ?? []
    let end = turn.instant.advanced(bySeconds: configuration.audio.interruptionSeconds)
    for (place, session) in open.enumerated() where session.isSounding && !(sparesMixing && session.mixes) {
      interrupt(place, index, by: interrupter, until: end, in: &turn)
    }
    holdForAudio(index, at: turn.instant)
    // An interruption may be set to hold off nothing.
    suspendIfIdle(index, in: &turn)
  }

  /// Takes the sound from the session at `place`, and tells its program.
  ///
  /// - Parameter end: When the session holds off suspension no longer.
  private mutating func interrupt(
    _ place: Int, _ index: Int, by interrupter: AudioState.Interrupter, until end: EngineInstant,
    in turn: inout PolicyTurn
  ) {
    guard let token = sessions[index].modes.audio?.sessions[place].token else { return }
    update(index) {
      $0.modes.audio?.sessions[place].interrupter = interrupter
      $0.modes.audio?.sessions[place].interruptionEnd = end
    }
    decide(.warn, .audioFocus, .audioInterrupted, index, in: &turn)
    tellAudio(.interrupted, token, index, in: &turn)
  }

  /// Gives back what was taken of its sessions. In the foreground they interrupt others that sound and do not mix, as
  /// those that mix did beside them before (rule F4).
  private mutating func resumeAudio(
    _ index: Int, in turn: inout PolicyTurn, where isMeant: (AudioState.Session) -> Bool
  ) {
    guard let audio = sessions[index].modes.audio else { return }
    let isQuiet = audio.isQuiet
    let returning = audio.sessions.filter(isMeant)
    guard !returning.isEmpty else { return }
    for (place, session) in audio.sessions.enumerated() where returning.contains(session) {
      let isRunning = sessions[index].state.isRunning
      let wasInterrupted = session.interrupter != nil || session.isResumptionUntold == true
      update(index) {
        $0.modes.audio?.sessions[place].isResumptionUntold = wasInterrupted && !isRunning ? true : nil
        $0.modes.audio?.sessions[place].interrupter = nil
        $0.modes.audio?.sessions[place].interruptionEnd = nil
        // That it was quiet while it could not sound does not count (rule F3).
        $0.modes.audio?.sessions[place].quietSince = isQuiet ? turn.instant : nil
        // One that was suspended meanwhile does not sound before it is heard, or back in the foreground.
        $0.modes.audio?.sessions[place].isSilent = !isRunning
      }
      guard isRunning else { continue }
      guard wasInterrupted else {
        decide(.hold, .audioSilence, .audioPlaying, index, in: &turn)
        continue
      }
      decide(.hold, .audioFocus, .audioResumed, index, in: &turn)
      tellAudio(.resumed, session.token, index, in: &turn)
    }
    holdForAudio(index, at: turn.instant)
    guard sessions[index].state.isForeground else { return }
    interruptOthers(than: index, for: returning, sparesMixing: true, in: &turn)
  }

  /// A session, and whose it is.
  private struct OpenSession {
    var subscriber: String
    var isForeground: Bool
    var session: AudioState.Session
  }

  /// The sessions of others that sound.
  private func soundingBeside(_ index: Int) -> [OpenSession] { openBeside(index, where: \.isSounding) }

  private func openBeside(
    _ index: Int, where isMeant: (AudioState.Session) -> Bool
  ) -> [OpenSession] {
    sessions.indices.filter { $0 != index }.flatMap { other in
      let session = sessions[other]
      return (session.modes.audio?.sessions ?? []).filter(isMeant).map {
        OpenSession(
          subscriber: session.subscriber.name, isForeground: session.state.isForeground, session: $0)
      }
    }
  }

  private func tellAudio(
    _ change: Order.AudioNotice.Change, _ token: Int, _ index: Int, in turn: inout PolicyTurn
  ) {
    let name = sessions[index].subscriber.name
    turn.order(.audio(subscriber: name, Order.AudioNotice(change: change, token: token)))
  }
}

extension Session {
  /// Whether it is heard.
  var isSounding: Bool { assertions.contains { $0.reason == .audio && $0.end == nil } }
}

extension Order {
  /// What a program is told of one of its audio sessions.
  public struct AudioNotice: Hashable, Sendable, Codable {
    /// What has become of it. The raw values are stable: they stand in what a program is told.
    public enum Change: String, Hashable, Sendable, Codable, CaseIterable {
      /// It is over, and nobody hears it.
      case ended = "audio_ended"
      /// It was quiet for too long to hold off suspension.
      case silent = "audio_silent"
      /// Something else sounds in its place.
      case interrupted = "audio_interrupted"
      /// It may sound again.
      case resumed = "audio_resumed"
    }

    /// What has become of it.
    public var change: Change
    /// The session.
    public var token: Int
  }
}

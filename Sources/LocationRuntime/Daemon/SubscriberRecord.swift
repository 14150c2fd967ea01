package import LocationCore
package import LocationFormats

/// A subscriber as one line of NDJSON, or as text for people.
package struct SubscriberRecord: Sendable {
  /// As its manifest has it.
  package let subscriber: Subscriber
  private let state: String
  private let waiting: Int
  private let oldest: Int?
  private let wasForceQuit: Bool
  /// Whether only it can start itself, and it is not connected.
  private let isAway: Bool
  /// For how long no event wakes or starts it, and why, as a status has it and in words; nil where nothing holds it back.
  private let heldFor: (seconds: JSONTree?, reason: JSONTree?)
  private let heldText: String?
  /// How its last process ended, and what that said last; nil where none has.
  private let lastStatus: Int?
  private let lastError: String?
  /// What its background modes say.
  private let modeValues: [(member: ModeMember, value: JSONTree)]
  /// Names of its open finite tasks, oldest first.
  private let tasks: [String]
  /// What senders of pushes show; nil where it has none or is not asked for.
  package var pushToken: String?
  /// Where senders of Web Push send to; nil where a distributor has given it no place, or it is not asked for.
  package var pushAddress: PushAddress?

  /// All subscribers of a state file, with what its daemon knows of them.
  package static func all(_ seat: DaemonSeat) throws(Failure) -> [SubscriberRecord] {
    guard let database = try StateDatabase.openToRead(path: seat.state) else { return [] }
    let stored = try database.subscribers()
    guard !stored.isEmpty else { return [] }
    var known: [String: JSONTree] = [:]
    if case .array(let elements) = try seat.status()["subscribers"] ?? .null {
      for element in elements { known[element["name"]?.string ?? ""] = element }
    }
    return stored.map { SubscriberRecord($0.subscriber, known[$0.subscriber.name]) }
  }

  /// - Parameter known: what a status says of it; nil where no daemon has it.
  init(_ subscriber: Subscriber, _ known: JSONTree?) {
    self.subscriber = subscriber
    state = known?["state"]?.string ?? SubscriberState.notRunning.rawValue
    waiting = known?["waiting"]?.integer ?? 0
    oldest = known?["oldest"]?.integer
    wasForceQuit = known?["force_quit"] == .boolean(true)
    isAway = known?["away"] == .boolean(true)
    heldFor = (known?["held_s"], known?["held"])
    heldText = known.flatMap { Self.held($0) }
    lastStatus = known?["last_status"]?.integer
    lastError = known?["last_error"]?.string
    modeValues = ModeMember.all.compactMap { member in known?["\(member.key)"].map { (member, $0) } }
    tasks = known?["tasks"]?.strings ?? []
  }

  /// For how long no event wakes or starts a subscriber, and why, in words; nil where nothing holds it back.
  ///
  /// - Parameter status: what a status says of it.
  static func held(_ status: JSONTree) -> String? {
    guard let seconds = status["held_s"]?.double else { return nil }
    let code = status["held"]?.string ?? "?"
    let reason = Decision.Reason(rawValue: code)?.phrase ?? code
    return "held back for another \(Wording.duration(seconds.rounded(.up))): \(reason)"
  }

  /// What is said where there is none of that name.
  package static func unknown(_ name: String, among records: [SubscriberRecord]) -> Failure {
    Failure.unknownSubscriber(name, among: records.map(\.subscriber.name))
  }

  /// One JSON object.
  package func write(to line: inout JSONLine) {
    line.open()
    line.member("name", subscriber.name)
    line.member("state", state)
    line.member("waiting", waiting)
    line.member("oldest", oldest)
    if wasForceQuit { line.member("force_quit", true) }
    if isAway { line.member("away", true) }
    line.member(json: "held_s", heldFor.seconds?.text)
    line.member(json: "held", heldFor.reason?.text)
    line.member("last_status", lastStatus)
    line.member("last_error", lastError)
    line.member("style", subscriber.style.rawValue)
    line.member("services", services)
    line.member("authorization", subscriber.authorization.rawValue)
    line.member("accuracy", subscriber.accuracy.rawValue)
    if let regions = subscriber.regions { line.member("regions", regions) }
    line.member("modes", modes)
    let terms = SubscriberTerms(subscriber)
    for term in terms.offers + terms.others { line.member(json: term.key, term.value.text) }
    for (member, value) in modeValues { line.member(json: member.key, value.text) }
    if !tasks.isEmpty { line.member("tasks", tasks) }
    line.member("push_token", pushToken)
    line.member(json: "web_push", pushAddress?.tree.text)
    line.member("command", subscriber.command)
    line.close()
  }

  /// The head of a table of ``row``s.
  package static let header = ["NAME", "STATE", "WAITING", "SERVICES", "COMMAND"]

  /// The cells of ``header``.
  package var row: [String] {
    [
      subscriber.name, stateText, "\(waiting)",
      services.joined(separator: ", "), subscriber.command.joined(separator: " "),
    ]
  }

  /// Several lines that say everything.
  package var text: String {
    var rows = [
      ["state", stateText],
      ["waiting", "\(waiting)" + (oldest.map { ", the oldest is event \($0)" } ?? "")],
      ["command", subscriber.command.joined(separator: " ")],
      ["style", subscriber.style.rawValue],
      ["services", services.joined(separator: ", ")],
      ["authorization", subscriber.authorization.rawValue],
      ["accuracy", subscriber.accuracy.rawValue],
    ]
    if let regions = subscriber.regions { rows.append(["regions", regions.joined(separator: ", ")]) }
    let terms = SubscriberTerms(subscriber)
    // The sentence has all of them.
    let isRule = subscriber.filter?.kinds != nil
    if isRule { rows.append(["when it", subscriber.ruleText()]) }
    for term in (isRule ? [] : terms.offers) + terms.others {
      rows.append(["\(term.key)", SubscriberTerms.text(of: term.value)])
    }
    if let lastStatus {
      rows.append(["last run", "ended with status \(lastStatus)" + (lastError.map { ": \($0)" } ?? "")])
    }
    if !modes.isEmpty { rows.append(["modes", modes.joined(separator: ", ")]) }
    for (member, value) in modeValues { rows.append([member.title, member.words(value)]) }
    if !tasks.isEmpty { rows.append(["tasks", tasks.joined(separator: ", ")]) }
    if let pushToken { rows.append(["push token", pushToken]) }
    if let pushAddress {
      rows.append(["push endpoint", pushAddress.endpoint])
      rows.append(["push keys", "p256dh \(pushAddress.point), auth \(pushAddress.auth)"])
    }
    return TextTable.cell(subscriber.name) + "\n" + TextTable(rows: rows, indent: "  ").text
  }

  private var stateText: String {
    state + (wasForceQuit ? ", force-quit" : "") + (isAway ? ", not connected" : "")
      + (heldText.map { ", \($0)" } ?? "")
  }

  private var modes: [String] {
    Subscriber.Modes.names.filter { subscriber.modes.contains($0.mode) }.map(\.name)
  }

  private var services: [String] {
    SubscriberManifest.Service.allCases.filter { subscriber.services.contains($0.services) }.map(\.rawValue)
  }
}

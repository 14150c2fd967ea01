/// A part of the device that several may need at once: its time counts once, and is shared out among them (rule L2).
/// A pure value.
struct PowerLane: Hashable, Sendable, Codable {
  /// Who needs it, in the order of their names.
  private(set) var users: [ReceiverUser] = []
  /// Who came last: the one who pays where the last trigger does.
  private var last: ReceiverUser?
  /// What has not been shared out yet.
  private var open = PowerUse()
  private var isOpen = false

  /// Adds time in a state.
  mutating func add(_ microseconds: Int64, _ term: PowerTerm) {
    open.add(microseconds, term)
    isOpen = true
  }

  /// Changes who needs it; what was used until now is shared out among those before.
  ///
  /// - Parameter trigger: who asked for it just now; without one, whoever is new among the users.
  mutating func setUsers(
    _ users: [ReceiverUser], trigger: ReceiverUser? = nil, _ sharing: PowerSharing, into bill: inout PowerBill
  ) {
    guard users != self.users || trigger != nil && trigger != last else { return }
    share(sharing, into: &bill)
    let newcomers = users.filter { user in !self.users.contains { $0.subscriber == user.subscriber } }
    if let newcomer = trigger ?? newcomers.last {
      last = newcomer
    } else if let name = last?.subscriber {
      last = users.first { $0.subscriber == name } ?? users.last
    }
    self.users = users
  }

  /// Shares out what was used among those who need it at present.
  mutating func share(_ sharing: PowerSharing, into bill: inout PowerBill) {
    guard isOpen else { return }
    let payers = payers(sharing)
    open.takeAll { bill.add($1, $0, among: payers) }
    isOpen = false
  }

  /// Who pays for what is used at present.
  func payers(_ sharing: PowerSharing) -> [ReceiverUser] {
    switch sharing {
    case .equal: users
    case .lastTrigger: last.map { [$0] } ?? users
    }
  }
}

/// Who pays for a part that several need at once.
public enum PowerSharing: String, Hashable, Sendable, Codable, CaseIterable {
  /// Everyone the same.
  case equal
  /// Whoever came last.
  case lastTrigger = "last_trigger"
}

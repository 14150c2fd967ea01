package import LocationCore

/// Who has to go first when memory is short (rule A4).
package enum PurgeOrder {
  /// A subscriber that takes memory.
  package struct Candidate: Hashable, Sendable {
    /// Its name.
    package var name: String
    /// Where it stands.
    package var state: SubscriberState
    /// What it and all it has started take, bytes.
    package var memoryBytes: Int

    package init(name: String, state: SubscriberState, memoryBytes: Int) {
      self.name = name
      self.state = state
      self.memoryBytes = memoryBytes
    }
  }

  /// The names in the order in which they go: the suspended first, then those in the background, each the largest
  /// first, and by name where they are equal. Who is in the foreground or not running is not among them.
  package static func names(of candidates: [Candidate]) -> [String] {
    candidates.filter { rank($0.state) != nil }.sorted { a, b in
      let (first, second) = (rank(a.state) ?? 0, rank(b.state) ?? 0)
      if first != second { return first < second }
      return a.memoryBytes != b.memoryBytes ? a.memoryBytes > b.memoryBytes : a.name < b.name
    }.map(\.name)
  }

  private static func rank(_ state: SubscriberState) -> Int? {
    switch state {
    case .suspended: 0
    case .background: 1
    case .notRunning, .inactive, .active: nil
    }
  }
}

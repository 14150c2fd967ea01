package import LocationCore

/// Something that was told, as far as two policies can agree on it.
package struct ComparedEvent: Hashable, Sendable {
  /// What it is: a significant change, a region's event with the region's id, or a visit's.
  package enum Kind: Hashable, Sendable {
    case significant
    case region(String, id: String)
    /// A visit begins, or ends.
    case visit(VisitEvent.Kind)
  }

  var kind: Kind
  var instant: EngineInstant

  /// Nil where a record is no such event.
  init?(_ record: Record) {
    if case .significant(let change) = record.body {
      // The first fix is no change.
      guard change.previous != nil else { return nil }
      self.init(kind: .significant, instant: change.instant)
    } else if case .region(let event) = record.body {
      switch event.kind {
      case .enter, .exit, .dwell:
        self.init(kind: .region(event.kind.name, id: event.region), instant: event.instant)
      case .cross, .state: return nil
      }
    } else if case .visit(let event) = record.body, event.kind != .provisional {
      self.init(kind: .visit(event.kind), instant: event.instant)
    } else {
      return nil
    }
  }

  init(kind: Kind, instant: EngineInstant) {
    self.kind = kind
    self.instant = instant
  }

  /// Which service tells of it.
  var service: Subscriber.Services {
    switch kind {
    case .significant: .significantChange
    case .region: .regions
    case .visit: .visits
    }
  }
}

/// Which events of a reference a policy told too, and how much later.
struct EventMatch {
  private(set) var found = 0
  private(set) var missed = 0
  /// Events that the reference does not have.
  private(set) var extra = 0
  /// Seconds from the reference's event to the policy's; negative where it came first.
  private(set) var delays: [Double] = []

  /// An event counts as the same from so many seconds before the reference's.
  static let earlySeconds = 60.0
  /// And up to so many after it.
  static let lateSeconds = 900.0

  /// Pairs events of one kind in their order: each with the first that is not before it, or after it, by more than
  /// the bounds, and not after the next of the reference.
  init(of events: [ComparedEvent], against reference: [ComparedEvent]) {
    var kinds: [ComparedEvent.Kind: [EngineInstant]] = [:]
    for event in events { kinds[event.kind, default: []].append(event.instant) }
    var used: [ComparedEvent.Kind: Int] = [:]
    var following: [ComparedEvent.Kind: [EngineInstant]] = [:]
    for event in reference { following[event.kind, default: []].append(event.instant) }
    var place: [ComparedEvent.Kind: Int] = [:]
    for event in reference {
      let index = place[event.kind, default: 0]
      place[event.kind] = index + 1
      let next = following[event.kind].flatMap { index + 1 < $0.count ? $0[index + 1] : nil }
      let candidates = kinds[event.kind] ?? []
      var candidate = used[event.kind, default: 0]
      while candidate < candidates.count,
        candidates[candidate].seconds(to: event.instant) > Self.earlySeconds
      {
        candidate += 1
      }
      used[event.kind] = candidate
      guard candidate < candidates.count else {
        missed += 1
        continue
      }
      let delay = event.instant.seconds(to: candidates[candidate])
      // One that is nearer to the next of the reference is that one's.
      let isNext = next.map { abs($0.seconds(to: candidates[candidate])) < abs(delay) } ?? false
      guard delay <= Self.lateSeconds, !isNext else {
        missed += 1
        continue
      }
      found += 1
      delays.append(delay)
      used[event.kind] = candidate + 1
    }
    extra = events.count - found
  }
}

import TestSupport
import Testing

@testable import LocationLab

/// Which events two policies have in common.
@Suite struct EventMatchTests {
  private static func events(_ seconds: [Double], _ name: String = "enter") -> [ComparedEvent] {
    seconds.map { ComparedEvent(kind: .region(name, id: "home"), instant: Drive.instant($0)) }
  }

  private struct Case {
    var reference: [Double]
    var policy: [Double]
    var delays: [Double]
    var extra = 0
  }

  @Test(arguments: [
    Case(reference: [100, 5000], policy: [100, 5000], delays: [0, 0]),
    Case(reference: [100, 5000], policy: [160, 5090], delays: [60, 90]),
    // A little early counts.
    Case(reference: [100], policy: [50], delays: [-50]),
    Case(reference: [100], policy: [30], delays: [], extra: 1),
    // Too late does not.
    Case(reference: [100], policy: [1001], delays: [], extra: 1),
    Case(reference: [100], policy: [], delays: []),
    Case(reference: [], policy: [7], delays: [], extra: 1),
    // One event is not found twice, and is the nearer one's.
    Case(reference: [100, 400], policy: [390], delays: [-10]),
    Case(reference: [100, 400], policy: [110], delays: [10]),
    Case(reference: [100, 400], policy: [120, 410, 800], delays: [20, 10], extra: 1),
  ])
  private func eventsArePairedInOrder(_ example: Case) {
    let match = EventMatch(of: Self.events(example.policy), against: Self.events(example.reference))
    #expect(match.delays == example.delays)
    #expect(match.found == example.delays.count)
    #expect(match.missed == example.reference.count - example.delays.count)
    #expect(match.extra == example.extra)
  }

  @Test func anotherKindIsNotTheSame() {
    let match = EventMatch(of: Self.events([100], "exit"), against: Self.events([100], "enter"))
    #expect(match.found == 0 && match.missed == 1 && match.extra == 1)
  }
}

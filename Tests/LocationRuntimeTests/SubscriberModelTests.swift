import TestSupport
import Testing

@testable import LocationCore
@testable import LocationLab

/// What the programs of a replay do.
@Suite struct SubscriberModelTests {
  private struct Records: RecordSink {
    var all: [Record] = []
    mutating func receive(_ record: Record) { all.append(record) }
  }

  /// The decisions of a minute about the program `a`, which takes pushes: second, action and rule. And the ends of its
  /// processes and of itself: second, and `end` or `exit`.
  private func decisions(
    _ steps: String, style: Subscriber.Style = .resident, services: Subscriber.Services = []
  ) throws -> [String] {
    let folder = TemporaryFolder()
    var request = ReplayRequest()
    request.subscribers = [
      Subscriber(name: "a", style: style, services: services, modes: .remoteNotification)
    ]
    request.scenario = try Scenario(path: folder.write("s.yaml", "steps:\n" + steps), subscribers: ["a"])
    var replay = TrackReplay(request, to: Records())
    for second in [0.0, 20, 40, 59] { replay.take(.fix(Drive.report(second, east: 0, accuracy: 8))) }
    _ = replay.finish(notes: [])
    return replay.sink.all.compactMap { record in
      let second = record.time.rfc3339.dropFirst(17).prefix(2)
      switch record.body {
      case .decision(let decision): return "\(second) \(decision.action.rawValue) \(decision.rule.rawValue)"
      case .program: return "\(second) end"
      case .subscriberState(let move) where move.cause == .exit: return "\(second) exit"
      case _: return nil
      }
    }
  }

  @Test func `a oneshot is started for each event, and ends with the last that waits`() throws {
    let decisions = try decisions(
      """
      - {at: +10, push: a, payload: {content-available: 1}}
      - {at: +20, push: a, payload: {content-available: 1, alert: Mail}}
      - {at: +20.5, push: a, payload: {content-available: 1, alert: Mail}}
      - {at: +30, hangs: a, value: true}
      - {at: +31, push: a, payload: {content-available: 1, alert: Mail}}
      - {at: +35, hangs: a, value: false}
      """, style: .oneshot)
    #expect(
      decisions == [
        "10 relaunch H1", "11 end", "11 exit", "20 notify D3", "20 relaunch H1", "20 notify D3",
        "20 deliver H1", "21 end", "22 end", "22 exit", "31 notify D3", "31 relaunch H1", "36 end",
        "36 exit",
      ])
  }

  @Test func `a oneshot has one process at a time, whatever it is for`() throws {
    let decisions = try decisions(
      "- {at: +0.05, push: a, payload: {content-available: 1}}", style: .oneshot, services: .significantChange
    )
    #expect(decisions == ["00 relaunch B1", "00 deliver H1", "00 end", "01 end", "01 exit"])
  }

  @Test func `a oneshot in the foreground stays until the user leaves it`() throws {
    let decisions = try decisions(
      """
      - {at: +1, launch: a}
      - {at: +10, push: a, payload: {content-available: 1}}
      - {at: +20, background: a}
      - {at: +40, push: a, payload: {content-available: 1}}
      """, style: .oneshot)
    #expect(decisions == ["10 deliver H1", "25 suspend A2", "40 wake H1", "41 end", "41 exit"])
  }

  @Test func `one that answers again also answers what it had before it hung, and ends its tasks`() throws {
    let decisions = try decisions(
      """
      - {at: +1, launch: a}
      - {at: +2, begin_task: a, task: upload, seconds: 5}
      - {at: +3, hangs: a, value: true}
      - {at: +4, hangs: a, value: false}
      - {at: +5, background: a}
      - {at: +20, push: a, payload: {content-available: 1}}
      - {at: +20.5, hangs: a, value: true}
      - {at: +22, hangs: a, value: false}
      """)
    #expect(decisions == ["10 suspend A2", "20 wake H1", "22 suspend A2"])
  }

  @Test func `D8 what the user has seen is not dropped when he wants to see no more`() throws {
    let decisions = try decisions(
      """
      - {at: +1, launch: a}
      - {at: +2, background: a}
      - {at: +10, notify: a, id: tea, title: Tea, now: true}
      - {at: +20, push: a, payload: {alert: Mail}}
      - {at: +50, notifications: a, value: denied}
      """)
    #expect(decisions == ["07 suspend A2", "10 notify D3", "20 notify D3"])
  }
}

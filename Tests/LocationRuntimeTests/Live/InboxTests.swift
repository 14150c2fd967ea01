import LocationCore
import LocationFormats
import LocationRuntime
import TestSupport
import Testing

@Suite struct InboxTests {
  private func report(_ seconds: Double) -> Event { .fix(Drive.report(seconds, east: 0)) }

  @Test func `what is put in comes out in order, once`() throws {
    let inbox = try Inbox()
    for second in 0..<5 { inbox.push(report(Double(second))) }
    var events: [Event] = []
    try inbox.take(into: &events)
    #expect(events == (0..<5).map { report(Double($0)) })
    try inbox.take(into: &events)
    #expect(events.count == 5)
  }

  @Test func `when it is full, only fixes are left out, the newest stays, and that is told`() throws {
    let inbox = try Inbox(limit: 10)
    inbox.push(.source(.found(name: "gpsd")))
    for second in 0..<25 { inbox.push(report(Double(second))) }
    inbox.push(.end)
    var events: [Event] = []
    try inbox.take(into: &events)
    #expect(events.first == .source(.dropped(reports: 18, seconds: 17)))
    #expect(events.dropFirst().first == .source(.found(name: "gpsd")))
    #expect(events.dropFirst(2).dropLast() == (18..<25).map { report(Double($0)) }[...])
    #expect(events.last == .end)
  }

  @Test func `room is told of when it has been emptied`() throws {
    let inbox = try Inbox(limit: 10)
    for second in 0..<5 { inbox.push(report(Double(second))) }
    #expect(!inbox.hasRoom)
    var events: [Event] = []
    try inbox.take(into: &events)
    #expect(inbox.hasRoom)
  }

  @Test func `a failure comes after everything before it`() throws {
    let inbox = try Inbox()
    inbox.push(report(0))
    inbox.fail(Failure(.unavailable, what: "gone"))
    inbox.fail(Failure(.unavailable, what: "gone again"))
    var events: [Event] = []
    try inbox.take(into: &events)
    #expect(events.count == 1)
    #expect(throws: Failure(.unavailable, what: "gone")) { try inbox.take(into: &events) }
  }
}

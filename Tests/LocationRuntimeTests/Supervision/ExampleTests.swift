import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationRuntime

/// The programs under Examples/, run as a user would run them.
@Suite(.serialized) struct ExampleTests {
  @Test func `the example in shell writes each event once`() async throws {
    let run = try SupervisorRun(SupervisorRun.Way.here[0])
    let out = run.folder("places.txt")
    run.supervisor.add(
      Subscriber(name: "places", command: [PackageRoot.file("Examples/places.sh"), out]))
    run.relaunch("places", event: 3)
    for (event, type) in [(3, "region.enter"), (4, "visit.arrive"), (3, "region.enter"), (9, "region.exit")] {
      run.tell("places", event, #""type":"\#(type)","time":"2026-05-01T06:00:12.000Z","region":"home""#)
      try run.acknowledged("places", event)
    }
    let text = """
      3 2026-05-01T06:00:12.000Z region.enter home
      9 2026-05-01T06:00:12.000Z region.exit home

      """
    #expect(KernelFile.read(out) == text)
    await run.supervisor.stop()
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "no Python here"))
  func `the example in Python sums up, across a kill`() async throws {
    let run = try SupervisorRun(SupervisorRun.Way.here[0])
    let out = run.folder("distance.json")
    run.supervisor.add(
      Subscriber(name: "distance", command: [PackageRoot.file("Examples/distance.py"), out]))
    run.relaunch("distance", event: 3)
    try tell(run, 3, meters: 500.5)
    run.suspend("distance")
    _ = try run.suspension("distance")
    run.wake("distance", event: 7)
    try tell(run, 7, meters: 600)
    run.terminate("distance")
    _ = try run.end("distance")
    run.relaunch("distance", event: 7)
    try tell(run, 7, meters: 600)
    #expect(KernelFile.read(out) == #"{"last": 7, "meters": 1100.5}"#)
    await run.supervisor.stop()
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "no Python here"))
  func `the example that fetches tells the user what is new, once`() async throws {
    let run = try SupervisorRun(SupervisorRun.Way.here[0])
    let inbox = run.folder("inbox")
    try "first\nsecond\n".write(toFile: inbox, atomically: true, encoding: .utf8)
    run.supervisor.add(
      Subscriber(name: "feeds", command: [PackageRoot.file("Examples/feeds.py"), inbox]))
    run.relaunch("feeds", event: 3)
    for (event, titles) in [(3, ["first", "second"]), (4, [])] {
      run.tell("feeds", event, #""type":"call","kind":"fetch","subscriber":"feeds""#)
      for title in titles {
        try run.wait(
          for: .event(
            subscriber: "feeds", .mode(.notify(LocalNotification(title: title, when: .now)))))
      }
      let result = try run.wait("the answer") {
        if case .event("feeds", .mode(.fetched(let result, bytes: nil, _))) = $0 { result } else { nil }
      }
      #expect(result == (titles.isEmpty ? .noData : .newData))
    }
    await run.supervisor.stop()
  }

  @Test(.enabled(if: hasPython, "no Python here"))
  func `the example that reads fetches each issue, and tells the user when it is there`() async throws {
    let run = try SupervisorRun(SupervisorRun.Way.here[0])
    run.supervisor.add(Subscriber(name: "reader", command: [PackageRoot.file("Examples/reader.py")]))
    run.relaunch("reader", event: 3)
    run.tell("reader", 3, #""type":"call","kind":"issue","issue":"issue-1""#)
    let job = JSONTree.object([
      .init(key: "kind", value: .string("get")), .init(key: "file", value: .string("issue-1.epub")),
    ])
    let transfer = TransferRequest(terms: TransferTerms(session: "issue-1"), job: job)
    try run.wait(for: .request(subscriber: "reader", .transfer(transfer)))
    try run.acknowledged("reader", 3)
    run.tell("reader", 4, #""type":"transfer.done","transfer":1,"session":"issue-1""#)
    try run.wait(
      for: .event(
        subscriber: "reader", .mode(.notify(LocalNotification(title: "New issue: issue-1", when: .now)))))
    try run.acknowledged("reader", 4)
    await run.supervisor.stop()
  }

  @Test(.enabled(if: hasPython, "no Python here"))
  func `the example that keeps a connection notes what its server says, also while it is suspended`()
    async throws
  {
    let run = try SupervisorRun(SupervisorRun.Way.here[0])
    let server = try PythonServer(
      run.folder,
      #"""
      peer, _ = listener.accept()
      for line in sys.stdin:
          peer.sendall(line.encode())
          if line == "ping\n":
              print(repr(peer.recv(100)), flush=True)
      """#)
    let out = run.folder("messages")
    run.supervisor.add(
      Subscriber(
        name: "phone", command: [PackageRoot.file("Examples/phone.py"), "127.0.0.1:\(server.port)", out],
        modes: .voip))
    run.relaunch("phone", event: 3)
    try run.wait(for: .event(subscriber: "phone", .mode(.tag("server"))))
    run.supervisor.perform(.keep(subscriber: "phone", tag: "server"))
    try run.wait(for: .event(subscriber: "phone", .mode(.keepAlive(seconds: 900))))
    run.suspend("phone")
    _ = try run.suspension("phone")
    server.say("first")
    try run.wait(for: .event(subscriber: "phone", .mode(.traffic(tag: "server", bytes: 6, lost: nil))))
    run.wake("phone", event: 4)
    run.tell("phone", 4, #""type":"call","kind":"traffic","tag":"server""#)
    try run.acknowledged("phone", 4)
    #expect(KernelFile.read(out) == "first\n")
    run.tell("phone", 5, #""type":"call","kind":"keep_alive""#)
    try run.acknowledged("phone", 5)
    server.say("ping")
    #expect(server.line() == #"b'\r\n\r\n'"#)
    server.end()
    #expect(try run.exit("phone") == 1)
    await run.supervisor.stop()
  }

  private func tell(_ run: SupervisorRun, _ event: Int, meters: Double) throws {
    run.tell("distance", event, #""type":"significant","moved_m":\#(meters)"#)
    try run.wait(for: .event(subscriber: "distance", .beginTask(name: "save")))
    run.supervisor.answer("distance", .task(token: event, remainingSeconds: 30))
    try run.acknowledged("distance", event)
    try run.wait(for: .event(subscriber: "distance", .endTask(token: event)))
  }
}

extension SupervisorRun {
  /// Delivers a record with these members.
  func tell(_ name: String, _ event: Int, _ members: String) {
    supervisor.perform(
      .deliver(subscriber: name, event: event, .region),
      recordLine: Array(#"{"v":1,"id":\#(event),\#(members)}"#.utf8))
  }
}

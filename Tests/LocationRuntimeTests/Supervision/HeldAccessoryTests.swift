import Foundation
import Glibc
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// Rule J1: accessories of real programs, which are watched while those are suspended. The accessory is a
/// pseudo-terminal that this test plays.
@Suite(.serialized, .enabled(if: hasPython, "no Python here")) struct HeldAccessoryTests {
  /// A program that opens a session and tells, by the names of tasks, what comes.
  private static let script = #"""
    import json, os, socket, sys
    def say(answer):
        print(json.dumps(answer), flush=True)
    channel = socket.socket(fileno=int(os.environ["LOCWATCH_FD"]))
    say({"open_accessory": {"session": "meter", "device": sys.argv[1], "baud": 19200}})
    line = None
    for text in sys.stdin:
        event = json.loads(text)
        if event.get("connected") is False:
            say({"begin_task": "waits"})
        if event.get("type") == "fetch":
            message, passed, _, _ = socket.recv_fds(channel, 4096, 1)
            line = passed[0]
            say({"begin_task": json.loads(message)["accessory"]})
        if event.get("type") == "launch" and event.get("slept_s") is not None:
            say({"begin_task": os.read(line, 4096).decode()})
    """#

  private static func start(_ run: SupervisorRun, _ device: String) throws -> AccessoryTerms {
    let path = run.folder("program.py")
    try script.write(toFile: path, atomically: true, encoding: .utf8)
    run.supervisor.add(
      Subscriber(name: "a", command: ["/usr/bin/python3", path, device], modes: .externalAccessory))
    run.relaunch("a")
    let terms = AccessoryTerms(session: "meter", device: device, baud: 19200)
    try run.wait(for: .event(subscriber: "a", .mode(.accessory(.open(terms)))))
    run.supervisor.perform(.accessory(subscriber: "a", session: "meter", .open(terms)))
    return terms
  }

  /// Has the program take what was passed to it.
  private static func take(_ run: SupervisorRun) throws {
    run.supervisor.perform(
      .deliver(subscriber: "a", event: 7, .region), recordLine: Array(#"{"v":1,"id":7,"type":"fetch"}"#.utf8))
    try run.wait(for: .event(subscriber: "a", .beginTask(name: "meter")))
  }

  private static func event(_ event: AccessoryEvent) -> SupervisorReport {
    .event(subscriber: "a", .mode(.accessory(event)))
  }

  @Test(arguments: SupervisorRun.Way.here)
  func `J1 what a device says to a frozen program wakes it, and is read by it`(
    way: SupervisorRun.Way
  ) throws {
    let run = try SupervisorRun(way)
    let terminal = try PseudoTerminal()
    _ = try Self.start(run, terminal.path)
    try run.wait(for: Self.event(.connected(session: "meter")))
    try Self.take(run)
    run.suspend("a")
    _ = try run.suspension("a")
    #expect(terminal.send("42 kWh"))
    // A pseudo-terminal counts nothing that was lost.
    try run.wait(for: Self.event(.data(session: "meter", bytes: 6, lost: nil)))
    run.wake("a", event: 8)
    try run.wait(for: .event(subscriber: "a", .beginTask(name: "42 kWh")))
  }

  @Test func `J1 a device that comes later is opened then, and one that goes is told`() throws {
    let run = try SupervisorRun()
    let path = run.folder("tty")
    _ = try Self.start(run, path)
    try run.wait(for: .event(subscriber: "a", .beginTask(name: "waits")))
    let terminal = try PseudoTerminal()
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: terminal.path)
    try run.wait(for: Self.event(.connected(session: "meter")))
    try Self.take(run)
    terminal.hangUp()
    try run.wait(for: Self.event(.disconnected(session: "meter")))
  }

  @Test func `J1 the line is raw and at its speed`() throws {
    let run = try SupervisorRun()
    let terminal = try PseudoTerminal()
    _ = try Self.start(run, terminal.path)
    try run.wait(for: Self.event(.connected(session: "meter")))
    // Neither echo nor lines nor signals.
    #expect(terminal.settings[3] & 0o13 == 0)
    #expect(terminal.settings[2] & 0o10017 == UInt32(B19200))
  }

  @Test(
    arguments: [
      (#"{"session":"m","device":"/dev/ttyUSB0"}"#, true),
      (#"{"session":"m","kind":"usb","device":"/dev/hidraw0"}"#, true),
      (#"{"session":"m","device":"ttyUSB0"}"#, false), (#"{"session":"m"}"#, false),
      (#"{"session":"","device":"/dev/ttyUSB0"}"#, false),
      (#"{"session":"m","device":"/dev/ttyUSB0","baud":7}"#, false),
      (#"{"session":"m","device":"/dev/ttyUSB0","baud":9600.5}"#, false),
      (#"{"session":"m","kind":"gatt","device":"/dev/ttyUSB0"}"#, false),
      (
        #"{"session":"m","kind":"gatt","device":"aa:bb:cc:dd:ee:ff","service":"180d","#
          + #""characteristic":"2a37"}"#, true
      ),
      (#"{"session":"m","kind":"gatt","device":"aa:bb:cc:dd:ee:ff","service":"180d"}"#, false),
      (
        #"{"session":"m","kind":"gatt","peripheral":{"service":"aaaa","characteristics":"#
          + #"[{"characteristic":"bbbb","uses":["read","notify"],"value":"00"}]}}"#, true
      ),
      (
        #"{"session":"m","kind":"gatt","peripheral":{"service":"aaaa","characteristics":"#
          + #"[{"characteristic":"bbbb","uses":["fly"]}]}}"#, false
      ),
      (#"{"session":"m","kind":"gatt","peripheral":{"service":"aaaa","characteristics":[]}}"#, false),
    ])
  func `J1 a session is opened by what is known of a device`(text: String, isRight: Bool) {
    let answer = SubscriberAnswer(line: Array(#"{"open_accessory":\#(text)}"#.utf8))
    if isRight {
      guard case .mode(.accessory(.open))? = answer else {
        Issue.record("\(String(describing: answer))")
        return
      }
    } else {
      #expect(answer == .request(.invalid("open_accessory")))
    }
  }

  @Test func `J1 a file that is no device is not opened`() throws {
    let folder = TemporaryFolder()
    try "text".write(toFile: folder("file"), atomically: true, encoding: .utf8)
    #expect(throws: SerialLine.Obstacle.otherKind) {
      try SerialLine.open(AccessoryTerms(session: "m", kind: .usb, device: folder("file")))
    }
    // A device, but no serial line.
    #expect(throws: SerialLine.Obstacle.otherKind) {
      try SerialLine.open(AccessoryTerms(session: "m", device: "/dev/null"))
    }
    #expect(throws: SerialLine.Obstacle.notThere) {
      try SerialLine.open(AccessoryTerms(session: "m", device: folder("none")))
    }
    #expect(throws: SerialLine.Obstacle.notOpened(errno: ENOTDIR)) {
      try SerialLine.open(AccessoryTerms(session: "m", device: folder("file") + "/x"))
    }
  }

  @Test func `a device that is there and can't be had is told once`() {
    let accessories = HeldAccessories(of: "a")
    let terms = AccessoryTerms(session: "m", device: "/dev/null")
    var notes = accessories.open(terms, at: 0)
    var now: Int64 = 0
    while let next = accessories.deadline(at: now) {
      now = next
      notes += accessories.passTime(at: now)
    }
    let reason = "it is no device of that kind"
    #expect(notes == [.note(subscriber: "a", .noDevice(session: "m", device: "/dev/null", reason: reason))])
  }
}

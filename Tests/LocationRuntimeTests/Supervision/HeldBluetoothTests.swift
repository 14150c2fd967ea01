import Glibc
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// Rule J3: what can be heard of a characteristic is held whether there is a process or not. This test plays BlueZ and
/// the process.
@Suite struct HeldBluetoothTests {
  private static let terms = AccessoryTerms(
    session: "band", device: "AA:BB:CC:DD:EE:FF", gatt: .central(service: "180d", characteristic: "2a37"))

  /// Both ends of a socket that keeps messages apart, as BlueZ's do.
  private static func pair() throws -> (Descriptor, Descriptor) {
    try Descriptor.pair(SOCK_SEQPACKET)
  }

  private static func event(_ event: AccessoryEvent) -> SupervisorReport {
    .event(subscriber: "a", .mode(.accessory(event)))
  }

  private static func say(_ text: String, to end: Descriptor) {
    let bytes = Array(text.utf8)
    #expect(unsafe send(end.number, bytes, bytes.count, 0) == bytes.count)
  }

  /// The next message; empty at the end.
  private static func hear(_ end: Descriptor) -> String {
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = unsafe recv(end.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : ""
  }

  /// What a process is passed: the line, and what can be heard.
  private static func passed(_ channel: Descriptor) -> (line: String, descriptor: Descriptor?) {
    var buffer = [UInt8](repeating: 0, count: 256)
    let (count, descriptor) = unsafe buffer.withUnsafeMutableBytes {
      unsafe PassedDescriptor.receive(from: channel, into: $0)
    }
    return (String(decoding: buffer[..<max(0, count)], as: UTF8.self), descriptor)
  }

  private static func held(_ bluez: inout Descriptor?) throws -> HeldAccessories {
    let held = HeldAccessories(of: "a")
    let (ours, theirs) = try pair()
    #expect(held.open(terms, at: 0).isEmpty)
    #expect(held.hold(ours, as: "band", at: 0) == [event(.connected(session: "band"))])
    bluez = theirs
    return held
  }

  @Test func `J3 without a process it is watched, and the next process is passed it without news`() throws {
    var bluez: Descriptor?
    let held = try Self.held(&bluez)
    #expect(held.lasting == ["band"])
    Self.say("72", to: try #require(bluez))
    #expect(held.watched(at: 1).map(\.events) == [POLLIN])
    let news = held.note("band", POLLIN, at: 1)
    #expect(news == [Self.event(.data(session: "band", bytes: 2, lost: nil))])
    let (channel, process) = try Self.pair()
    held.begin(carrier: channel)
    let (line, descriptor) = Self.passed(process)
    #expect(line == "{\"accessory\":\"band\"}\n")
    #expect(Self.hear(try #require(descriptor)) == "72")
    // Its end is not the end of the session, and another process is passed it again.
    held.end(at: 2)
    #expect(held.lasting == ["band"] && held.watched(at: 2).map(\.events) == [POLLIN])
    held.begin(carrier: channel)
    #expect(Self.passed(process).descriptor != nil)
  }

  @Test func `J3 what a device said before it went is read by the next process`() throws {
    var bluez: Descriptor?
    let held = try Self.held(&bluez)
    Self.say("72", to: try #require(bluez))
    bluez = nil
    let news = held.note("band", POLLIN | POLLHUP, at: 1)
    #expect(
      news == [
        Self.event(.data(session: "band", bytes: 2, lost: nil)), Self.event(.disconnected(session: "band")),
      ])
    #expect(held.watched(at: 1).isEmpty)
    let (channel, process) = try Self.pair()
    held.begin(carrier: channel)
    let descriptor = try #require(Self.passed(process).descriptor)
    #expect(Self.hear(descriptor) == "72")
    #expect(Self.hear(descriptor).isEmpty)
    #expect(!held.isConnected("band"))
  }

  @Test func `J3a a process that has been passed it hears no more once the session is closed`() throws {
    var bluez: Descriptor?
    let held = try Self.held(&bluez)
    let (channel, process) = try Self.pair()
    held.begin(carrier: channel)
    let descriptor = try #require(Self.passed(process).descriptor)
    held.close("band")
    let bytes: [UInt8] = [1]
    #expect(
      unsafe send(try #require(bluez).number, bytes, 1, Int32(MSG_NOSIGNAL)) < 0 && errno == EPIPE)
    #expect(Self.hear(descriptor).isEmpty)
    #expect(held.lasting.isEmpty)
  }

  @Test func `J3 a session that was opened by the same terms stays as it is`() throws {
    var bluez: Descriptor?
    let held = try Self.held(&bluez)
    #expect(held.open(Self.terms, at: 1).isEmpty)
    #expect(held.isConnected("band"))
    var other = Self.terms
    other.device = "AA:BB:CC:DD:EE:00"
    #expect(held.open(other, at: 2).isEmpty)
    #expect(!held.isConnected("band"))
  }
}

import Glibc
import LocationFormats
import Testing

@testable import LocationRuntime

/// Who of several programs on one machine gets a datagram.
@Suite(.enabled(if: unsafe access("/proc/net/if_inet6", F_OK) == 0, "no IPv6 here"))
struct NMEASourceTests {
  /// A source that listens; its socket is closed with it.
  private final class Reader {
    private let socket: Int32

    init(_ host: String, _ port: String) throws {
      socket = try #require(try NMEASource.udp(host: host, port: port).open())
    }

    deinit { close(socket) }

    var port: String {
      var address = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe getsockname(socket, $0, &length)
        }
      }
      return "\(UInt16(bigEndian: address.sin_port))"
    }

    /// The next datagram; nil where none comes in time.
    func next(milliseconds: Int32 = 30_000) -> String? {
      guard PollSet.wait(on: socket, atMost: milliseconds) != 0 else { return nil }
      var bytes = [UInt8](repeating: 0, count: 100)
      let count = unsafe recv(socket, &bytes, bytes.count, 0)
      return count >= 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
  }

  /// Sends a datagram from this machine, which does not leave it.
  private func send(_ text: String, to host: String, _ port: String) {
    let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(socket) }
    var yes: Int32 = 1
    var none: Int32 = 0
    let size = socklen_t(MemoryLayout<Int32>.size)
    _ = unsafe setsockopt(socket, SOL_SOCKET, SO_BROADCAST, &yes, size)
    _ = unsafe setsockopt(socket, Int32(IPPROTO_IP), IP_MULTICAST_TTL, &none, size)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = (UInt16(port) ?? 0).bigEndian
    _ = unsafe inet_pton(AF_INET, host, &address.sin_addr)
    let bytes = Array(text.utf8)
    let sent = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe sendto(socket, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    #expect(sent == bytes.count)
  }

  @Test func `a broadcast reaches all, and what is sent to this machine alone stays with the first`() throws {
    var first: Reader? = try Reader("", "0")
    let port = try #require(first?.port)
    let second = try Reader("", port)
    let third = try Reader("0.0.0.0", port)
    send("to all", to: "127.255.255.255", port)
    for reader in [first, second, third] { #expect(reader?.next() == "to all") }
    send("to one", to: "127.0.0.1", port)
    #expect(first?.next() == "to one")
    #expect(second.next(milliseconds: 0) == nil)
    #expect(third.next(milliseconds: 0) == nil)
    // When it has gone another one takes its place.
    first = nil
    send("to another", to: "127.0.0.1", port)
    #expect(third.next() == "to another")
  }

  @Test func `a broadcast address is shared`() throws {
    let first = try Reader("127.255.255.255", "0")
    let second = try Reader("127.255.255.255", first.port)
    send("to all", to: "127.255.255.255", first.port)
    #expect(first.next() == "to all")
    #expect(second.next() == "to all")
  }

  @Test(arguments: ["127.0.0.1", "::1", "::"])
  func `an address of one machine is not shared`(host: String) throws {
    let first = try Reader(host, "0")
    #expect(throws: GPSDTrouble.self) { try Reader(host, first.port) }
  }

  @Test(.enabled(if: DefaultRoute.isThere(under: ""), "a group needs a network"))
  func `a multicast group is joined and shared`() throws {
    let group = "239.255.101.10"
    let first = try Reader(group, "0")
    let second = try Reader(group, first.port)
    send("to the group", to: group, first.port)
    #expect(first.next() == "to the group")
    #expect(second.next() == "to the group")
  }
}

import Glibc
import LocationFormats
import LocationRuntime
import Testing

@Suite struct SourceAddressTests {
  @Test(arguments: [
    ("", SourceAddress.local, "localhost:2947"),
    ("localhost", .local, "localhost:2947"),
    (":", .local, "localhost:2947"),
    ("pi", SourceAddress(endpoint: .tcp(host: "pi", port: "2947")), "pi:2947"),
    ("pi:2948", SourceAddress(endpoint: .tcp(host: "pi", port: "2948")), "pi:2948"),
    ("pi:gpsd", SourceAddress(endpoint: .tcp(host: "pi", port: "gpsd")), "pi:gpsd"),
    (":2948", SourceAddress(endpoint: .tcp(host: "localhost", port: "2948")), "localhost:2948"),
    (
      "pi:2948:/dev/ttyACM0",
      SourceAddress(endpoint: .tcp(host: "pi", port: "2948"), device: "/dev/ttyACM0"), "pi:2948:/dev/ttyACM0"
    ),
    (
      "::/dev/ttyACM0", SourceAddress(endpoint: SourceAddress.local.endpoint, device: "/dev/ttyACM0"),
      "localhost:2947:/dev/ttyACM0"
    ),
    (
      "pi:2947:tcp://10.0.0.1:99",
      SourceAddress(endpoint: .tcp(host: "pi", port: "2947"), device: "tcp://10.0.0.1:99"),
      "pi:2947:tcp://10.0.0.1:99"
    ),
    ("[::1]", SourceAddress(endpoint: .tcp(host: "::1", port: "2947")), "[::1]:2947"),
    (
      "[fe80::1%eth0]:2948:/dev/x",
      SourceAddress(endpoint: .tcp(host: "fe80::1%eth0", port: "2948"), device: "/dev/x"),
      "[fe80::1%eth0]:2948:/dev/x"
    ),
    (
      "/dev/ttyACM0", SourceAddress(endpoint: SourceAddress.local.endpoint, device: "/dev/ttyACM0"),
      "localhost:2947:/dev/ttyACM0"
    ),
    ("/run/gpsd.sock", SourceAddress(endpoint: .unix(path: "/run/gpsd.sock")), "/run/gpsd.sock"),
    (
      "/run/gpsd.sock:/dev/ttyACM0",
      SourceAddress(endpoint: .unix(path: "/run/gpsd.sock"), device: "/dev/ttyACM0"),
      "/run/gpsd.sock:/dev/ttyACM0"
    ),
  ])
  func `an address is read as gpsd's clients read it, and printed so that it is read again`(
    text: String, expected: SourceAddress, printed: String
  ) throws {
    let address = try SourceAddress(text)
    #expect(address == expected)
    #expect(address.description == printed)
    #expect(try SourceAddress(printed) == expected)
  }

  @Test(arguments: [
    "pi:0", "pi:65536", "pi:-1", "pi:no-such-port", "[::1", "[::1]x", "[]:2947", "a b", "pi:2947:/dev/\"x",
    "pi:2947:/dev/\\x",
    "/" + String(repeating: "a", count: 107), "pi:2947:/" + String(repeating: "d", count: 127), "pi\u{0}",
  ])
  func `what is no address is refused with the exit status of a wrong use`(text: String) {
    #expect {
      try SourceAddress(text)
    } throws: {
      ($0 as? Failure)?.code == .usage && ($0 as? Failure)?.remedy != nil
    }
  }

  @Test(arguments: [
    (EACCES, Failure.Code.noPermission, "gpsd may not be asked: Permission denied"),
    (ECONNREFUSED, .unavailable, "gpsd is not there: Connection refused"),
  ])
  func `a source that may not be opened is told apart from one that is not there`(
    code: Int32, exit: Failure.Code, text: String
  ) throws {
    let address = try SourceAddress("/run/gpsd.sock")
    let failure = GPSDTrouble(opening: code).failure(at: address)
    #expect(failure.code == exit)
    #expect(failure.what == "\(address): \(text)")
    #expect(failure.remedy != nil)
  }
}

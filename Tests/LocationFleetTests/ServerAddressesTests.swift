import LocationFleet
import LocationFormats
import Testing

struct ServerAddressesTests {
  @Test(arguments: [
    ("nats://127.0.0.1:4222", "nats://127.0.0.1:4222"), ("host", "host"),
    ("tls://[::1]:4222/", "tls://[::1]:4222/"),
    ("nats://fleet:secret@h:1", "nats://h:1"), ("secret@h:1", "h:1"), ("nats://fleet:se@c/r:t@h", "nats://h"),
    ("fleet:se://cret@h:1", "h:1"), ("nats://a:b@h:1, nats://c:d@i:2,j", "nats://h:1,nats://i:2,j"),
  ])
  func `addresses are shown without users and passwords`(text: String, shown: String) throws {
    #expect(try ServerAddresses(text).shown == shown)
  }

  @Test(arguments: [
    ("nats://h:1", false), ("h:1", false), ("tls://h:1", true), ("TLS://u:tls://@h:1", true),
    ("nats://h:1,tls://i:1", true), ("nats://tls:x@h:1", false), ("tls:x@h:1", false),
  ])
  func `tls asks for TLS of all of them`(text: String, isEncrypted: Bool) throws {
    #expect(try ServerAddresses(text).isEncrypted == isEncrypted)
  }

  @Test(arguments: [
    "", ",", "nats://", "nats://h:x", "nats://h:99999", "nats://fleet:secret", "nats://fleet:se,cret@h:1",
    "nats://fleet:se cret@h:1", "http://h:1", "http://fleet:secret@h:1", "nats://fleet:12,secret@h:1",
    "nats://fleet:secret@,nats://h",
  ])
  func `what can't be read is not quoted`(text: String) {
    let error = #expect(throws: Failure.self) { try ServerAddresses(text) }
    #expect(error?.code == .usage && error?.description.contains("cret") == false)
  }
}

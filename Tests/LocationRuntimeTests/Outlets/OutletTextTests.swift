import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationRuntime

/// What outlets send, without sending it.
@Suite struct OutletTextTests {
  private func tree(_ text: String) throws -> JSONTree {
    var reader = JSONReader(Array(text.utf8))
    return try JSONTree(&reader)
  }

  private let outlet = OutletSettings(name: "a", kind: .webhook, instance: "00ff")
  private let enter =
    #"{"v":1,"seq":3,"id":42,"type":"region.enter","time":"2026-05-01T06:01:02.000Z","region":"Café \"x\" 50%","#
    + #""visit":1,"lat":48.0083633,"lon":11.5000000,"acc_m":2.48,"edge_m":-79.21,"reason":"clear"}"#

  @Test func `a CloudEvent has the record unchanged and an id that names its file`() throws {
    let event = CloudEvent(try tree(enter), of: outlet)
    #expect(event.data == enter)
    #expect(event.webhookID == "00ff-42")
    let body = try tree(String(decoding: event.structured, as: UTF8.self))
    #expect(body["id"] == .string("00ff/42"))
    #expect(body["source"] == .string("urn:locwatch:00ff"))
    #expect(body["type"] == .string("locwatch.region.enter.v1"))
    #expect(body["subject"] == .string(#"Café "x" 50%"#))
    #expect(body["time"] == .string("2026-05-01T06:01:02.000Z"))
    #expect(body["data"]?["edge_m"] == .number("-79.21"))
    let headers = event.headers.reduce(into: [:]) { $0[$1.name] = $1.value }
    #expect(headers["ce-subject"] == "Caf%C3%A9%20%22x%22%2050%25")
    #expect(headers["ce-datacontenttype"] == nil)
  }

  @Test func `a template is filled and stays JSON, whatever the record says`() throws {
    let record = try tree(enter)
    let filled = BodyTemplate(
      #"{"a":"{type} in {region}","b":{id},"c":{record},"d":"{other}{","t":"{text}"}"#
    )
    .filled(with: record)
    let body = try tree(String(decoding: filled, as: UTF8.self))
    #expect(body["a"] == .string(#"region.enter in Café "x" 50%"#))
    #expect(body["b"] == .number("42"))
    #expect(body["c"] == record)
    #expect(body["d"] == .string("{other}{"))
    #expect(body["t"]?.string?.contains("Café") == true)
    for name in ["text", "type", "region", "time"] {
      #expect(throws: Failure.self, "\(name)") { try BodyTemplate(#"{"a":[{\#(name)}]}"#).check() }
      #expect(throws: Never.self, "\(name)") { try BodyTemplate(#"{"a":["{\#(name)}"]}"#).check() }
    }
    for name in ["id", "record"] {
      #expect(throws: Never.self, "\(name)") { try BodyTemplate(#"{"a":[{\#(name)}]}"#).check() }
    }
    #expect(throws: Failure.self) { try BodyTemplate(#"{"a":"b"}"#).check() }
    for name in ["txt", "Region", "tyep"] {
      #expect(throws: Failure.self, "\(name)") { try BodyTemplate(#"{"a":"{text} {\#(name)}"}"#).check() }
    }
    for name in ["customer", "name", "title", "it"] {
      #expect(throws: Never.self, "\(name)") { try BodyTemplate(#"{"a":"{text} {\#(name)}"}"#).check() }
    }
    #expect(throws: Never.self) { try BodyTemplate.gotify.check() }
  }

  @Test func `a coarse record tells no more than its cell`() throws {
    let near = try ReducedLine.of(tree(enter))
    let elsewhere = try ReducedLine.of(
      tree(enter.replacing("48.0083633", with: "48.0183633").replacing("-79.21", with: "3.5")))
    #expect(near == elsewhere)
    #expect(near["acc_m"] == .number("5000.00"))
    #expect(near["edge_m"] == nil)
    #expect(near["lat"] != .number("48.0083633"))
    let gap = try tree(#"{"type":"gap","from_lat":1,"gap_s":2}"#)
    #expect(ReducedLine.of(gap)["from_lat"] == nil)
    #expect(ReducedLine.of(gap)["type"] == .string("gap"))
  }

  @Test(
    arguments: [
      ("https://Example.net:8443/a?b=c", "https", "Example.net", 8443),
      ("mqtts://[::1]", "mqtts", "::1", nil),
      ("http://127.0.0.1/x", "http", "127.0.0.1", nil),
    ] as [(String, String, String, Int?)])
  func `addresses are read`(text: String, scheme: String, host: String, port: Int?) throws {
    let address = try OutletAddress(text)
    #expect(address.scheme == scheme)
    #expect(address.host == host)
    #expect(address.port == port)
  }

  @Test func `this machine is known by its addresses, not by how a name begins`() throws {
    for host in ["127.0.0.1", "127.8.9.10", "localhost", "[::1]"] {
      #expect(try OutletAddress("http://\(host):80/").isLoopback, "\(host)")
    }
    for host in [
      "127.example.net", "127.0.0.1.example.net", "127.0.0", "127.0.0.256", "localhost.example.net",
    ] {
      #expect(try !OutletAddress("http://\(host):80/").isLoopback, "\(host)")
    }
  }

  @Test func `what is wrong with a secret address is told without it`() throws {
    let folder = TemporaryFolder()
    for url in ["api.example.net/botSESAME/x", "https://h:SESAME/x", "https://a:SESAME@h/", "sesame://h/"] {
      let path = folder.write("s.yaml", "url: \(url)\n")
      try #require(unsafe chmod(path, 0o600) == 0)
      let failure = try #require(throws: Failure.self) { try OutletSecrets(path: path) }
      #expect(!"\(failure)".lowercased().contains("sesame"), "\(failure)")
      #expect("\(failure)".contains("url is no address"))
    }
  }

  @Test(arguments: [
    "sesame\n", "\"sesame\"\n", "sesame: x\n", "user: a\nsesame: x\nsesame: y\n", "- sesame\n",
    "user: {sesame: x}\n", "user: [sesame]\n", "user: a\nsesame", "user: \"sesame", "user: *sesame\n",
    "user: sesame: b\n",
  ])
  func `what is wrong with a file of secrets is told without what stands in it`(text: String) throws {
    let folder = TemporaryFolder()
    let path = folder.write("s.yaml", text)
    try #require(unsafe chmod(path, 0o600) == 0)
    let error = try #require(throws: Failure.self) { try OutletSecrets(path: path) }
    #expect(!"\(error)".contains("sesame"), "\(error)")
    #expect("\(error)".contains("s.yaml:"), "\(error)")
  }

  @Test(arguments: [
    "whsec_", "whsec_c2hvcnQ=", "c2VzYW1l", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7o",
    "whsec_\(String(repeating: "A", count: 88))",
    "C2FVsBQIhrscChlQIMV-b5sSYspob7oD",
  ])
  func `a secret for signatures that is none is told with its line and without it`(secret: String) throws {
    let folder = TemporaryFolder()
    let path = folder.write("s.yaml", "bearer: x\nsecret: \"\(secret)\"\n")
    try #require(unsafe chmod(path, 0o600) == 0)
    let error = try #require(throws: Failure.self) { try OutletSecrets(path: path) }
    #expect("\(error)".contains("s.yaml:2: secret: not whsec_ and the base64 of 24 to 64 bytes"), "\(error)")
    #expect(!"\(error)".contains(secret.dropFirst(6)) || secret == "whsec_", "\(error)")
  }

  @Test(arguments: [
    ("http://example.net/x", "http sends positions in the clear; use https, or add --allow-plain"),
    ("mqtts://example.net", "the address begins with https://"),
    (nil, "neither settings nor secrets have a url; write url: to one of them"),
  ])
  func `an address in the secrets is checked like one in the settings`(url: String?, text: String) throws {
    var secrets = OutletSecrets()
    secrets.url = url
    let outlet = OutletSettings(name: "door", kind: .webhook, instance: "x")
    let error = try #require(throws: Failure.self) { try secrets.address(of: outlet) }
    #expect("\(error)" == text)
  }

  @Test func `keys for signatures are read with and without their prefix`() throws {
    let folder = TemporaryFolder()
    let key = "C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
    let path = folder.write("s.yaml", "secret: whsec_\(key)\nold_secret: \(key)\n")
    try #require(unsafe chmod(path, 0o600) == 0)
    let secrets = try OutletSecrets(path: path)
    #expect(secrets.signing == [Base64.bytes(key), Base64.bytes(key)])
    #expect(secrets.signing[0].count == 24)
  }

  @Test(arguments: [
    (#""type":"significant","moved_m":720.55,"since_s":300.0,"reason":"window""#, "moved to 48."),
    (#""type":"significant","reason":"initial""#, "first fix 48."),
    (
      #""type":"visit.arrive","radius_m":24.8,"arrived":"2026-05-01T06:00:00Z","reason":"stayed""#,
      "arrived near 48."
    ),
    (
      #""type":"visit.depart","radius_m":24.8,"arrived":"2026-05-01T06:00:00Z","reason":"left""#,
      "departed from near 48."
    ),
    (#""type":"gap","seconds":125.0,"reason":"silence""#, "no fixes for a while"),
  ])
  func `a coarse record is told in words that need no more than it has`(fields: String, words: String) throws
  {
    let line = try tree(
      #"{"v":1,"id":1,"time":"2026-05-01T06:00:00Z","lat":48.0083633,"lon":11.5,"acc_m":5,"acc_source":"reported",\#(fields)}"#
    )
    #expect(
      EventWords.text(ReducedLine.of(line)).hasPrefix(words), "\(EventWords.text(ReducedLine.of(line)))")
  }

  @Test func `a test is told in words`() throws {
    let line = try tree(#"{"v":1,"id":0,"type":"test","time":"x","reason":"locwatch outlets test"}"#)
    #expect(EventWords.text(line) == "a test: locwatch outlets test")
  }

  @Test(arguments: [
    "https://", "https://a:99999/", "https://a b/", "https://u@h/", "gopher://x/", "x", "https://[::1/",
  ])
  func `what is no address is refused`(text: String) {
    #expect(throws: Failure.self) { try OutletAddress(text) }
  }

  @Test func `metrics name units, escape labels and hold no position`() throws {
    let status = try tree(
      #"{"stale":false,"daemon":{},"fix":{"lat":48.1,"lon":11.5,"acc_m":4.20,"age_s":1.000},"accepted":7,"#
        + #""rejected":{"old":2},"regions":2,"inside":["a\"b\\c"],"energy_j":12.500,"#
        + #""outlets":[{"name":"x","waiting":3,"skipped":1,"state":"disabled"}],"#
        + #""subscribers":[{"name":"s","state":"suspended","waiting":4}]}"#)
    let text = MetricsText.describe(status, as: .prometheus)
    for line in [
      "# TYPE locwatch_fixes_total counter", #"locwatch_fixes_total{result="accepted"} 7"#,
      #"locwatch_fixes_total{result="old"} 2"#, #"locwatch_region_inside{region="a\"b\\c"} 1"#,
      "locwatch_energy_joules_total 12.500", #"locwatch_outlet_disabled{outlet="x"} 1"#,
      #"locwatch_subscriber_state{subscriber="s",state="suspended"} 1"#, "locwatch_fix_accuracy_meters 4.20",
    ] {
      #expect(text.contains(line + "\n"), "\(line)")
    }
    #expect(!text.contains("48.1"))
    let open = MetricsText.describe(status, as: .openmetrics)
    #expect(open.contains("# TYPE locwatch_fixes counter\n"))
    #expect(open.hasSuffix("# EOF\n"))
  }
}

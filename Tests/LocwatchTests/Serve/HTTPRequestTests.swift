import Testing

@testable import LocationFormats
@testable import LocationWeb

/// What strangers may send, and what is made of it.
@Suite struct HTTPRequestTests {
  private func read(_ text: String) -> HTTPRequest.Progress { HTTPRequest.read(Array(text.utf8)) }

  @Test func `a request is read once all of it is there`() throws {
    let text = "PUT /api/regions/a%20b?x=1&y=%C3%A9+z HTTP/1.1\r\nHost: h:1\r\nContent-Length: 3\r\n\r\nabc"
    for length in 0..<text.utf8.count {
      #expect(HTTPRequest.read(Array(text.utf8.prefix(length))) == .partial)
    }
    guard case .whole(let request) = read(text) else {
      Issue.record("not whole")
      return
    }
    #expect((request.method, request.path) == ("PUT", "/api/regions/a%20b"))
    #expect(request.query == ["x": "1", "y": "é z"])
    #expect(request.headers == ["host": "h:1", "content-length": "3"])
    #expect(request.body == Array("abc".utf8))
  }

  @Test(arguments: [
    "GET / HTTP/2\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "GET /\r\n\r\n", "GET x HTTP/1.1\r\n\r\n",
    "G(T / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "GET / HTTP/1.1\r\n folded: x\r\n\r\n", "GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n",
    "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: 1,1\r\n\r\n",
    "GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", "GET /?a=%ff HTTP/1.1\r\n\r\n",
    "GET /?a=%4 HTTP/1.1\r\n\r\n",
  ])
  func `what is no request is refused`(text: String) { #expect(read(text) == .bad(.badRequest)) }

  @Test(arguments: ["GET / HTTP/1.1\n", "GET / HTTP/1.1\r\nHost: a\n\n", "\u{16}\u{3}\u{1}", "GET /\0", "\n"])
  func `what can't become a request is refused at once`(text: String) {
    #expect(read(text) == .bad(.badRequest))
  }

  @Test func `an answer to HEAD tells the length of a body that it does not have`() {
    var response = HTTPResponse.json("{}")
    let whole = response.bytes
    response.isHead = true
    #expect(response.bytes == whole.dropLast(2))
  }

  @Test func `what is too long is refused before it is all there`() {
    let head = "GET / HTTP/1.1\r\n"
    #expect(read(head + String(repeating: "A: b\r\n", count: 4_000)) == .bad(.headTooLarge))
    #expect(read(head + "A: " + String(repeating: "x", count: 20_000)) == .bad(.headTooLarge))
    #expect(read("POST / HTTP/1.1\r\nContent-Length: 65537\r\n\r\n") == .bad(.bodyTooLarge))
    #expect(read("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n") == .bad(.lengthRequired))
  }

  private func request(
    _ method: String = "GET", _ path: String = "/api/status", _ headers: [String: String]
  ) throws -> HTTPRequest {
    let lines = headers.map { "\($0.key): \($0.value)\r\n" }.sorted().joined()
    guard case .whole(let request) = read("\(method) \(path) HTTP/1.1\r\n\(lines)\r\n") else {
      throw Failure(.data, what: "no request")
    }
    return request
  }

  private static let access = WebAccess(token: "0123456789abcdef", hosts: ["localhost:8310"])
  private static let good = ["Host": "localhost:8310", "Authorization": "Bearer 0123456789abcdef"]

  private func status(
    _ method: String, _ changes: [String: String?], isPublic: Bool = false, _ access: WebAccess = access
  ) throws -> Int? {
    var headers = Self.good
    for (key, value) in changes { headers[key] = value }
    return access.refusal(
      of: try request(method, "/api/status", headers), isPublic: isPublic,
      methods: ["GET", "HEAD", "POST", "DELETE"])?.status.rawValue
  }

  @Test func `who has the token may ask`() throws {
    #expect(try status("GET", [:]) == nil)
    #expect(try status("GET", ["Origin": "http://localhost:8310", "Sec-Fetch-Site": "same-origin"]) == nil)
    for type in ["application/json", "application/json; charset=utf-8", "Application/JSON;charset=utf-8"] {
      #expect(try status("POST", ["Content-Type": type]) == nil)
    }
    #expect(try status("GET", ["Authorization": "bearer 0123456789abcdef"]) == nil)
    #expect(try status("DELETE", [:]) == nil)
    #expect(try status("HEAD", [:]) == nil)
  }

  @Test(
    arguments: [
      ("GET", "Authorization", nil, 401), ("GET", "Authorization", "Bearer 0123456789abcdeF", 401),
      ("GET", "Authorization", "Bearer 0123456789abcdef0", 401), ("GET", "Authorization", "Basic x", 401),
      ("GET", "Host", "evil.example", 421), ("GET", "Host", nil, 421), ("GET", "Host", "localhost:8311", 421),
      ("GET", "Origin", "http://evil.example", 403), ("GET", "Origin", "null", 403),
      ("GET", "Sec-Fetch-Site", "cross-site", 403), ("GET", "Sec-Fetch-Site", "same-site", 403),
      ("POST", "Content-Type", nil, 400), ("POST", "Content-Type", "text/plain", 400),
      ("POST", "Content-Type", "application/jsonp", 400), ("POST", "Content-Type", ";application/json", 400),
      ("HEAD", "Authorization", nil, 401), ("HEAD", "Origin", "http://evil.example", 403),
      ("OPTIONS", "Content-Type", nil, 405), ("TRACE", "Content-Type", nil, 405),
      ("PUT", "Content-Type", "application/json", 405), ("get", "Content-Type", nil, 405),
    ] as [(String, String, String?, Int)])
  func `others may not`(method: String, header: String, value: String?, expected: Int) throws {
    #expect(try status(method, [header: value]) == expected)
  }

  @Test func `a link from elsewhere leads to the page, and a page that looks changes nothing`() throws {
    let visit =
      ["Authorization": nil, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"]
      as [String: String?]
    #expect(try status("GET", visit, isPublic: true) == nil)
    #expect(try status("GET", visit.merging(["Sec-Fetch-Mode": "no-cors"]) { $1 }, isPublic: true) == 403)
    var access = Self.access
    access.isReadOnly = true
    #expect(try status("DELETE", [:], access) == 403)
    #expect(try status("GET", [:], access) == nil)
  }

  @Test(arguments: [
    ("8310", "127.0.0.1:8310", true), ("[::1]:80", "[::1]:80", true), ("localhost:1", "127.0.0.1:1", true),
    ("0.0.0.0:8310", "0.0.0.0:8310", false), ("unix:/run/a", "unix:/run/a", true),
  ])
  func `addresses to listen at are read`(text: String, written: String, isLocal: Bool) throws {
    let address = try ServeAddress(text)
    #expect((address.description, address.isLocal) == (written, isLocal))
  }

  /// Browsers leave out the port of http.
  @Test(arguments: [
    ("127.0.0.1:80", "127.0.0.1", true), ("127.0.0.1:80", "localhost:80", true), ("[::1]:80", "[::1]", true),
    ("192.0.2.1:80", "192.0.2.1", true), ("192.0.2.1:80", "a.example", true),
    ("127.0.0.1:8310", "127.0.0.1", false), ("127.0.0.1:8310", "127.0.0.1:8310", true),
    ("127.0.0.1:80", "", false),
  ])
  func `an address may be asked for as it is printed`(address: String, host: String, isKnown: Bool) throws {
    #expect(Serve.hosts(try ServeAddress(address), ["A.example"]).contains(host) == isKnown)
  }

  @Test(arguments: ["", "x", "unix:", "127.0.0.1:", "127.0.0.1:70000", ":80"])
  func `what is no address is refused`(text: String) {
    #expect(throws: Failure.self) { try ServeAddress(text) }
  }
}

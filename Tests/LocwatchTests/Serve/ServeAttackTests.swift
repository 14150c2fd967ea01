import Foundation
import TestSupport
import Testing

/// What a stranger tries on `locwatch serve`, from outside.
@Suite struct ServeAttackTests {
  @Test func `regions are added, moved and removed by who has the token, and by nobody else`() async throws {
    let run = try DaemonRun()
    #expect(try await run.command(["regions", "add", "home", "--circle", "48.1,11.5,300"]).status == 0)
    let server = try await WebServer.start(run)
    let circle = #"{"id":"a b/ü","lat":48.2,"lon":11.6,"radius_m":90}"#
    for token in ["", "x", String(server.token.dropLast()), server.token + "0"] {
      #expect(try await server.ask("GET", "/api/status", token: token).status == 401)
      #expect(try await server.ask("POST", "/api/regions", token: token, body: circle).status == 401)
    }
    #expect(
      try await server.ask("POST", "/api/regions", more: "Origin: http://evil.example", body: circle).status
        == 403)
    #expect(
      try await server.ask("POST", "/api/regions", more: "Sec-Fetch-Site: cross-site", body: circle).status
        == 403)
    #expect(try await server.ask("GET", "/api/status", host: "evil.example").status == 421)
    #expect(try await server.ask("POST", "/api/regions", body: circle).status == 200)
    let second = try await server.ask("POST", "/api/regions", body: circle)
    #expect(second.status == 409 && second.body.contains("PUT /api/regions/ID moves it"), "\(second)")
    let far = try await server.ask(
      "POST", "/api/regions", body: #"{"id":"x","lat":148.1,"lon":0,"radius_m":5}"#)
    #expect(far.body.contains("lat is 148.1, and a latitude is from -90 to 90"), "\(far)")
    let moved = try await server.ask(
      "PUT", "/api/regions/a%20b%2F%C3%BC", body: #"{"lat":48.3,"lon":11.6,"radius_m":91}"#)
    #expect(moved.status == 200 && moved.body.contains("48.3"), "\(moved)")
    for body in [
      "{", "[]", #"{"id":"x","lat":91,"lon":0,"radius_m":5}"#, #"{"id":"x","lat":1,"lon":0,"radius_m":-5}"#,
      #"{"id":"x","lat":1,"lon":0,"radius_m":5,"dwel":3}"#, #"{"id":"","lat":1,"lon":0,"radius_m":5}"#,
      #"{"id":"x","lat":"1","lon":0,"radius_m":5}"#, #"{"id":"x","lat":1,"lon":0,"radius_m":5,"name":5}"#,
      #"{"id":"x","lat":1,"lon":0,"radius_m":1e999}"#, String(repeating: "[", count: 30_000),
    ] {
      let refused = try await server.ask("POST", "/api/regions", body: body)
      #expect(refused.status == 400, "\(body.prefix(60)) \(refused)")
    }
    #expect(try await server.ask("DELETE", "/api/regions/a%20b%2F%C3%BC").status == 200)
    #expect(try await server.ask("DELETE", "/api/regions/nobody").status == 404)
    // To SQLite a zero byte ends a text.
    #expect(try await server.ask("DELETE", "/api/regions/home%00x").status == 404)
    let other = #"{"lat":1,"lon":2,"radius_m":50}"#
    #expect(try await server.ask("PUT", "/api/regions/home%00x", body: other).status == 404)
    let both = "/api/explain?event=1&at=2026-05-04T06:45:42Z"
    #expect(try await server.ask("GET", both).status == 400)
    let regions = try await server.ask("GET", "/api/regions").body
    #expect(regions.contains(#""id":"home""#) && regions.contains(#""all":1"#), "\(regions)")
    server.process.signal(SIGTERM)
    #expect(await server.process.finish() == 0)
  }

  @Test func `paths name no files, and slow, huge and many clients stop nobody`() async throws {
    let run = try DaemonRun()
    #expect(try await run.command(["regions", "add", "home", "--circle", "48.1,11.5,300"]).status == 0)
    let server = try await WebServer.start(run)
    for path in [
      "/../../etc/passwd", "/leaflet/../../../../etc/passwd", "/leaflet/%2e%2e/%2e%2e/etc/passwd",
      "//etc/passwd",
      "/leaflet/leaflet.js/..", "/api/etc/passwd", "/page.js%00", "/.git/config",
    ] {
      let answer = try await server.ask("GET", path)
      #expect(answer.status == 404, "\(path) \(answer.status)")
      #expect(!answer.body.contains("root:"))
    }
    for (method, path) in [
      ("POST", "/"), ("POST", "/page.js"), ("DELETE", "/api/status"), ("HEAD", "/api/stream"),
      ("GET", "/api/regions/../../etc/passwd"), ("OPTIONS", "/api/regions"), ("BREW", "/"),
    ] {
      #expect(try await server.ask(method, path, token: "").status == 405, "\(method) \(path)")
    }
    #expect(try await server.ask("POST", "/nowhere").status == 404)
    let (status, page) = try await server.ask("HEAD", "/")
    #expect(status == 200 && page == "\n", "\(status) \(page.prefix(80))")
    #expect(try await server.ask("HEAD", "/api/status", token: "").status == 401)
    #expect(try await server.ask("POST", "/api/regions", more: "Content-Length: 99999999").status == 413)
    #expect(
      try await server.ask("GET", "/", more: "X: " + String(repeating: "x", count: 40_000)).status == 431)
    #expect(try await server.ask("POST", "/api/regions", more: "Transfer-Encoding: chunked").status == 411)
    // More clients than there are places, which send a byte at a time: they lose their places to others.
    let flood = run.folder.write(
      "flood.py",
      """
      import socket, sys, time
      links = []
      for i in range(200):
          link = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
          link.sendall(b"GET / HT")
          links.append(link)
      print("ready", flush=True)
      end = time.time() + 400
      while links and time.time() < end:
          for link in list(links):
              try:
                  link.sendall(b"x")
                  link.setblocking(False)
                  if link.recv(100) == b"": raise OSError
                  links.remove(link)  # It was told that it was slow.
              except BlockingIOError: pass
              except OSError:
                  links.remove(link)
                  print("put out", flush=True)
          time.sleep(0.3)
      """)
    let flooder = try LiveProcess("/usr/bin/python3", [flood, "\(server.port)"])
    _ = await flooder.wait { $0.contains("ready") }
    #expect(try await server.ask("GET", "/api/regions").status == 200)
    // Not after an answer that they had waited too long.
    #expect(await flooder.wait { $0.contains("put out") })
    flooder.signal(SIGKILL)
    let memory = try String(contentsOfFile: "/proc/\(server.process.pid)/status", encoding: .utf8)
    let peak = memory.firstMatch(of: /VmHWM:\s+(\d+) kB/).flatMap { Int($0.1) } ?? .max
    #expect(peak < 64_000, "\(peak) kB")
    server.process.signal(SIGTERM)
    #expect(await server.process.finish() == 0)
  }

  @Test func `it does not listen to others without TLS, and a token's file is its owner's`() async throws {
    let run = try DaemonRun()
    let open = try await run.command(["serve", "--listen", "0.0.0.0:0"])
    #expect(open.status == 64 && open.stderr.contains("no TLS"), "\(open.stderr)")
    let path = run.folder.write("token", "0123456789abcdef0123\n")
    try #require(unsafe chmod(path, 0o644) == 0)
    let shared = try await run.command(["serve", "--listen", "0", "--token", path])
    #expect(shared.status == 77, "\(shared.stderr)")
    let short = run.folder.write("short", "abc\n")
    try #require(unsafe chmod(short, 0o600) == 0)
    #expect(try await run.command(["serve", "--listen", "0", "--token", short]).status == 78)
    // One is made where there is none, and not printed.
    let made = run.folder("made")
    let process = try LiveProcess(
      Binary.path, ["serve", "--listen", "0", "--token", made, "--state", run.state])
    _ = await process.wait { $0.contains { $0.contains("serving at") } }
    let token = try String(contentsOfFile: made, encoding: .utf8).trimmingCharacters(
      in: .whitespacesAndNewlines)
    #expect(token.count == 32)
    #expect(!process.stdout.contains(token))
    let mode = try FileManager.default.attributesOfItem(atPath: made)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    process.signal(SIGTERM)
    #expect(await process.finish() == 0)
    // A Unix socket is its owner's and group's, and goes with its server.
    let socket = run.folder("web.sock")
    let local = try LiveProcess(
      Binary.path, ["serve", "--listen", "unix:" + socket, "--state", run.state])
    _ = await local.wait { $0.contains { $0.contains("serving at") } }
    let bits = try FileManager.default.attributesOfItem(atPath: socket)[.posixPermissions] as? Int
    #expect(bits == 0o660)
    local.signal(SIGTERM)
    #expect(await local.finish() == 0)
    #expect(!FileManager.default.fileExists(atPath: socket))
  }
}

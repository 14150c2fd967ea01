import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationRuntime

/// Real files from a real web server, carried while their program is suspended or gone.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "no Python here"))
struct TransferDaemonTests {
  /// A web server with ranges and strong ETags that can stop in the middle, answer otherwise, and logs what is asked.
  ///
  /// `/file/N` has N bytes that depend on the text in `generation`. `/slow/N` gives half of it and then nothing more
  /// until there is a file `go`. `/auth` wants anna. `/moved` is `/file/5000`, `/moved/auth` is `/auth`, and `/away` is that by
  /// another name of the host. `/busy` is there the second time, `/flaky` the
  /// eleventh. `/other/N` and `/short/N` break off in the middle, and then answer to a range with another file: of another
  /// ETag, or as long as what has come. `/drip/N` breaks off after each 1000 bytes. What is put at `/grow` grows meanwhile.
  private static let server = #"""
    import hashlib, http.server, os, sys, time
    folder = sys.argv[1]
    os.chdir(folder)
    def body(count):
        seed = open("generation").read().encode()
        block = b"".join(hashlib.sha256(seed + bytes([n])).digest() for n in range(256))
        return (block * (count // len(block) + 1))[:count]
    seen = set()
    failed = []
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def log_message(self, *words): pass
        def note(self, status, count):
            with open("requests", "a") as log:
                log.write(f"{self.command} {self.path} {self.headers.get('Range', '-')} {status} {count}\n")
        def plain(self, status, headers=(), text=b"no"):
            self.send_response(status)
            for key, value in headers: self.send_header(key, value)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)
            self.note(status, len(text))
        def do_PUT(self):
            if self.path == "/grow":
                with open("own/mine", "a") as file: file.write("GET /file/7 HTTP/1.1\r\nHost: x\r\n\r\n")
            data = self.rfile.read(int(self.headers["Content-Length"]))
            open("put", "wb").write(data)
            self.plain(201)
        def do_GET(self):
            kind, _, count = self.path[1:].partition("/")
            if kind == "auth" and self.headers.get("Authorization") != "Basic YW5uYTpzZXNhbWU=":
                return self.plain(401, [("WWW-Authenticate", "Basic realm=x")])
            if kind == "moved": return self.plain(302, [("Location", "/" + (count or "file/5000"))])
            if kind == "away":
                other = f"http://localhost:{self.server.server_port}/auth"
                return self.plain(302, [("Location", other)])
            if kind == "busy" and "busy" not in seen:
                seen.add("busy")
                return self.plain(503, [("Retry-After", "1")])
            if kind == "flaky" and len(failed) < 10:
                failed.append(kind)
                return self.plain(503)
            if kind == "missing": return self.plain(404)
            if kind == "empty" and self.headers.get("X-Empty") != "": return self.plain(400)
            if kind == "vast":
                self.send_response(200)
                self.send_header("Content-Length", count)
                self.end_headers()
                self.note(200, 1000)
                self.wfile.write(b"x" * 1000)
                self.close_connection = True
                return
            data = body(int(count or 5000))
            if kind == "drip":
                begin = int((self.headers.get("Range") or "bytes=0-")[6:-1])
                self.send_response(206 if begin else 200)
                self.send_header("ETag", '"one"')
                if begin: self.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
                self.send_header("Content-Length", str(len(data) - begin))
                self.end_headers()
                self.note(206 if begin else 200, 1000)
                self.wfile.write(data[begin:begin + 1000])
                self.close_connection = True
                return
            if kind in ("pieces", "unknown"):
                begin = int((self.headers.get("Range") or "bytes=0-")[6:-1])
                if begin == len(data): return self.plain(416, [("Content-Range", f"bytes */{len(data)}")])
                piece = data[begin:begin + 2000]
                self.send_response(206 if begin else 200)
                self.send_header("ETag", '"one"')
                if begin: self.send_header("Content-Range", f"bytes {begin}-{begin + len(piece) - 1}/*")
                if begin: self.send_header("Content-Length", str(len(piece)))
                elif kind == "pieces": self.send_header("Content-Length", str(len(data)))
                else: self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                self.note(206 if begin else 200, len(piece))
                self.wfile.write((b"" if begin or kind == "pieces" else b"7d0\r\n") + piece)
                self.close_connection = True
                return
            if kind in ("other", "short"):
                half = len(data) // 2
                if self.headers.get("Range") and kind == "short":
                    return self.plain(416, [("Content-Range", f"bytes */{half}")])
                first = kind not in seen
                seen.add(kind)
                ranged = bool(self.headers.get("Range"))
                self.send_response(206 if ranged else 200)
                self.send_header("ETag", '"two"' if ranged else '"one"')
                if ranged: self.send_header("Content-Range", f"bytes {half}-{len(data) - 1}/{len(data)}")
                self.send_header("Content-Length", str(len(data) - half if ranged else len(data)))
                self.end_headers()
                self.note(206 if ranged else 200, len(data))
                self.wfile.write(b"x" * (len(data) - half) if ranged else data[:half] if first else data)
                self.close_connection = True
                return
            tag = '"' + hashlib.sha256(data).hexdigest()[:16] + '"'
            begin, status = 0, 200
            asked = self.headers.get("Range")
            if asked and self.headers.get("If-Range", tag) == tag:
                begin, status = int(asked[6:].split("-")[0]), 206
            self.send_response(status)
            self.send_header("ETag", tag)
            if status == 206: self.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
            self.send_header("Content-Length", str(len(data) - begin))
            self.end_headers()
            self.note(status, len(data) - begin)
            if kind == "slow" and not os.path.exists("go"):
                half = len(data) // 2
                self.wfile.write(data[begin:half])
                self.wfile.flush()
                open("half", "w").write("x")
                while not os.path.exists("go"): time.sleep(0.02)
                self.wfile.write(data[max(begin, half):])
                return
            self.wfile.write(data[begin:])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    open("port.new", "w").write(str(server.server_port))
    os.rename("port.new", "port")
    server.serve_forever()
    """#

  /// A daemon with a program that has the directory `own`, and a web server.
  private final class Site {
    let run: DaemonRun
    private let server: LiveProcess
    private(set) var url = ""
    private(set) var second = 0

    init(
      _ requests: String, launch: Bool = true, settings: String = "", more manifest: String = "services: []",
      directory: String? = nil
    ) async throws {
      let run = try DaemonRun()
      self.run = run
      _ = run.folder.write("generation", "one")
      server = try LiveProcess(
        "/usr/bin/python3", [run.folder.write("server.py", TransferDaemonTests.server), run.folder.path])
      let port = try await run.waitForFile("port")
      url = "http://127.0.0.1:\(port)"
      try #require(unsafe mkdir(run.folder("own"), 0o700) == 0)
      // Ask once: a later process goes on.
      try await run.add(
        "a",
        "[ -e \"$D/asked\" ] || { : > \"$D/asked\"\n" + requests.replacingOccurrences(of: "URL", with: url)
          + "\n}\nserve",
        manifest: manifest.replacingOccurrences(of: "URL", with: url)
          + "\ndirectory: \(directory ?? run.folder("own"))")
      // The server is on this machine: a proxy is not for it.
      try run.start(run.settings(settings), through: ["/usr/bin/env", "http_proxy=http://127.0.0.1:9"])
      run.move(0, second: 0)
      try await run.waitForFixes(1)
      if launch { #expect(try await run.command(["subscribers", "launch", "a"]).status == 0) }
    }

    deinit { server.signal(SIGKILL) }

    /// The bytes of a file that has arrived.
    func file(_ name: String) -> Data? { FileManager.default.contents(atPath: run.folder("own/" + name)) }

    var requests: [Substring] { run.lines(of: "requests") }

    func told(_ type: String) -> [String] {
      run.log.map(\.line).filter { $0.contains("\"type\":\"\(type)\"") }
    }

    /// Lets time pass for what waits to be tried again, until something is so.
    func retry(until what: String, _ isSo: () -> Bool) async throws {
      try await run.wait(what) {
        let list = try await run.command(["transfers", "list", "a", "--format", "ndjson"]).stdout
        if list.contains(#""state":"waiting""#) {
          second += 2
          run.move(0, second: second)
        }
        return isSo()
      }
    }
  }

  private static func ask(_ path: String, _ file: String, session: String = "s", more: String = "") -> String
  {
    #"echo '{"transfer":{"session":"\#(session)","url":"URL\#(path)","file":"\#(file)"\#(more)}}'"#
  }

  @Test func `I1 I2 I4 files arrive while the program is suspended, and it is woken once`() async throws {
    let site = try await Site(
      Self.ask("/file/100000", "a") + "\n" + Self.ask("/slow/200000", "b") + "\n" + Self.ask("/moved", "c"))
    let run = site.run
    _ = try await run.waitForFile("half")
    try await run.wait("the numbers") { run.log.contains { $0.line == #"{"transfer":3}"# } }
    let listed = try await run.command(["transfers", "list", "a", "--format", "ndjson"])
    #expect(
      listed.stdout.contains(
        #"{"subscriber":"a","transfer":2,"session":"s","kind":"get","discretionary":false,"state":"running""#),
      "\(listed.stdout)")
    #expect(try await run.command(["subscribers", "background", "a"]).status == 0)
    run.move(0, second: 20)
    try await run.waitFor("a", .suspended)
    #expect(site.told("launch").count == 1)
    _ = run.folder.write("go", "")
    try await run.wait("the wake") { site.told("launch").count == 2 }
    #expect(site.told("launch").last?.contains(#""kind":"transfer""#) == true)
    #expect(site.told("launch").last?.contains(#""session":"s""#) == true)
    try await run.wait("all results") { site.told("transfer.done").count == 3 }
    #expect(site.file("a")?.count == 100_000)
    #expect(site.file("b")?.count == 200_000)
    #expect(site.file("b")?.prefix(100_000) == site.file("a"))
    #expect(site.file("c") == site.file("a")?.prefix(5000))
    try await run.wait("an empty spool") {
      (FileManager.default.subpaths(atPath: run.state + ".transfers") ?? []).allSatisfy {
        !$0.hasSuffix(".json")
      }
    }
    // Neither addresses nor files are in a record.
    #expect(try await run.events().allSatisfy { !$0.contains("127.0.0.1") && !$0.contains("moved") })
    #expect(await run.end() == 0)
  }

  @Test
  func `I5 an issue of a push is fetched from the address of the manifest, and its end starts the program`()
    async throws
  {
    // It ends once it has asked.
    let site = try await Site(
      #"""
      while read -r line; do
        case $line in *issue_wanted*)
          echo "$line" > "$D/wanted"
          echo '{"transfer":{"session":"nov","file":"nov"}}'
          read -r number
          event=${line#*\"id\":}
          echo "{\"ack\":${event%%,*}}"
          exit 0
        esac
      done
      """#,
      launch: false,
      more: "services: []\nmodes: [newsstand-content]\nissues: {url: \"URL/file/5000\", every_s: 86400}")
    let run = site.run
    #expect(try await run.command(["push", "a", "--data", #"{"issue":"nov"}"#]).status == 0)
    try await run.wait("the end of the issue") {
      try await run.decisions("a").contains { $0.hasPrefix("relaunch I5 issue_done") }
    }
    #expect(KernelFile.read(run.folder("wanted"))?.contains(#""issue":"nov""#) == true)
    #expect(site.file("nov")?.count == 5000)
    try await run.wait("the launch") { site.told("launch").count >= 1 }
    #expect(site.told("launch").last?.contains(#""kind":"issue""#) == true)
    #expect(site.told("launch").last?.contains(#""session":"nov""#) == true)
    try await run.wait("the result") { site.told("transfer.done").count == 1 }
    // The next one of the day.
    let further = try await run.command(["push", "a", "--data", #"{"issue":"dec"}"#])
    #expect(further.status == 1 && further.stderr.contains("refused by rule I5"), "\(further.stderr)")
    try await run.wait("the limit") { try await run.decisions("a").contains("drop I5 issue_limit") }
    #expect(try await run.events().allSatisfy { !$0.contains("127.0.0.1") })
    #expect(await run.end() == 0)
  }

  @Test func `I1 it goes on by range after kills of its process and of the daemon, once and whole`()
    async throws
  {
    let site = try await Site(Self.ask("/slow/4000000", "big"))
    let run = site.run
    _ = try await run.waitForFile("half")
    try await run.wait("the part") {
      (FileManager.default.contents(atPath: run.state + ".transfers/parts/a/1")?.count ?? 0) >= 2_000_000
        && FileManager.default.fileExists(atPath: run.state + ".transfers/parts/a/1.state")
    }
    let helper = try #require(site.run.helpers("transfer").first)
    kill(helper, SIGKILL)
    try await run.wait("the next request") { site.requests.count == 2 }
    #expect(site.requests.last?.contains("bytes=2000000- 206 2000000") == true, "\(site.requests)")
    #expect(site.file("big") == nil)
    await run.end(SIGKILL)
    _ = run.folder.write("go", "")
    try run.start(run.settings())
    run.move(0, second: 5)
    try await run.wait("the result") { site.told("transfer.done").count == 1 }
    #expect(site.file("big")?.count == 4_000_000)
    #expect(
      site.requests.allSatisfy { !$0.hasSuffix("- 200 4000000") }
        || site.requests.count { $0.hasSuffix(" 200 4000000") } == 1)
    #expect(await run.end() == 0)
  }

  @Test func `I1 a file that is put in its place while the next process waits for it stays as it is`()
    async throws
  {
    let site = try await Site(Self.ask("/slow/4000000", "big"))
    let run = site.run
    _ = try await run.waitForFile("half")
    await run.end(SIGKILL)
    let part = run.state + ".transfers/parts/a/1"
    // As the process of the daemon before, which takes its time.
    let file = unsafe open(part, O_RDWR | O_CLOEXEC)
    try #require(file >= 0)
    defer { close(file) }
    try await run.wait("the end of its process") { flock(file, LOCK_EX | LOCK_NB) == 0 }
    try run.start(run.settings())
    try await run.wait("the next process") {
      let locks = KernelFile.read("/proc/locks") ?? ""
      return site.run.helpers("transfer").contains { locks.contains("-> FLOCK  ADVISORY  WRITE \($0) ") }
    }
    try #require(ftruncate(file, 1000) == 0)
    _ = FileManager.default.createFile(atPath: part + ".done", contents: Data(#"{"bytes":1000}"#.utf8))
    try #require(unsafe rename(part, run.folder("own/big")) == 0)
    flock(file, LOCK_UN)
    run.move(0, second: 5)
    try await run.wait("the result") { site.told("transfer.done").count == 1 }
    #expect(site.told("transfer.done").first?.contains(#""bytes":1000"#) == true)
    #expect(site.file("big")?.count == 1000)
    #expect(site.requests.count == 1, "\(site.requests)")
    #expect(await run.end() == 0)
  }

  @Test func `I1 a file that arrives as the daemon dies is done, and not fetched again`() async throws {
    let site = try await Site(Self.ask("/slow/200000", "big"))
    let run = site.run
    _ = try await run.waitForFile("half")
    let helper = try #require(site.run.helpers("transfer").first)
    // It hears no more of what its process says.
    run.process?.signal(SIGSTOP)
    _ = run.folder.write("go", "")
    try await run.wait("the file") { site.file("big")?.count == 200_000 }
    await run.end(SIGKILL)
    try await run.wait("the end of its process") { !DaemonRun.isAlive(helper) }
    try run.start(run.settings())
    run.move(0, second: 5)
    try await run.wait("the result") { site.told("transfer.done").count == 1 }
    #expect(site.told("transfer.done").first?.contains(#""bytes":200000"#) == true)
    #expect(site.requests.count == 1, "\(site.requests)")
    try await run.wait("an empty spool") {
      FileManager.default.subpaths(atPath: run.state + ".transfers/parts/a")?.isEmpty == true
    }
    #expect(await run.end() == 0)
  }

  @Test func `I1 a file that has changed meanwhile is fetched from its beginning`() async throws {
    let site = try await Site(Self.ask("/slow/4000000", "big"))
    let run = site.run
    _ = try await run.waitForFile("half")
    try await run.wait("the part") {
      FileManager.default.fileExists(atPath: run.state + ".transfers/parts/a/1.state")
    }
    _ = run.folder.write("generation", "two")
    let helper = try #require(site.run.helpers("transfer").first)
    // Only then may the server go on: else the first file arrives whole.
    kill(helper, SIGKILL)
    _ = run.folder.write("go", "")
    try await run.wait("the result") { site.told("transfer.done").count == 1 }
    let expected = try await Binary.run(
      [
        "-c",
        "import hashlib; b=b''.join(hashlib.sha256(b'two'+bytes([n])).digest() for n in range(256)); print(hashlib.sha256((b*600)[:4000000]).hexdigest())",
      ],
      executable: "/usr/bin/python3")
    let arrived = try await Binary.run([run.folder("own/big")], executable: "/usr/bin/sha256sum")
    #expect(arrived.stdout.prefix(64) == expected.stdout.prefix(64))
    #expect(site.requests.last?.contains(" 200 4000000") == true, "\(site.requests)")
    #expect(await run.end() == 0)
  }

  @Test func `I1 a file that changes back and forth is whole, also where nothing could be noted of it`()
    async throws
  {
    let site = try await Site(Self.ask("/slow/4000000", "big"))
    let run = site.run
    let part = run.state + ".transfers/parts/a/1"
    func half() -> Data? {
      FileManager.default.contents(atPath: part).flatMap { $0.count == 2_000_000 ? $0 : nil }
    }
    try await run.wait("the half of one") {
      half() != nil && FileManager.default.fileExists(atPath: part + ".state")
    }
    let one = try #require(half())
    // No note can be written any more.
    try #require(unsafe mkdir(part + ".state.new", 0o700) == 0)
    _ = run.folder.write("generation", "two")
    kill(try #require(site.run.helpers("transfer").first), SIGKILL)
    try await run.wait("the half of the other") { half().map { $0 != one } ?? false }
    _ = run.folder.write("generation", "one")
    kill(try #require(site.run.helpers("transfer").first), SIGKILL)
    _ = run.folder.write("go", "")
    try await run.wait("the result") { site.told("transfer.done").count == 1 }
    #expect(site.file("big")?.prefix(2_000_000) == one)
    #expect(site.requests.last?.hasSuffix(" - 200 4000000") == true, "\(site.requests)")
    #expect(await run.end() == 0)
  }

  @Test func `I1 a file that another one has taken the place of is no part of it`() async throws {
    let site = try await Site(
      ["other", "short", "file"].map { Self.ask("/\($0)/200000", $0) }.joined(separator: "\n"))
    try await site.retry(until: "the results") { site.told("transfer.done").count == 3 }
    let whole = site.file("file")
    #expect(whole?.count == 200_000 && site.file("other") == whole && site.file("short") == whole)
    // Each was asked for its second half in between.
    for kind in ["other", "short"] {
      #expect(
        site.requests.contains { $0.hasPrefix("GET /\(kind)/200000 bytes=100000- ") }, "\(site.requests)")
    }
    #expect(await site.run.end() == 0)
  }

  @Test func `I2 I4 what fails says why, and credentials are asked for`() async throws {
    let site = try await Site(
      [
        Self.ask("/missing", "m"), Self.ask("/busy/3000", "busy"), Self.ask("/auth", "secret"),
        Self.ask("/file/10", "../out"), Self.ask("/file/10", "none/here"),
      ].joined(separator: "\n") + "\n"
        + #"echo '{"transfer":{"session":"s","url":"ftp://x/y","file":"f"}}'"# + "\n"
        // What is to be put is there before this.
        + "while [ ! -e \"$D/answer.wait\" ]; do sleep 0.02; done\n"
        + #"echo '{"transfer":{"session":"s","kind":"put","url":"URL/put","file":"mine"}}'"#
        + "\nwhile [ ! -e \"$D/answer\" ]; do sleep 0.02; done\n"
        + #"echo '{"answer":3,"user":"anna","password":"sesame"}'"#)
    let run = site.run
    _ = run.folder.write("own/mine", "my own words")
    _ = run.folder.write("answer.wait", "")
    try await run.wait("the question") {
      try await run.events().contains { $0.contains(#""type":"transfer.auth""#) }
    }
    _ = run.folder.write("answer", "")
    try await run.wait("the file") { site.file("secret")?.count == 5000 }
    try await site.retry(until: "the rest") { site.file("busy")?.count == 3000 }
    try await run.wait("the failures") { site.told("transfer.failed").count == 3 }
    let failed = site.told("transfer.failed")
    #expect(
      failed.contains { $0.contains(#""transfer":1,"#) && $0.contains(#""status":404,"reason":"status""#) },
      "\(failed)")
    #expect(failed.count { $0.contains(#""reason":"file""#) } == 2)
    // What was not begun carried nothing that anybody knows of.
    #expect(failed.count { $0.contains(#""transfer":4,"#) && !$0.contains(#""bytes":"#) } == 1, "\(failed)")
    #expect(failed.count { $0.contains(#""transfer":5,"#) && !$0.contains(#""bytes":"#) } == 1, "\(failed)")
    #expect(!FileManager.default.fileExists(atPath: run.folder("out")))
    #expect(run.log.contains { $0.line.contains(#""what":"transfer","reason":"invalid""#) })
    try await run.wait("the upload") { KernelFile.read(run.folder("put")) == "my own words" }
    #expect(try await run.events().allSatisfy { !$0.contains("sesame") && !$0.contains("anna") })
    #expect(await run.end() == 0)
    #expect(run.process?.stderr.contains("sesame") == false)
  }

  @Test func `I4 of a file that its server says is too large nothing is fetched`() async throws {
    let site = try await Site(Self.ask("/slow/4000000", "big"), settings: "transfers: {max_bytes: 1000000}\n")
    try await site.run.wait("the failure") { site.told("transfer.failed").count == 1 }
    let failed = site.told("transfer.failed").joined()
    #expect(failed.contains(#""reason":"too_large""#) && failed.contains(#""bytes":0,"#), "\(failed)")
    #expect(await site.run.end() == 0)
  }

  @Test func `I4 of a file for which the disk has no room nothing is fetched`() async throws {
    let site = try await Site(
      Self.ask("/vast/900000000000000", "big"), settings: "transfers: {max_bytes: 1000000000000000}\n")
    try await site.run.wait("the failure") { site.told("transfer.failed").count == 1 }
    let failed = site.told("transfer.failed").joined()
    #expect(failed.contains(#""reason":"no_space""#) && failed.contains(#""bytes":0,"#), "\(failed)")
    #expect(await site.run.end() == 0)
  }

  @Test func `I4 a file that can't be put in its place is not fetched`() async throws {
    let directory = "mkdir -p \"$D/own/taken\"; ln -s /tmp \"$D/own/out\"\n"
    let site = try await Site(
      directory + [Self.ask("/file/10", "taken"), Self.ask("/file/10", "out/there")].joined(separator: "\n"))
    try await site.run.wait("the failures") { site.told("transfer.failed").count == 2 }
    let failed = site.told("transfer.failed")
    #expect(failed.allSatisfy { $0.contains(#""reason":"file""#) && !$0.contains(#""bytes":"#) }, "\(failed)")
    #expect(await site.run.end() == 0)
  }

  @Test func `I4 an answer for which there is no room is refused, and may come again`() async throws {
    let answer = #"echo '{"answer":1,"user":"anna","password":"sesame"}'"#
    let site = try await Site(
      Self.ask("/auth", "secret") + "\nwhile [ ! -e \"$D/answer\" ]; do sleep 0.02; done\n" + answer
        + "\nwhile [ ! -e \"$D/again\" ]; do sleep 0.02; done\n" + answer)
    let run = site.run
    try await run.wait("the question") {
      try await run.events().contains { $0.contains(#""type":"transfer.auth""#) }
    }
    // A folder stands where the job is to be written.
    let obstacle = "\(run.state).transfers/jobs/a/1.json.new"
    try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
    _ = run.folder.write("answer", "")
    try await run.wait("the failure") {
      run.process?.stderr.contains("1.json: can't be written: Is a directory") ?? false
    }
    try FileManager.default.removeItem(atPath: obstacle)
    _ = run.folder.write("again", "")
    try await run.wait("the file") { site.file("secret")?.count == 5000 }
    try await run.wait("the refusal") {
      run.log.contains { $0.line.contains(#""what":"answer","reason":"no_space""#) }
    }
    #expect(await run.end() == 0)
  }

  @Test func `I1 a login goes along to another path of its host, and to no other host`() async throws {
    let login = #","user":"anna","password":"sesame""#
    let site = try await Site(
      Self.ask("/moved/auth", "secret", more: login) + "\n" + Self.ask("/away", "none", more: login))
    try await site.run.wait("the results") {
      site.told("transfer.done").count == 1 && site.told("transfer.auth").count == 1
    }
    #expect(site.file("secret")?.count == 5000)
    #expect(site.told("transfer.auth").first?.contains(#""transfer":2,"#) == true)
    #expect(await site.run.end() == 0)
  }

  /// A folder of another file system than that of the tests' folders; nil where there is none.
  private static let elsewhere: String? = {
    let here = StatePath.status(FileManager.default.temporaryDirectory.path)?.st_dev
    let there = StatePath.status("/dev/shm")?.st_dev
    return there == nil || there == here ? nil : "/dev/shm/locwatch-test-\(UUID().uuidString)"
  }()

  @Test(.enabled(if: TransferDaemonTests.elsewhere != nil, "no other file system here"))
  func `I4 a file of the longest name arrives in another file system, and no copy of it stays`() async throws
  {
    let directory = try #require(Self.elsewhere)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let name = String(repeating: "n", count: Int(NAME_MAX))
    let site = try await Site(Self.ask("/slow/200000", name), directory: directory)
    let run = site.run
    _ = try await run.waitForFile("half")
    // As of a process that was killed while it copied.
    let parts = try #require(StatePath.status(run.state + ".transfers/parts/a"))
    let copy = "\(directory)/.locwatch-\(parts.st_ino)-1"
    try #require(FileManager.default.createFile(atPath: copy, contents: Data("half".utf8)))
    kill(try #require(site.run.helpers("transfer").first), SIGKILL)
    try await run.wait("the next process") { !FileManager.default.fileExists(atPath: copy) }
    _ = run.folder.write("go", "")
    try await run.wait("the result") { site.told("transfer.done").count == 1 }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [name])
    #expect(StatePath.status("\(directory)/\(name)")?.st_size == 200_000)
    #expect(await run.end() == 0)
  }

  @Test func `I1 a header without a value is sent too`() async throws {
    let site = try await Site(Self.ask("/empty/50", "e", more: #","headers":{"X-Empty":""}"#))
    try await site.run.wait("the file") { site.file("e")?.count == 50 }
    #expect(await site.run.end() == 0)
  }

  @Test func `I1 a transfer that gets on waits no longer each time`() async throws {
    let site = try await Site(Self.ask("/drip/12000", "drip"))
    try await site.retry(until: "the file") { site.file("drip")?.count == 12_000 }
    // Doubled each time, the 11 waits are more than 1500 s of the log.
    #expect(site.second < 500, "\(site.second)")
    #expect(await site.run.end() == 0)
  }

  @Test func `I1 parts that do not say how long the whole is are put together to the end`() async throws {
    let site = try await Site(
      ["pieces", "unknown", "file"].map { Self.ask("/\($0)/5000", $0) }.joined(separator: "\n"),
      settings: "transfers: {retry_s: 1, retry_limit_s: 1}\n")
    try await site.retry(until: "the files") { site.told("transfer.done").count == 3 }
    #expect(site.file("pieces") == site.file("file"))
    #expect(site.file("unknown") == site.file("file"))
    #expect(
      site.requests.map(String.init).sorted() == [
        "GET /file/5000 - 200 5000", "GET /pieces/5000 - 200 2000", "GET /pieces/5000 bytes=2000- 206 2000",
        "GET /pieces/5000 bytes=4000- 206 1000", "GET /unknown/5000 - 200 2000",
        "GET /unknown/5000 bytes=2000- 206 2000", "GET /unknown/5000 bytes=4000- 206 1000",
        "GET /unknown/5000 bytes=5000- 416 2",
      ])
  }

  @Test func `I4 what is no plain file is not sent, and holds nothing up`() async throws {
    func put(_ file: String) -> String { Self.ask("/put", file, more: #","kind":"put""#) }
    let site = try await Site(
      [put("pipe"), put("folder"), Self.ask("/file/5000", "good")].joined(separator: "\n"), launch: false)
    let run = site.run
    try #require(
      unsafe mkfifo(run.folder("own/pipe"), 0o600) == 0 && mkdir(run.folder("own/folder"), 0o700) == 0)
    #expect(try await run.command(["subscribers", "launch", "a"]).status == 0)
    try await run.wait("the file") { site.file("good")?.count == 5000 }
    try await run.wait("the failures") { site.told("transfer.failed").count == 2 }
    #expect(site.told("transfer.failed").allSatisfy { $0.contains(#""reason":"file""#) })
    #expect(!FileManager.default.fileExists(atPath: run.folder("put")))
    #expect(await run.end() == 0)
  }

  @Test func `I1 of a file that grows no more is sent than was announced`() async throws {
    let site = try await Site(Self.ask("/grow", "mine", more: #","kind":"put""#), launch: false)
    let run = site.run
    // More than the buffers of a connection take: the end is read after the server has the beginning. And no multiple of
    // the pieces in which it is read: of those curl itself sends no more.
    let bytes = 60_000_000
    _ = run.folder.write("own/mine", "")
    try #require(unsafe truncate(run.folder("own/mine"), bytes) == 0)
    #expect(try await run.command(["subscribers", "launch", "a"]).status == 0)
    try await run.wait("the result") { site.told("transfer.done").count == 1 }
    #expect(site.told("transfer.done").first?.contains("\"bytes\":\(bytes)") == true)
    #expect(site.requests == ["PUT /grow - 201 2"])
    #expect(await run.end() == 0)
  }

  @Test func `I1 four whose server is away keep no other from its file`() async throws {
    // Each attempt may be the last for an hour.
    let away = (1...4).map { Self.ask("/flaky/\($0)", "away\($0)") }
    let site = try await Site(
      (away + [Self.ask("/file/5000", "good")]).joined(separator: "\n"),
      settings: "transfers: {retry_s: 3600, retry_limit_s: 3600}\n")
    try await site.run.wait("the file") { site.file("good")?.count == 5000 }
    #expect(site.file("away1") == nil)
    #expect(await site.run.end() == 0)
  }

  @Test func `I1 what fails is tried again as soon as is set`() async throws {
    // By default the eleventh attempt would come after more than ten minutes.
    let site = try await Site(
      Self.ask("/flaky/3000", "flaky"), settings: "transfers: {retry_s: 0.1, retry_limit_s: 1}\n")
    try await site.retry(until: "the file") { site.file("flaky")?.count == 3000 }
    #expect(site.requests.count { $0.hasPrefix("GET /flaky/3000 - 503 ") } == 10, "\(site.requests)")
    #expect(await site.run.end() == 0)
  }

  @Test func `ten refused answers a minute are records, and what may be asked for is done all the same`()
    async throws
  {
    let site = try await Site(
      Self.ask("/auth", "secret") + "\nwhile [ ! -e \"$D/answer\" ]; do sleep 0.02; done\n"
        + Self.ask("/flaky/10", "away")
        + "\necho '{\"answer\":2,\"user\":\"eve\",\"password\":\"unasked\"}'\n"
        + "for n in $(seq \(SupervisorLimits.refusalsPerMinute + 1)); do echo '{\"answer\":99}'; done\n"
        + Self.ask("/file/10", "late") + "\n"
        + #"echo '{"answer":1,"user":"anna","password":"sesame"}'"#,
      settings: "transfers: {retry_s: 3600, retry_limit_s: 3600}\n")
    let run = site.run
    try await run.wait("the question") {
      try await run.events().contains { $0.contains(#""type":"transfer.auth""#) }
    }
    _ = run.folder.write("answer", "")
    try await run.wait("the file") { site.file("secret")?.count == 5000 }
    func refused(_ what: String, _ reason: String) -> Int {
      run.log.count { $0.line.contains(#""what":"\#(what)","reason":"\#(reason)""#) }
    }
    try await run.wait("the file that was asked for last") { site.file("late") != nil }
    #expect(refused("answer", "unknown_transfer") == SupervisorLimits.refusalsPerMinute + 2)
    let decided = try await run.decisions("a").count { $0 == "refuse I2 unknown_transfer" }
    #expect(decided == SupervisorLimits.refusalsPerMinute)
    // Only what a server has asked for is kept.
    let kept = try #require(TransferSpool(state: run.state).job(2, of: "a"))
    #expect(kept["user"] == nil && kept["password"] == nil, "\(kept)")
    #expect(await run.end() == 0)
  }

  @Test(.enabled(if: geteuid() == 0), arguments: [true, false])
  func `I1 a process of its user carries files where that user has no way to the state`(
    hasDirectory: Bool
  ) async throws {
    let site = try await Site("", launch: false)
    let run = site.run
    let own = TemporaryFolder()
    // As under systemd.
    try #require(unsafe chmod(run.folder.path, 0o700) == 0 && chown(own.path, 65_534, 65_534) == 0)
    let request = Self.ask("/slow/5000", "got").replacingOccurrences(of: "URL", with: site.url)
    let manifest = run.folder.write(
      "b.yaml",
      """
      name: b
      command:
        - /bin/sh
        - -c
        - |
          \(request)
          exec cat > /dev/null
      services: []
      user: nobody
      \(hasDirectory ? "directory: \(own.path)" : "")
      """)
    #expect(try await run.command(["subscribers", "add", manifest]).status == 0)
    #expect(try await run.command(["subscribers", "launch", "b"]).status == 0)
    _ = try await run.waitForFile("half")
    // Its user may not trace it: then these are root's (proc(5), PR_SET_DUMPABLE).
    let process = try #require(site.run.helpers("transfer").first)
    #expect(StatePath.status("/proc/\(process)/fd")?.st_uid == 0)
    _ = run.folder.write("go", "")
    var ends: [Substring] = []
    try await run.wait("the end") {
      ends = try await run.events().filter {
        $0.contains("\"type\":\"transfer.done\"") || $0.contains("transfer.failed")
      }
      return !ends.isEmpty
    }
    #expect(ends.allSatisfy { $0.contains("transfer.done") }, "\(ends)")
    let path = (hasDirectory ? own.path : run.state + ".files/b") + "/got"
    #expect(StatePath.status(path)?.st_uid == 65_534 && StatePath.status(path)?.st_size == 5000)
    #expect(await run.end() == 0)
  }

  @Test func `I3 a force-quit leaves nothing behind`() async throws {
    let site = try await Site(Self.ask("/slow/1000000", "big"))
    let run = site.run
    _ = try await run.waitForFile("half")
    #expect(try await run.command(["subscribers", "quit", "a"]).status == 0)
    try await run.wait("an empty spool") {
      (FileManager.default.subpaths(atPath: run.state + ".transfers") ?? [])
        .allSatisfy { $0.split(separator: "/").count < 3 }
    }
    #expect(site.file("big") == nil)
    #expect(try await run.decisions("a").contains("drop I3 cancelled"))
    try await run.wait("the end of its process") { site.run.helpers("transfer").isEmpty }
    #expect(await run.end() == 0)
  }
}

import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats

/// An HTTP server that notes what it gets, and answers as a file says: `200`, `410`, `503 7` (with `Retry-After`),
/// `redirect`, `drop` (reads and closes), `cut` and `flood` (200 with a body that breaks off, or has 2 MiB) or nothing of all that where the file is absent: then it is away.
final class WebhookEndpoint {
  /// A request that it accepted.
  struct Request {
    var path: String
    var headers: [String: String]
    var body: String
    /// Whether Python's own HMAC finds the signature right.
    var isSigned: Bool

    /// The record in the body of a CloudEvent, or the body.
    var tree: JSONTree? {
      var reader = JSONReader(Array(body.utf8))
      return try? JSONTree(&reader)
    }
  }

  static let secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
  let folder: TemporaryFolder
  let port: Int
  private var process: LiveProcess?

  init(_ folder: TemporaryFolder) throws {
    self.folder = folder
    port = try Listener.freePort()
  }

  deinit { process?.signal(SIGKILL) }

  var url: String { "http://127.0.0.1:\(port)/hook" }

  /// In one step: a request that comes just then reads no half of it.
  func answer(_ word: String) { _ = unsafe rename(folder.write("answer.new", word), folder("answer")) }

  /// Begins to listen.
  func start() async throws {
    answer("200")
    let script = folder.write("endpoint.py", Self.script)
    process = try LiveProcess(
      "/usr/bin/env", ["python3", script, "\(port)", folder.path, Self.secret])
    let end = ContinuousClock.now + .seconds(TestPatience.seconds)
    while !FileManager.default.fileExists(atPath: folder("listening")), ContinuousClock.now < end {
      try? await Task.sleep(for: .milliseconds(10))
    }
    try #require(FileManager.default.fileExists(atPath: folder("listening")), "\(process?.stderr ?? "")")
  }

  /// What it got, in order.
  var requests: [Request] { noted("requests") }
  /// What it answered with anything but 200.
  var refused: [Request] { noted("refused") }

  private func noted(_ name: String) -> [Request] {
    let text = (try? String(contentsOfFile: folder(name), encoding: .utf8)) ?? ""
    // The last line may be on its way.
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { line in
      var reader = JSONReader(Array(line.utf8))
      guard let tree = try? JSONTree(&reader), case .object(let members) = tree["headers"] ?? .null else {
        return nil
      }
      return Request(
        path: tree["path"]?.string ?? "",
        headers: members.reduce(into: [:]) { $0[$1.key] = $1.value.string ?? "" },
        body: tree["body"]?.string ?? "", isSigned: tree["signed"] == .boolean(true))
    }
  }

  private static let script = """
    import base64, hashlib, hmac, http.server, json, os, sys
    port, folder, secret = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    key = base64.b64decode(secret[6:])
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            word = open(folder + "/answer").read().split()
            signed = ".".join([self.headers.get("webhook-id", ""), self.headers.get("webhook-timestamp", "")]).encode()
            mac = base64.b64encode(hmac.new(key, signed + b"." + body, hashlib.sha256).digest()).decode()
            names = self.headers.get("webhook-signature", "").split()
            note = {"path": self.path, "body": body.decode(), "signed": "v1," + mac in names,
                    "headers": {k.lower(): v for k, v in self.headers.items()}}
            name = "requests" if word[0] in ("200", "cut", "flood") else "refused"
            with open(folder + "/" + name, "a") as log: log.write(json.dumps(note) + "\\n")
            if word[0] == "drop":
                self.close_connection = True
                return
            if word[0] in ("cut", "flood"):
                self.send_response(200)
                self.send_header("Content-Length", str(2 << 20))
                self.end_headers()
                try: self.wfile.write(b"x" * (2 << 20 if word[0] == "flood" else 1))
                except OSError: pass
                self.close_connection = True
                return
            if word[0] == "redirect":
                self.send_response(302)
                self.send_header("Location", "http://127.0.0.1:%d/elsewhere" % port)
            else:
                self.send_response(int(word[0]))
            if len(word) > 1: self.send_header("Retry-After", word[1])
            self.send_header("Content-Length", "0")
            self.end_headers()
        def log_message(self, *arguments): pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    open(folder + "/listening", "w").close()
    server.serve_forever()
    """
}

extension DaemonRun {
  /// Starts an endpoint whose files are in the run's folder.
  func startEndpoint() async throws -> WebhookEndpoint {
    let endpoint = try WebhookEndpoint(folder)
    try await endpoint.start()
    return endpoint
  }
}

import Foundation
import TestSupport
import Testing

/// `locwatch serve` on a state file, and who asks it.
struct WebServer {
  var process: LiveProcess
  var port: Int
  var token: String
  var asker: String

  func ask(
    _ method: String, _ path: String, host: String? = nil, token given: String? = nil, more: String = "",
    body: String = ""
  ) async throws -> (status: Int, body: String) {
    let headers = [
      "Host: \(host ?? "127.0.0.1:\(port)")", "Authorization: Bearer \(given ?? token)",
      body.isEmpty ? "" : "Content-Type: application/json", more,
    ].joined(separator: "|")
    let run = try await Binary.run(
      [asker, "\(port)", method, path, headers, body], executable: "/usr/bin/python3")
    let parts = run.stdout.split(separator: " ", maxSplits: 1)
    return (Int(parts.first ?? "") ?? 0, parts.count > 1 ? String(parts[1]) : run.stderr)
  }

  static func start(_ run: DaemonRun, _ more: [String] = []) async throws -> WebServer {
    let process = try LiveProcess(Binary.path, ["serve", "--listen", "0", "--state", run.state] + more)
    _ = await process.wait { $0.contains { $0.contains("serving at") } }
    let line = process.lines.first.map(String.init) ?? ""
    let found = try #require(
      line.firstMatch(of: /127\.0\.0\.1:(\d+)\/#([0-9a-f]+)/), "\(line) \(process.stderr)")
    return WebServer(
      process: process, port: Int(found.1) ?? 0, token: String(found.2),
      asker: run.folder.write("ask.py", script))
  }

  /// Asks with curl's spelling left to us: prints `STATUS BODY`.
  private static let script = #"""
    import socket, sys
    port, method, path, headers, body = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5]
    link = socket.create_connection(("127.0.0.1", port))
    lines = [f"{method} {path} HTTP/1.1"] + [h for h in headers.split("|") if h]
    if body: lines.append(f"Content-Length: {len(body.encode())}")
    link.sendall(("\r\n".join(lines) + "\r\n\r\n" + body).encode())
    data = b""
    while True:
        piece = link.recv(65536)
        if not piece: break
        data += piece
    head, _, rest = data.partition(b"\r\n\r\n")
    print(head.split(b" ")[1].decode(), rest.decode())
    """#
}

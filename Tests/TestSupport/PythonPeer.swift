import Foundation

/// Whether there is a Python for programs of tests.
package let hasPython = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

/// A Python program that a test speaks to by lines.
package class PythonClient {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  package init(_ folder: TemporaryFolder, _ script: String, _ arguments: [String] = []) throws {
    let path = folder("peer-\(UInt32.random(in: 0...UInt32.max)).py")
    try ("import socket, sys\n" + script + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [path] + arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit { kill() }

  /// A process that Foundation starts from a dispatch thread has SIGTERM blocked.
  private func kill() { if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) } }

  /// A line to its standard input.
  package func say(_ text: String = "") { input.fileHandleForWriting.write(Data((text + "\n").utf8)) }

  /// The next line of its standard output; nil at the end.
  package func line() -> String? {
    var bytes: [UInt8] = []
    while true {
      let byte = output.fileHandleForReading.readData(ofLength: 1)
      guard let first = byte.first else {
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
      }
      if first == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(first)
    }
  }

  package func wait() { process.waitUntilExit() }

  package func end() {
    kill()
    process.waitUntilExit()
  }
}

/// The same with a `listener`, whose port it tells first.
package final class PythonServer: PythonClient {
  package private(set) var port = ""

  package init(_ folder: TemporaryFolder, _ script: String) throws {
    let listen = #"""
      listener = socket.create_server(("127.0.0.1", 0))
      print(listener.getsockname()[1], flush=True)

      """#
    try super.init(folder, listen + script, [])
    guard let line = line() else { throw Silent() }
    port = line
  }

  /// It ended before it told its port.
  struct Silent: Error {}
}

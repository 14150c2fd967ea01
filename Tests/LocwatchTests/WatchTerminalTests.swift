import Foundation
import TestSupport
import Testing

/// `locwatch watch` on a terminal.
@Suite(.enabled(if: GPSDServer.isInstalled)) struct WatchTerminalTests {
  private let folder = TemporaryFolder()

  /// Runs it as the one program of a session whose terminal this is; its number is written to the file `pid`.
  private func watch(_ arguments: String, on terminal: borrowing PseudoTerminal) throws -> LiveProcess {
    let inner = "echo $$ > \(folder("pid")); exec \(Binary.path) watch \(arguments)"
    // setsid(1) of util-linux, which Debian always has.
    let outer = "exec setsid -c -w sh -c '\(inner)' < \(terminal.path) > \(terminal.path)"
    return try LiveProcess("/bin/sh", ["-c", outer])
  }

  private func pid() -> Int32 {
    let text = (try? String(contentsOfFile: folder("pid"), encoding: .utf8)) ?? ""
    return Int32(text.filter(\.isNumber)) ?? -1
  }

  /// What was on the terminal before the view, in it, and after it.
  private func parts(of text: String) -> [String] {
    text.components(separatedBy: "\u{1B}[?1049")
  }

  /// The lines of the last view that was drawn whole.
  private func lastView(of text: String) -> [String] {
    let drawn = text.components(separatedBy: "\u{1B}[H").dropFirst().filter { $0.contains("\u{1B}[J") }
    // The terminal adds a return of its own before each line feed.
    let lines = (drawn.last?.components(separatedBy: "\u{1B}[J")[0] ?? "").components(separatedBy: "\r\r\n")
    return lines.map {
      $0.replacing("\u{1B}[K", with: "").replacing("\u{1B}[1m", with: "").replacing("\u{1B}[0m", with: "")
    }
  }

  /// How somebody has had enough.
  enum Quitting: String, CaseIterable, CustomTestStringConvertible {
    case key, interrupt, termination

    var status: Int32 {
      switch self {
      case .key: 0
      case .interrupt: 130
      case .termination: 143
      }
    }

    var testDescription: String { rawValue }
  }

  @Test(arguments: Quitting.allCases)
  func `it is drawn in place, follows the terminal's size, and leaves the terminal as it was`(
    quitting: Quitting
  ) async throws {
    let gpsd = try GPSDServer()
    let terminal = try PseudoTerminal(columns: 60, rows: 20)
    let before = terminal.settings
    let run = try watch(gpsd.address, on: terminal)
    let receiver = try #require(gpsd.connectReceiver())
    receiver.send(ReceiverText.epoch())
    #expect(await terminal.wait { $0.contains("gpsd 3.") && lastView(of: $0).count == 20 })
    #expect(lastView(of: terminal.text).last == "q quits")
    #expect(terminal.settings != before, "keys come one by one")

    terminal.resize(columns: 30, rows: 6)
    #expect(await terminal.wait { lastView(of: $0).count == 6 })
    #expect(lastView(of: terminal.text).allSatisfy { $0.count <= 30 }, "\(lastView(of: terminal.text))")
    terminal.resize(columns: 200, rows: 50)
    #expect(await terminal.wait { lastView(of: $0).count == 50 })

    switch quitting {
    case .key: terminal.send("xyq")
    case .interrupt: terminal.send("\u{3}")
    case .termination: kill(pid(), SIGTERM)
    }
    #expect(await run.finish() == quitting.status, "\(run.stderr)")
    #expect(terminal.settings == before)
    let parts = parts(of: terminal.text)
    #expect(parts.count == 3, "taken once, given back once")
    guard parts.count == 3 else { return }
    #expect(parts[1].hasPrefix("h\u{1B}[?25l\u{1B}[?7l"), "kept aside, no cursor, no wrapping")
    #expect(parts[1].hasSuffix("\u{1B}[?7h\u{1B}[?25h"), "and both again")
    #expect(parts[2].contains("Summary"))
    #expect(run.stderr == "")
  }

  @Test func `it ends when its terminal goes away`() async throws {
    let gpsd = try GPSDServer()
    let terminal = try PseudoTerminal()
    let run = try watch(gpsd.address, on: terminal)
    #expect(await terminal.wait { $0.contains("q quits") })
    terminal.hangUp()
    #expect(await run.finish() == 129)
  }

  @Test func `what can't be watched leaves the terminal alone`() async throws {
    let terminal = try PseudoTerminal()
    let before = terminal.settings
    let run = try watch("localhost:\(try Listener.freePort())", on: terminal)
    #expect(await run.finish() == 69)
    #expect(terminal.settings == before)
    #expect(!terminal.text.contains("\u{1B}"))
    #expect(run.stderr.contains("gpsd is not there"))
  }

  @Test func `-n and -x end the view`() async throws {
    let gpsd = try GPSDServer()
    let terminal = try PseudoTerminal()
    let run = try watch("\(gpsd.address) -x 1.5", on: terminal)
    #expect(await run.finish() == 0)
    #expect(parts(of: terminal.text).count == 3)
    let other = try watch("\(gpsd.address) -n 2", on: terminal)
    let receiver = try #require(gpsd.connectReceiver())
    for _ in 0..<1_200 where await other.finish(seconds: 0.25) == nil { receiver.send(ReceiverText.epoch()) }
    #expect(await other.finish() == 0)
    #expect(parts(of: terminal.text).last?.contains("Summary") == true)
  }

  @Test func `NO_COLOR is honoured`() async throws {
    let gpsd = try GPSDServer()
    let terminal = try PseudoTerminal()
    let run = try LiveProcess(
      "/bin/sh",
      [
        "-c",
        "NO_COLOR=1 exec \(Binary.path) watch \(gpsd.address) -x 1 < \(terminal.path) > \(terminal.path)",
      ])
    #expect(await run.finish() == 0)
    #expect(terminal.text.contains("q quits"))
    #expect(!terminal.text.contains("\u{1B}[1m"))
  }
}

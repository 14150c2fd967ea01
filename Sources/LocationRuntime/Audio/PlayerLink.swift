import LocationCore
import LocationFormats

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The program that stands on the user's bus for whoever had an audio session last, so that keys and headsets reach it
/// (rule F5). It is started with the first session.
struct PlayerLink {
  /// Who is commanded, and what the desktop is told of it.
  struct Player: Equatable {
    var name: String
    /// `Playing`, `Paused` or `Stopped`, as MPRIS has it.
    var status: String
  }

  private let environment: [String]
  private var process: SiblingProcess?
  private var told: Player?
  private var hasFailed = false

  init(environment: [String]) { self.environment = environment }

  /// The program, beside this one; nil where it is not there, or there is no bus.
  static func helper(environment: [String]) -> String? {
    NotifyHook.hasBus(environment: environment) ? SiblingProgram.executable("locwatch-player") : nil
  }

  /// Who is commanded from now on; nil where nobody is.
  mutating func align(_ player: Player?) {
    guard player != told else { return }
    told = player
    guard let player else { return end() }
    if process == nil, !hasFailed { start() }
    process?.say(
      JSONTree.object([
        .init(key: "player", value: .string(player.name)),
        .init(key: "status", value: .string(player.status)),
      ]).text)
  }

  private mutating func start() {
    guard let path = Self.helper(environment: environment) else { return }
    process = try? SiblingProcess(path, environment: environment, lineBytes: 4_096)
    hasFailed = process == nil
  }

  /// Ends it.
  mutating func end() {
    process?.kill()
    process = nil
  }

  /// Adds what `poll` is to wait for; ``take(_:)`` takes it back.
  func watch(_ entries: inout [pollfd]) {
    entries.append(pollfd(fd: process?.readable ?? -1, events: Int16(POLLIN), revents: 0))
  }

  /// What the user commands. A program that has ended is not started again in this run: its bus is gone.
  mutating func take(_ entries: ArraySlice<pollfd>) -> [String] {
    guard entries.first?.revents != 0, let (lines, hasEnded) = process?.take() else { return [] }
    if hasEnded {
      hasFailed = true
      end()
    }
    return lines.compactMap { $0["command"]?.text(or: nil) }
  }
}

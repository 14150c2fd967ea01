import Glibc
import LocationCore
import LocationFormats

/// The program that stands on the user's bus for whoever had an audio session last, so that keys and headsets reach it
/// (rule F5). It is started with the first session.
struct PlayerLink: LinkedSibling {
  /// Who is commanded, and what the desktop is told of it.
  struct Player: Equatable {
    var name: String
    /// `Playing`, `Paused` or `Stopped`, as MPRIS has it.
    var status: String
  }

  private let environment: [String]
  var link: SiblingLink
  private var told: Player?

  init(environment: [String], now: @escaping () -> EngineInstant) {
    self.environment = environment
    link = SiblingLink(environment: environment, now: now)
  }

  /// The program, beside this one; nil where it is not there, or there is no bus.
  static func helper(environment: [String]) -> String? {
    NotifyHook.hasBus(environment: environment) ? SiblingProgram.executable("locwatch-player") : nil
  }

  /// Who is commanded from now on; nil where nobody is.
  mutating func align(_ player: Player?) {
    guard player != told, link.retryAt == nil else { return }
    told = player
    guard let player else { return end() }
    link.start(Self.helper(environment: environment))
    link.say(
      .object(["player": .string(player.name), "status": .string(player.status)]))
  }

  mutating func forgetTold() { told = nil }

  /// What the user commands.
  mutating func take(_ polled: PollSet) -> [String] {
    guard link.hasNews(polled) else { return [] }
    let (lines, hasEnded) = link.take()
    if hasEnded {
      link.complain("locwatch-player has ended and is started again; until then no key commands a session")
    }
    return lines.compactMap { $0["command"]?.string }
  }
}

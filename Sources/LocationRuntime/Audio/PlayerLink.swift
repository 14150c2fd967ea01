import Glibc
import LocationCore
import LocationFormats

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
  private var link: SiblingLink
  private var told: Player?

  init(environment: [String]) {
    self.environment = environment
    link = SiblingLink(environment: environment)
  }

  /// The program, beside this one; nil where it is not there, or there is no bus.
  static func helper(environment: [String]) -> String? {
    NotifyHook.hasBus(environment: environment) ? SiblingProgram.executable("locwatch-player") : nil
  }

  /// Who is commanded from now on; nil where nobody is.
  mutating func align(_ player: Player?) {
    guard player != told else { return }
    told = player
    guard let player else { return end() }
    link.start(Self.helper(environment: environment))
    link.say(
      .object([
        .init(key: "player", value: .string(player.name)),
        .init(key: "status", value: .string(player.status)),
      ]))
  }

  /// Ends it.
  mutating func end() { link.end() }

  /// Adds what is waited for.
  func watch(_ polled: inout PollSet) { link.watch(&polled) }

  /// What the user commands.
  mutating func take(_ polled: PollSet) -> [String] {
    guard link.hasNews(polled) else { return [] }
    return link.take().lines.compactMap { $0["command"]?.text(or: nil) }
  }
}

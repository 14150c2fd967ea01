import Glibc
import LocationBus
import LocationFormats
import LocationRuntime

/// `locwatch-push`: takes pushes from a UnifiedPush distributor on the user's bus (section H).
///
/// It is a program of its own so that the daemon needs neither a bus nor libcrypto. The bus starts it for a push where it
/// does not run.
@main enum PushMain {
  private static let help = """
    USAGE: locwatch-push [--distributor <name>] [--state <file>]
           locwatch-push --distributors

    Takes pushes for subscribers with the mode remote-notification from a
    UnifiedPush distributor. Docs/Subscribers.md describes it. Start it with the
    session:
      systemctl --user enable --now locwatch-push

      --distributor <name>  Which distributor (default: UNIFIEDPUSH_DISTRIBUTOR,
                            else the one used last, else the first by name).
      --state <file>        The state file (default: that of locwatch run).
      --distributors        List the distributors on this bus, and end.

    """

  static func main() {
    _ = signal(SIGPIPE, SIG_IGN)
    do {
      try run(Array(CommandLine.arguments.dropFirst()))
    } catch let error as Failure {
      complain("\(error)")
      exit(error.code.rawValue)
    } catch let error as MessageBus.Failure {
      let remedy = error.isAway ? "; \(MessageBus.Failure.sessionRemedy)" : ""
      let isTaken = error.code == EEXIST
      complain(
        isTaken
          ? "\(Connector.name) is taken: another locwatch-push runs" : "the session's bus: \(error)\(remedy)")
      exit(Failure.Code.unavailable.rawValue)
    } catch {
      complain("\(error)")
      exit(Failure.Code.software.rawValue)
    }
  }

  private static func run(_ arguments: [String]) throws {
    var wish = EnvironmentVariable.value("UNIFIEDPUSH_DISTRIBUTOR")
    var state: String?
    var rest = arguments[...]
    func value(of option: String) throws(Failure) -> String {
      guard let value = rest.popFirst() else {
        throw Failure(.usage, what: "\(option) needs a value", remedy: "give one after it")
      }
      return value
    }
    while let word = rest.popFirst() {
      switch word {
      case "--distributor": wish = try value(of: word)
      case "--state": state = try value(of: word)
      case "--distributors" where arguments.count == 1:
        let bus = try MessageBus(.session)
        let names = try Distributor.names(on: bus)
        return try OutputFile(path: "-").write(names.flatMap { Array("\($0)\n".utf8) })
      case "--help", "-h": return try OutputFile(path: "-").write(Array(help.utf8))
      case _: throw Failure(.usage, what: "\(word) is not known", remedy: "locwatch-push --help tells more")
      }
    }
    try Connector.run(state: try StatePath.resolve(option: state), wish: wish)
  }

  /// Writes a line to the log.
  static func complain(_ text: String) {
    try? OutputFile.standardError.write(Array("locwatch-push: \(text)\n".utf8))
  }
}

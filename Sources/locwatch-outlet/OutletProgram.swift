import Glibc
import LocationFormats

/// `locwatch-outlet`: speaks to the other side of one outlet. The daemon starts it, and nobody else has to.
///
/// It reads lines: first the outlet's settings, then events. It answers `{"accepted":ID}` for each event, in order, or
/// `{"failed":REASON}`, and then ends. It ends as well when its input does. With the argument `source` it is a
/// ``TopicReader`` instead.
@main enum OutletProgram {
  static func main() {
    _ = signal(SIGPIPE, SIG_IGN)
    if CommandLine.arguments.dropFirst() == ["source"], isatty(STDIN_FILENO) == 0 { return TopicReader.run() }
    if CommandLine.arguments.count > 1 || isatty(STDIN_FILENO) == 1 {
      print("locwatch-outlet is started by locwatch run; see: locwatch outlets --help")
      exit(CommandLine.arguments.contains("--help") ? 0 : Failure.Code.usage.rawValue)
    }
    do throws(SendFailure) {
      try serve()
    } catch {
      Answer.failed(error).say()
      exit(Failure.Code.unavailable.rawValue)
    }
  }

  private static func serve() throws(SendFailure) {
    var input = EventInput()
    guard let first = try input.next() else { return }
    guard let settings = try? ExactDecoder.value(OutletSettings.self, of: first) else {
      throw SendFailure("its settings are of another version of locwatch")
    }
    input.isReduced = settings.isReduced
    let secrets = try secrets(settings)
    switch settings.kind {
    case .webhook:
      var webhook = try Webhook(settings, secrets)
      while let line = try input.next(), !input.isAbandoned {
        try webhook.send(line)
        if let id = line["id"]?.integer { Answer.accepted(id).say() }
      }
    case .mqtt:
      guard let second = try input.next() else { return }
      guard let scene = try? ExactDecoder.value(OwnTracksOutlet.Scene.self, of: second)
      else { throw SendFailure("the regions are of another version of locwatch") }
      var broker = try Broker(settings, secrets, scene)
      Answer.connected.say()
      try broker.serve(&input)
    }
  }

  /// What an outlet keeps to itself.
  static func secrets(_ settings: OutletSettings) throws(SendFailure) -> OutletSecrets {
    guard let path = settings.secrets else { return OutletSecrets() }
    return try SendFailure.unasked { () throws(Failure) in try OutletSecrets(path: path) }
  }
}

/// What the daemon is told.
enum Answer {
  case accepted(Int)
  /// The other side is there, whether or not there is something to send.
  case connected
  /// What somebody asks of the daemon through the broker.
  case command(JSONTree)
  /// A push for a subscriber. The daemon says the number again when it has it: `{"taken":NUMBER}`.
  case push(JSONTree, number: UInt16)
  /// Something for the log that stops nothing.
  case note(String)
  case failed(SendFailure)

  func say() {
    let line: JSONTree =
      switch self {
      case .command(let tree): .object(["command": tree])
      case .push(let tree, let number): .object(["push": tree, "number": .integer(number)])
      case .connected: .object(["connected": .boolean(true)])
      case .note(let text): .object(["note": .string(text)])
      case .accepted(let id): .object(["accepted": .integer(id)])
      case .failed(let failure):
        .object([
          "failed": .string(failure.reason), "wait_s": failure.waitSeconds.map { .integer($0) },
          "attempt": failure.isAttempt ? nil : .boolean(false),
          "final": failure.isFinal ? .boolean(true) : nil,
        ])
      }
    // Where the daemon is gone, the next one begins where it was.
    DaemonPipes.write(Array((line.text + "\n").utf8))
  }
}

/// Why an event was not accepted. It has no secret in it.
struct SendFailure: Error {
  /// For people.
  var reason: String
  /// How long the other side asks to be left alone, seconds; nil where it does not say.
  var waitSeconds: Int?
  /// Whether the other side was asked. Nobody was where there is no network, or a file of ours is not right.
  var isAttempt = true
  /// Whether the other side wants no more events at all.
  var isFinal = false

  /// Whether the other side ended the connection without a word.
  var isBreak = false

  init(_ reason: String) { self.reason = reason }

  /// Something of ours is not right.
  init(unasked reason: String) {
    self.reason = reason
    isAttempt = false
  }

  /// Does work of our own. A failure of it does not count as an attempt.
  static func unasked<Value>(_ work: () throws(Failure) -> Value) throws(SendFailure) -> Value {
    do throws(Failure) { return try work() } catch { throw SendFailure(unasked: "\(error)") }
  }

  /// The other side ended the connection without a word.
  init(ending reason: String) {
    self.reason = reason
    isBreak = true
  }
}

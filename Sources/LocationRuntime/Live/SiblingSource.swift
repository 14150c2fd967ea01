import Glibc
import LocationFormats

/// Where fixes come from by way of a program beside this one: the daemon loads neither TLS nor a bus for them.
public enum SiblingSource: Hashable, Sendable, CustomStringConvertible {
  /// OwnTracks locations of another device: the broker as `mqtts://HOST:PORT`, the topic of the device, and the file
  /// with user and password.
  case mqtt(broker: String, topic: String, secrets: String?)
  /// GeoClue, on the system's bus.
  case geoclue

  /// Reads `mqtt:TOPIC`, for the broker of this machine, `mqtts://HOST:PORT/TOPIC` or `geoclue`; nil where the text
  /// begins otherwise.
  ///
  /// - Throws: code 64 where what follows makes no sense.
  init?(_ text: String) throws(Failure) {
    if text == "geoclue" {
      self = .geoclue
      return
    }
    func refuse(_ what: String) -> Failure {
      Failure(
        .usage, what: "\"\(text.prefix(100))\" is no source: \(what)",
        remedy: "write mqtt:owntracks/USER/DEVICE or mqtts://HOST/owntracks/USER/DEVICE")
    }
    guard text.hasPrefix("mqtt:") || text.hasPrefix("mqtts:") else { return nil }
    let (broker, topic): (String, Substring)
    if text.hasPrefix("mqtt://") || text.hasPrefix("mqtts://") {
      let address = try OutletAddress(text)
      guard address.isEncrypted || address.isLoopback else {
        throw refuse("positions and the password would travel in the clear without mqtts")
      }
      broker = "\(address.scheme)://\(address.authority)"
      topic = address.path.dropFirst()
    } else {
      guard text.hasPrefix("mqtt:") else { throw refuse("mqtts needs a host") }
      (broker, topic) = ("mqtt://localhost", text.dropFirst("mqtt:".count))
    }
    guard !topic.isEmpty else { throw refuse("it names no topic") }
    guard topic.utf8.count <= MQTTSession.mostTopicBytes else {
      throw refuse("a topic has at most \(MQTTSession.mostTopicBytes) bytes")
    }
    guard !topic.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || "+#".utf8.contains($0) }) else {
      throw refuse("a topic of one device has no white space, + or #")
    }
    self = .mqtt(broker: broker, topic: String(topic), secrets: nil)
  }

  /// As it is written on a command line, without the file of secrets.
  public var description: String {
    switch self {
    case .mqtt("mqtt://localhost", let topic, _): "mqtt:\(topic)"
    case .mqtt(let broker, let topic, _): "\(broker)/\(topic)"
    case .geoclue: "geoclue"
    }
  }

  /// The program and its arguments.
  private var command: [String] {
    switch self {
    case .mqtt: [SiblingProgram.path("locwatch-outlet") ?? "locwatch-outlet", "source"]
    case .geoclue: [SiblingProgram.path("locwatch-bus") ?? "locwatch-bus", "geoclue"]
    }
  }

  /// What the program is told first; nil for nothing.
  private var firstLine: String? {
    guard case .mqtt(let broker, let topic, let secrets) = self else { return nil }
    // A broker ends the older one of two connections of one name.
    var settings = OutletSettings(
      name: "source", kind: .mqtt, instance: String(UInt64.random(in: .min ... .max), radix: 16))
    settings.url = broker
    settings.topic = topic
    settings.secrets = secrets
    return try? ExactEncoder.tree(of: settings).text
  }

  /// Starts the program, and says on which socket it speaks as gpsd does: the caller closes that.
  ///
  /// - Throws: why it can't be started, in the system's words.
  func start(socket: inout Int32?) throws(GPSDTrouble) -> SourceProgram {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw GPSDTrouble.unreachable(SystemReason.text(errno))
    }
    let theirs = Descriptor(ends[1])
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    let environment = ServiceNotice.environmentForChildren()
    do throws(ProgramStart.Refusal) {
      let (pid, pidfd) = try ProgramStart.talk(over: theirs, command: command, environment: environment)
      socket = ends[0]
      // It fits into an empty buffer.
      if let firstLine {
        _ = unsafe Array((firstLine + "\n").utf8).withUnsafeBytes { unsafe SystemCall.sendBytes(ends[0], $0) }
      }
      return SourceProgram(pid: pid, pidfd: pidfd)
    } catch {
      close(ends[0])
      let reason = "\(command[0]) can't be started: \(error.text)"
      throw GPSDTrouble.unreachable(reason)
    }
  }
}

/// A helper that runs; it ends with its owner.
struct SourceProgram: ~Copyable {
  let pid: pid_t
  let pidfd: Descriptor

  /// How long a process that was killed may take, milliseconds.
  private static let endMilliseconds: Int32 = 5_000

  deinit {
    kill(pid, SIGKILL)
    _ = PollSet.wait(on: pidfd.number, atMost: Self.endMilliseconds)
    _ = ProgramStart.reap(pidfd)
  }
}

import Glibc
import LocationCore
import LocationFormats

/// A topic of a broker whose OwnTracks locations the daemon takes for fixes: `locwatch-outlet source`.
///
/// It says what comes in gpsd's words and those of the minimal form: a VERSION once the topic is being read, each
/// location on a line, and an ERROR before it ends. It ends with the daemon or with the connection.
struct TopicReader {
  private var link: BrokerLink
  private let topic: String
  /// Whether the log was told that something else than locations comes.
  private var hasTold = false

  /// The longest payload: far above a location.
  private static let payloadBytes = 65_536

  /// Reads the settings, and then the topic until either side is gone.
  static func run() {
    var input = EventInput()
    do throws(SendFailure) {
      guard let first = try input.next() else { return }
      guard let settings = try? ExactDecoder.value(OutletSettings.self, of: first), let topic = settings.topic
      else { throw SendFailure("its settings are of another version of locwatch") }
      var reader = try TopicReader(settings, OutletProgram.secrets(settings), topic)
      try reader.serve()
    } catch {
      DaemonPipes.write(
        JSONLine.line {
          $0.member("class", "ERROR")
          $0.member("message", error.reason)
        })
      exit(Failure.Code.unavailable.rawValue)
    }
  }

  /// Subscribes. What came while nobody read would be too old for a fix, so the session is not kept.
  private init(_ settings: OutletSettings, _ secrets: OutletSecrets, _ topic: String) throws(SendFailure) {
    let options = MQTTSession.Options(client: "locwatch-\(settings.instance)-\(settings.name)")
    link = try BrokerLink(settings, secrets, options)
    self.topic = topic
    link.subscribe([topic])
    try link.flush()
    DaemonPipes.write(
      JSONLine.line {
        $0.member("class", "VERSION")
        $0.member("release", "OwnTracks at \(topic)")
      })
  }

  /// Hands on locations until the daemon is gone. Each is acknowledged once the daemon has it.
  private mutating func serve() throws(SendFailure) {
    while true {
      let (events, hasNews) = try link.wait(withDaemon: true)
      for event in events {
        switch event {
        case .message(let message, let number):
          if message.topic == topic, message.payload.count <= Self.payloadBytes { hand(on: message.payload) }
          if let number { link.acknowledge(number) }
        case .tooLarge(_, _, let number): if let number { link.acknowledge(number) }
        case .connected, .published, .alive: break
        }
      }
      // What the daemon asks says nothing new.
      if hasNews, DaemonPipes.read() == nil { return }
    }
  }

  /// Passes on what is a location; whatever else is published there says nothing of gpsd's.
  private mutating func hand(on payload: [UInt8]) {
    let line = payload.map { $0 < 0x20 ? UInt8(ascii: " ") : $0 }
    switch FixLine(line.span, assumeAccuracyMeters: nil) {
    case .fix: DaemonPipes.write(line + [UInt8(ascii: "\n")])
    case .malformed(let reason) where !payload.isEmpty: tell("what comes is no OwnTracks: \(reason)")
    case .other where (try? JSONTree(payload))?["_type"] == .string("encrypted"):
      tell("what comes is encrypted; remove the encryption key from the app's settings")
    case .other, .gpsd, .malformed: break
    }
  }

  /// Logs what comes instead of locations, once.
  private mutating func tell(_ what: String) {
    guard !hasTold else { return }
    hasTold = true
    try? OutputFile.standardError.write(Array("locwatch: \(topic): \(what)\n".utf8))
  }
}

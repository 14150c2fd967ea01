import ArgumentParser
import Glibc
import LocationCore
import LocationFleet
import LocationFormats
import Synchronization

/// Whether the worker was asked to stop.
private let isStopping = Atomic<Bool>(false)

/// `locwatch-fleet worker`: turns fixes into events.
struct WorkerCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker",
    abstract: "Turn the fixes of some partitions into events, until SIGTERM.",
    discussion: """
      Start as many as there is work for, on as many machines: each takes its share
      of the partitions, and those of one that dies go to the others. One uses one
      core. Its log goes to standard error, so run it under systemd.

        locwatch-fleet worker
        locwatch-fleet worker --server nats://a:4222,nats://b:4222 --devices 500000
      """)

  @Option(
    help: ArgumentHelp(
      "Its name among the workers, of letters, digits, - and _ (default: host and process id).",
      valueName: "name"))
  var name: String?

  @Option(
    help: ArgumentHelp("The most devices in memory; others wait in the key-value store.", valueName: "n"))
  var devices = 200_000

  @Option(help: ArgumentHelp("Time from one checkpoint to the next.", valueName: "seconds"))
  var checkpoint = 10.0

  @OptionGroup var cluster: ClusterOptions

  func validate() throws {
    if devices < 1 { throw ValidationError("--devices needs a whole number of at least 1") }
    if !(checkpoint >= 0.1 && checkpoint <= 3_600) {
      throw ValidationError("--checkpoint needs 0.1 to 3600 seconds")
    }
    if let name, name.isEmpty || !name.allSatisfy(Self.isNameable) {
      throw ValidationError("--name has letters, digits, - and _ only")
    }
  }

  func perform() throws(Failure) {
    let name = name ?? Self.ownName
    var options = WorkerOptions(name: name)
    options.deviceLimit = devices
    options.checkpointSeconds = checkpoint
    for number in [SIGTERM, SIGINT] {
      _ = signal(number) { number in
        // Whoever asks twice does not wait for the servers.
        guard isStopping.exchange(true, ordering: .relaxed) else { return }
        _ = signal(number, SIG_DFL)
        raise(number)
      }
    }
    _ = signal(SIGPIPE, SIG_IGN)
    let worker = try Worker(
      options, try cluster.connect(as: name), configuration: EngineConfiguration.standard
    ) { Console.note("worker \(name): \($0)") }
    try worker.run { isStopping.load(ordering: .relaxed) }
  }

  private static var ownName: String {
    var bytes = [CChar](repeating: 0, count: 256)
    let isKnown = unsafe gethostname(&bytes, bytes.count - 1) == 0
    let text = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let host = isKnown ? text.filter(isNameable) : ""
    return "\(host.isEmpty ? "worker" : host)-\(getpid())"
  }

  /// Whether it may stand in a name, which becomes a key of the store and a label of the metrics.
  private static func isNameable(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || character == "-" || character == "_")
  }
}

import ArgumentParser
import Glibc
import LocationFleet
import LocationFormats

/// The entry point. What is wrong with the arguments is told in one line, as any other error.
@main enum Entry {
  static func main() {
    InheritedSignals.tellOfChildren()
    InheritedSignals.failWritesBeyondLimits()
    do {
      var command = try FleetProgram.parseAsRoot()
      try command.run()
    } catch {
      if !(error is ExitCode), FleetProgram.exitCode(for: error) == .success { tell(error) }
      guard !(error is ExitCode), FleetProgram.exitCode(for: error) == .validationFailure else {
        FleetProgram.exit(withError: error)
      }
      let text = FleetProgram.message(for: error).split(whereSeparator: \.isNewline).joined(separator: " ")
      // The parser alone knows which command it is about.
      let command = FleetProgram.fullMessage(for: error).firstMatch(of: /See '(.*)' for/)?.1
      let what = text.prefix(1).lowercased() + text.dropFirst()
      Console.note("\(what); see \(command ?? "locwatch-fleet --help")")
      FleetProgram.exit(withError: ExitCode(Failure.Code.usage.rawValue))
    }
  }

  /// Prints help or a version. The parser would not look at whether it arrives.
  private static func tell(_ error: any Error) -> Never {
    let text = FleetProgram.fullMessage(for: error) + "\n"
    do {
      try Console.reporting { () throws(Failure) in try Console.print(text) }
    } catch {
      FleetProgram.exit(withError: error)
    }
    FleetProgram.exit()
  }
}

/// `locwatch-fleet`: many devices on a cluster of nats-servers. `locwatch fleet` starts it.
struct FleetProgram: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "locwatch-fleet",
    abstract: "Location events for fleets of devices, on NATS JetStream.",
    discussion: """
      Devices publish OwnTracks JSON over MQTT or NATS. Workers turn it into the
      events that locwatch replay finds in the same tracks. Docs/Fleet.md has the
      servers' configuration. NATS_URL, NATS_CREDS, NATS_CA, NATS_CERT and
      NATS_KEY stand in for --server, --creds, --authority, --certificate and --key.

        locwatch-fleet init --partitions 16 --replicas 3
        locwatch-fleet regions import places.geojson
        locwatch-fleet worker
        locwatch-fleet status
        locwatch-fleet device alice/phone
      """,
    version: ProgramVersion.text,
    subcommands: [
      InitCommand.self, WorkerCommand.self, StatusCommand.self, MetricsCommand.self, RegionsCommand.self,
      DevicesCommand.self, DeviceCommand.self, EventsCommand.self, ReplayCommand.self, ExplainCommand.self,
      SimulateCommand.self,
    ])
}

/// A command whose failure is printed in one line, and ends the program with its exit status.
protocol ReportingCommand: ParsableCommand {
  /// Does what the command is for.
  func perform() throws(Failure)
}

extension ReportingCommand {
  func run() throws { try Console.reporting(perform) }
}

/// What a command prints.
struct FormatOptions: ParsableArguments {
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, ndjson
  }

  @Option(help: "text or ndjson.")
  var format = Format.text

  @Flag(help: "The same as --format ndjson.")
  var json = false

  var isJSON: Bool { json || format == .ndjson }
}

/// How to reach the cluster.
struct ClusterOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "nats-servers, with commas between them; tls:// encrypts (default: NATS_URL, or nats://127.0.0.1:4222).",
      valueName: "url"))
  var server: String?

  @Option(
    help: ArgumentHelp("A file of credentials, as nsc makes it (default: NATS_CREDS).", valueName: "file"))
  var creds: String?

  @Option(
    help: ArgumentHelp(
      "Certificate authorities to trust, PEM (default: NATS_CA, or the system's).", valueName: "file"))
  var authority: String?

  @Option(help: ArgumentHelp("Our certificate, PEM (default: NATS_CERT).", valueName: "file"))
  var certificate: String?

  @Option(help: ArgumentHelp("The key of our certificate, PEM (default: NATS_KEY).", valueName: "file"))
  var key: String?

  func connect(as name: String) throws(Failure) -> NATSConnection {
    var options = NATSConnection.Options(
      servers: server ?? EnvironmentVariable.value("NATS_URL") ?? "nats://127.0.0.1:4222",
      credentials: creds ?? EnvironmentVariable.value("NATS_CREDS"), name: name)
    options.authority = authority ?? EnvironmentVariable.value("NATS_CA")
    options.certificate = certificate ?? EnvironmentVariable.value("NATS_CERT")
    options.key = key ?? EnvironmentVariable.value("NATS_KEY")
    let connection = try NATSConnection(options)
    connection.log = Console.note
    return connection
  }

  func layout() throws(Failure) -> FleetLayout { try FleetLayout(try connect(as: "locwatch-fleet")) }
}

/// The standard streams.
enum Console {
  static func print(_ text: String) throws(Failure) { try write(Array(text.utf8)) }

  static func printLine(_ bytes: [UInt8]) throws(Failure) { try write(bytes + [UInt8(ascii: "\n")]) }

  /// Ends the program as a signal would where standard output is a pipe that nobody reads any more: the NATS library
  /// has that signal ignored.
  private static func write(_ bytes: [UInt8]) throws(Failure) {
    do throws(Failure) {
      try OutputFile(path: "-").write(bytes)
    } catch {
      var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      if unsafe poll(&output, 1, 0) == 1, Int32(output.revents) & POLLERR != 0 {
        _ = signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
      }
      throw error
    }
  }

  /// A line of a worker's log, or a word about what was done.
  static func note(_ text: String) {
    do throws(Failure) {
      try OutputFile.standardError.write(Array("locwatch-fleet: \(text)\n".utf8))
    } catch {
      // Nobody reads it.
    }
  }

  /// Runs a command; a failure ends the program with one line and its exit status.
  static func reporting(_ body: () throws(Failure) -> Void) throws {
    do throws(Failure) {
      try body()
    } catch {
      note("\(error)")
      throw ExitCode(error.code.rawValue)
    }
  }
}

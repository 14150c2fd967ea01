import Glibc
import LocationBus
import LocationFormats

/// `locwatch-bus`: what needs a D-Bus bus, in a process of its own so that the daemon stays small.
///
/// `locwatch-bus geoclue` is started by the daemon and says on its standard output what GeoClue finds.
/// `locwatch-bus serve [--session] [--state FILE]` offers the interface of Docs/DBus.md.
@main enum BusMain {
  private static let help = """
    USAGE: locwatch-bus serve [--session] [--state <file>]

    Offers the daemon on D-Bus as locwatch.Daemon1: status, events, regions.
    Docs/DBus.md describes it.

      --session       The bus of the user's session instead of the machine's.
      --state <file>  The state file (default: that of locwatch run).

    locwatch run starts locwatch-bus geoclue for --source geoclue.

    """

  static func main() {
    _ = signal(SIGPIPE, SIG_IGN)
    let arguments = Array(CommandLine.arguments.dropFirst())
    do throws(Failure) {
      switch arguments.first {
      case "geoclue" where arguments.count == 1: GeoClueSource.run()
      case "serve" where arguments.contains("--help") || arguments.contains("-h"):
        try OutputFile(path: "-").write(Array(help.utf8))
      case "serve": try BusInterface.run(Array(arguments.dropFirst()))
      case "--help", "-h": try OutputFile(path: "-").write(Array(help.utf8))
      case _: throw Failure(.usage, what: "say what to do", remedy: "locwatch-bus --help tells more")
      }
    } catch {
      try? OutputFile.standardError.write(Array("locwatch-bus: \(error)\n".utf8))
      exit(error.code.rawValue)
    }
  }
}

import ArgumentParser
import LocationFleet
import LocationFormats

/// `locwatch-fleet status`.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the workers, how far they are behind, devices and regions.",
    discussion: """
      Exits with 1 if a partition has no worker.

        locwatch-fleet status
        locwatch-fleet status --json | jq '.workers[].lags'
      """)

  @OptionGroup var output: FormatOptions
  @OptionGroup var cluster: ClusterOptions

  func run() throws {
    var hasOrphans = false
    try Console.reporting { () throws(Failure) in
      let status = try FleetStatus(try cluster.layout())
      hasOrphans = !status.orphans.isEmpty
      try Console.print(output.isJSON ? status.json + "\n" : status.text)
    }
    if hasOrphans { throw ExitCode(Failure.Code.conditionFails.rawValue) }
  }
}

/// `locwatch-fleet metrics`.
struct MetricsCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics", abstract: "Print metrics of the whole fleet for Prometheus; no positions.",
    discussion: """
      For node_exporter's textfile collector, from a systemd timer on any machine.
      Where the servers do not answer, the file before stays, and its age tells.
      Examples/grafana/locwatch-fleet.json is a dashboard of them.

        locwatch-fleet metrics > fleet.tmp &&
          mv fleet.tmp /var/lib/node_exporter/textfile/fleet.prom
      """)

  @OptionGroup var cluster: ClusterOptions

  func perform() throws(Failure) {
    try Console.print(try FleetStatus(try cluster.layout()).metrics)
  }
}

/// `locwatch-fleet devices`.
struct DevicesCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List the devices of which messages are kept, and how many.")

  @OptionGroup var output: FormatOptions
  @OptionGroup var cluster: ClusterOptions

  func perform() throws(Failure) {
    let layout = try cluster.layout()
    for (device, count) in try layout.devicesHeard() {
      let object = JSONTree.object(["device": .string(device), "messages": .integer(count)])
      try Console.print(output.isJSON ? object.text + "\n" : "\(device)\t\(count)\n")
    }
  }
}

/// `locwatch-fleet device`.
struct DeviceCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "Show one device: its last fix, the regions that it is in, its place.",
    discussion: """
      From the snapshot of its worker and the fixes that came since.

        locwatch-fleet device alice/phone
      """)

  @Argument(help: ArgumentHelp("User and device, as in its MQTT topic.", valueName: "user/device"))
  var device: String

  @OptionGroup var output: FormatOptions
  @OptionGroup var cluster: ClusterOptions

  func perform() throws(Failure) {
    let report = try DeviceReport(device, try cluster.layout())
    try Console.print(output.isJSON ? report.json + "\n" : report.text)
  }
}

/// `locwatch-fleet events`.
struct EventsCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "events", abstract: "Print the events that are kept, or with --follow those that come.")

  @Flag(help: "Print events as they come, until Ctrl-C.")
  var follow = false

  @OptionGroup var cluster: ClusterOptions

  func perform() throws(Failure) {
    let events = EventFollower(try cluster.layout())
    if follow {
      try events.follow { line throws(Failure) in try Console.printLine(line) }
    } else {
      try events.all { line throws(Failure) in try Console.printLine(line) }
    }
  }
}

/// `locwatch-fleet replay`.
struct ReplayCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay the fixes of a device that the stream still has, on this machine.",
    discussion: """
      With the regions that held at each fix. --fixes prints the fixes instead,
      which locwatch replay and locwatch explain --track take.

        locwatch-fleet replay alice/phone
        locwatch-fleet replay alice/phone --fixes > alice.ndjson
      """)

  @Argument(help: ArgumentHelp("User and device, as in its MQTT topic.", valueName: "user/device"))
  var device: String

  @Flag(help: "Print the fixes as they were published.")
  var fixes = false

  @OptionGroup var cluster: ClusterOptions

  func perform() throws(Failure) {
    let history = try DeviceHistory(device, try cluster.layout())
    let print: ([UInt8]) throws(Failure) -> Void = { line throws(Failure) in try Console.printLine(line) }
    if fixes {
      try history.fixes(print)
    } else {
      try history.replay(print)
    }
  }
}

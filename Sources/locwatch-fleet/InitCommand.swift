import ArgumentParser
import LocationCore
import LocationFleet
import LocationFormats

/// `locwatch-fleet init`: makes the streams and stores.
struct InitCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Make the streams and key-value stores of a fleet, or change how long they keep things.",
    discussion: """
      The number of partitions is fixed when a fleet is made: it is the most workers
      that can share the work. --print-mapping shows what the servers' configuration
      needs, inside the account of the tenant, so that they can tell the partition of
      a device. An option that is not given changes nothing in a fleet that exists.

        locwatch-fleet init --print-mapping --partitions 16
        locwatch-fleet init --partitions 16 --replicas 3
      """)

  @Option(help: "How many partitions; 16 for a new fleet.")
  var partitions: Int?

  @Option(help: "How many servers keep each message: 1, 3 or 5; 1 for a new fleet.")
  var replicas: Int?

  @Option(help: ArgumentHelp("How long fixes are kept; 7 for a new fleet.", valueName: "days"))
  var fixDays: Double?

  @Option(help: ArgumentHelp("How long events are kept; 30 for a new fleet.", valueName: "days"))
  var eventDays: Double?

  @Option(
    help: ArgumentHelp(
      "After how long without a sign of life a worker's partitions are another's; 10 for a new fleet.",
      valueName: "seconds"))
  var lease: Double?

  @Flag(help: "Only print the mapping of subjects for the servers' configuration.")
  var printMapping = false

  @OptionGroup var cluster: ClusterOptions

  /// The settings of a fleet, or those of a new one, with the options that are given.
  private func settings(from present: FleetLayout.Settings?) -> FleetLayout.Settings {
    var settings = present ?? FleetLayout.Settings()
    settings.partitions = partitions ?? settings.partitions
    settings.replicas = replicas ?? settings.replicas
    settings.fixDays = fixDays ?? settings.fixDays
    settings.eventDays = eventDays ?? settings.eventDays
    settings.leaseSeconds = lease ?? settings.leaseSeconds
    return settings
  }

  func validate() throws {
    let settings = settings(from: nil)
    if !(1...1_024).contains(settings.partitions) { throw ValidationError("--partitions needs 1 to 1024") }
    if ![1, 3, 5].contains(settings.replicas) { throw ValidationError("--replicas needs 1, 3 or 5") }
    if ![settings.fixDays, settings.eventDays].allSatisfy({ $0 > 0 && $0 <= 36_500 }) {
      throw ValidationError("--fix-days and --event-days need a number above 0, to 36500")
    }
    if !(settings.leaseSeconds >= 1 && settings.leaseSeconds <= 600) {
      throw ValidationError("--lease needs 1 to 600 seconds")
    }
  }

  func perform() throws(Failure) {
    if printMapping {
      return try Console.print(FleetLayout.mapping(partitions: settings(from: nil).partitions) + "\n")
    }
    let layout = try cluster.layout()
    try layout.checkNames()
    let earlier = try layout.earlierSettings()
    let settings = settings(from: earlier)
    // Before the mapping is found to be that of another number.
    try settings.requireNumber(of: earlier)
    try layout.checkMapping(partitions: settings.partitions)
    try layout.ensure(settings)
    let parts = Wording.count(settings.partitions, "partition")
    try Console.print("a fleet of \(parts), each message on \(Wording.count(settings.replicas, "server"))\n")
  }
}

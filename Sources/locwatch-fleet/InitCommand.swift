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
      needs, inside the account of the tenant, so that they can tell the partition of a
      device.

        locwatch-fleet init --print-mapping --partitions 16
        locwatch-fleet init --partitions 16 --replicas 3
      """)

  @Option(help: "How many partitions.")
  var partitions = 16

  @Option(help: "How many servers keep each message: 1, 3 or 5.")
  var replicas = 1

  @Option(help: ArgumentHelp("How long fixes are kept.", valueName: "days"))
  var fixDays = 7.0

  @Option(help: ArgumentHelp("How long events are kept.", valueName: "days"))
  var eventDays = 30.0

  @Option(
    help: ArgumentHelp(
      "After how long without a sign of life a worker's partitions are another's.", valueName: "seconds"))
  var lease = 10.0

  @Flag(help: "Only print the mapping of subjects for the servers' configuration.")
  var printMapping = false

  @OptionGroup var cluster: ClusterOptions

  func validate() throws {
    if !(1...1_024).contains(partitions) { throw ValidationError("--partitions needs 1 to 1024") }
    if ![1, 3, 5].contains(replicas) { throw ValidationError("--replicas needs 1, 3 or 5") }
    if !(fixDays > 0 && fixDays <= 36_500 && eventDays > 0 && eventDays <= 36_500) {
      throw ValidationError("--fix-days and --event-days need a number above 0, to 36500")
    }
    if !(lease >= 1 && lease <= 600) { throw ValidationError("--lease needs 1 to 600 seconds") }
  }

  func perform() throws(Failure) {
    if printMapping { return try Console.print(FleetLayout.mapping(partitions: partitions) + "\n") }
    var settings = FleetLayout.Settings()
    settings.partitions = partitions
    settings.replicas = replicas
    settings.fixDays = fixDays
    settings.eventDays = eventDays
    settings.leaseSeconds = lease
    let layout = try cluster.layout()
    try layout.checkNames()
    try layout.checkMapping(partitions: partitions)
    try layout.ensure(settings)
    let parts = Wording.count(partitions, "partition")
    try Console.print("a fleet of \(parts), each message on \(Wording.count(replicas, "server"))\n")
  }
}

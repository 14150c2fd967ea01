import ArgumentParser
import Glibc
import LocationCore
import LocationFleet
import LocationFormats

/// `locwatch-fleet simulate`: devices that do not exist.
struct SimulateCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Publish the fixes of devices that do not exist, to try and to measure.",
    discussion: """
      A third of them rest, a third walk and a third drive and stop, around one city.
      The same seed gives the same fixes. --write puts them in a file for locwatch
      replay --batch, and --regions writes circles that they pass; with neither, they
      are published.

        locwatch-fleet simulate --devices 100 --seconds 600 --rate 500
        locwatch-fleet simulate --devices 100 --seconds 600 --write fixes.ndjson
        locwatch-fleet simulate --regions places.geojson --count 200
      """)

  @Option(help: "How many devices.")
  var devices = 100

  @Option(help: "How many seconds of their lives.")
  var seconds = 600

  @Option(help: ArgumentHelp("Seconds from one fix of a device to the next.", valueName: "seconds"))
  var interval = 10

  @Option(
    help: ArgumentHelp("Fixes published in a second; 0 for as many as the cluster takes.", valueName: "n"))
  var rate = 0.0

  @Option(help: "Another number, other tracks.")
  var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp("Unix time of the first fix (default: so that the last is now).", valueName: "seconds")
  )
  var start: Int?

  @Option(help: ArgumentHelp("Write the fixes to a file instead.", valueName: "file"), completion: .file())
  var write: String?

  @Option(help: ArgumentHelp("Write regions to a new file instead.", valueName: "file"), completion: .file())
  var regions: String?

  @Option(help: "How many regions.")
  var count = 200

  @Option(help: ArgumentHelp("The square in which devices and regions lie.", valueName: "kilometres"))
  var area = 13.0

  @OptionGroup var cluster: ClusterOptions

  func validate() throws {
    if devices < 1 || seconds < 1 || interval < 1 || count < 1 || !(0.1...1_000).contains(area) {
      throw ValidationError(
        "--devices, --seconds, --interval and --count need a whole number of at least 1, --area 0.1 to 1000")
    }
    if max(devices, count) > 10_000_000 || max(seconds, interval) > 1_000_000_000 {
      throw ValidationError(
        "--devices and --count are at most 10000000, --seconds and --interval at most 1000000000")
    }
    if let start, start > 253_402_300_799 { throw ValidationError("--start is before the year 10000") }
    if !(rate >= 0) || start.map({ $0 < 0 }) == true {
      throw ValidationError("--rate and --start need a number of at least 0")
    }
  }

  func perform() throws(Failure) {
    if let regions {
      // Elsewhere --regions names a file to read.
      guard unsafe regions == "-" || access(regions, F_OK) != 0 else {
        throw Failure(
          .cantCreate, file: regions, what: "is there already", remedy: "name another file, or remove it")
      }
      try OutputFile(path: regions).write(
        Array(SimulatedFleet.regions(count: count, seed: seed, areaMeters: area * 1_000).utf8))
      guard write != nil else { return }
    }
    let start = start ?? Int(FleetClock.wall) - seconds
    var fleet = SimulatedFleet(
      devices: devices, seed: seed, start: start, intervalSeconds: interval, areaMeters: area * 1_000)
    let steps = max(1, seconds / interval)
    if let write {
      try fleet.write(steps: steps, to: try OutputFile(path: write))
    } else {
      let layout = try cluster.layout()
      try layout.checkMapping(partitions: try layout.settings().partitions)
      let count = try fleet.publish(steps: steps, rate: rate, to: layout)
      try Console.print("\(Wording.count(count)) fixes of \(Wording.count(devices)) devices published\n")
    }
  }
}

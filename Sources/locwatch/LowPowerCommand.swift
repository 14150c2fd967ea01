import ArgumentParser
import LocationFormats
import LocationRuntime

/// `locwatch low-power`: whether the machine is in low-power mode.
struct LowPowerCommand: AsyncParsableCommand {
  enum Mode: String, ExpressibleByArgument, CaseIterable {
    case on, off
  }

  static let configuration = CommandConfiguration(
    commandName: "low-power",
    abstract: "Save energy on the move too, or no longer; or tell which.",
    discussion: """
      In low-power mode adaptive sampling asks for a fix no more often than at rest.
      No visit to a region is missed for it; exits and significant changes are told
      up to sampling.rest_s later. It holds until it is said otherwise, through the
      daemon's ends and reboots. Examples/systemd has units that follow the mains.

        locwatch low-power on
        locwatch low-power off
        locwatch low-power
        locwatch low-power --json | jq .low_power
        locwatch run --sampling adaptive
      """)

  @Argument(help: "on or off (default: tell which it is).")
  var mode: Mode?

  @Flag(help: "One JSON object; the same as --format ndjson.")
  var json = false

  @OptionGroup var format: RegionsFormatOptions
  @OptionGroup var state: StateOptions

  func validate() throws {
    if json, format.format == .text { throw ValidationError("--json and --format text exclude each other") }
  }

  func run() async throws {
    try Terminal.reporting { () throws(Failure) in
      let report = try state.seat().lowPower(mode.map { $0 == .on })
      let isText = !json && RegionsFormat.or(format.format) == .text
      try Terminal.print(isText ? report.text : report.tree.text + "\n")
    }
  }
}

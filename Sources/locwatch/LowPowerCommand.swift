import ArgumentParser
import LocationFormats
import LocationRuntime

/// `locwatch low-power`: whether the machine is in low-power mode.
struct LowPowerCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "low-power",
    abstract: "Switch low-power mode on or off, or show it.",
    discussion: """
      In low-power mode adaptive sampling asks for fixes no more often than at rest.
      It misses no visit to a region; exits and significant changes are reported up
      to sampling.rest_s later. The mode persists across restarts and reboots until
      you change it. Examples/systemd has units that follow the mains.

        locwatch low-power on
        locwatch low-power off
        locwatch low-power
        locwatch low-power --json | jq .low_power
        locwatch run --sampling adaptive
      """)

  @Argument(help: "on or off (default: show the mode).")
  var mode: OnOrOff?

  @Flag(help: "One JSON object; the same as --format ndjson.")
  var json = false

  @OptionGroup var format: OutputFormatOptions
  @OptionGroup var state: StateOptions

  func validate() throws {
    if json, format.format == .text { throw ValidationError("--json and --format text exclude each other") }
  }

  func perform() throws(Failure) {
    let report = try state.seat().lowPower(mode.map { $0 == .on })
    let isText = !json && OutputFormat.or(format.format) == .text
    try Terminal.print(isText ? report.text : report.tree.text + "\n")
  }
}

/// A word that the user says.
enum OnOrOff: String, ExpressibleByArgument, CaseIterable {
  case on, off
}

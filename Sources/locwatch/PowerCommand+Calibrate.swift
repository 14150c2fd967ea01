import ArgumentParser
import LocationCore
import LocationFormats
import LocationLab
import LocationRuntime

extension PowerCommand {
  /// `locwatch power calibrate`.
  struct Calibrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Fit a profile to what a meter read while the device did what the blocks say.",
      discussion: """
        The log is snapshots of /sys/class/power_supply (a folder, or uevent files), what upower -d prints, a RAPL
        counter, an INA2xx or a USB meter. What the blocks can't tell apart keeps the spread it had.

          locwatch power plan rpi4-ublox-m8 --step-j 13.7          # how long each block must be
          locwatch power calibrate blocks.yaml --log ina226.csv -o my-pi.yaml

        Docs/Power.md has the formats.
        """)

    @Argument(help: "What the device did, and when: YAML.")
    var blocks: String

    @Option(help: ArgumentHelp("The meter's log.", valueName: "file|folder"))
    var log: String

    @Option(help: "power_supply, upower, rapl, ina2xx or usb_meter (default: told by the content).")
    var meter: MeterStream.Kind?

    @Option(name: .shortAndLong, help: "The profile to write; - is standard output.")
    var output: String

    func run() async throws {
      do throws(Failure) {
        try calibrate()
      } catch {
        throw Terminal.exit(for: error)
      }
    }

    private func calibrate() throws(Failure) {
      let file = try CalibrationFile(path: blocks)
      let log = try MeterLog(path: log, kind: meter, shuntMicroohms: file.shuntMicroohms)
      let (windows, notes) = file.windows(in: log.stream)
      let calibration = try PowerCalibration(file.before, windows: windows)
      let profile = calibration.profile(
        name: file.name, about: file.about, note: file.note(calibration, log: log.identity),
        meterSpread: log.stream.meterSpread)
      let written = try OutputFile(path: output)
      try written.write(Array(PowerProfileText.yaml(profile).utf8))
      let report = CalibrationReport.text(calibration, profile, notes: log.stream.notes + notes)
      if output == "-" {
        try OutputFile.standardError.write(Array(report.utf8))
      } else {
        print(report, terminator: "")
      }
    }
  }

  /// `locwatch power plan`.
  struct Plan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "How long the blocks of a calibration must be for a meter's resolution.")

    @Argument(help: ArgumentHelp("The profile to begin with.", valueName: "name|file"))
    var profile: String

    @Option(
      help: ArgumentHelp(
        "The meter's smallest step in joules: 1 % of a 3000 mAh battery is 410, 1 mAh is 13.7, 1 mWh is 3.6.",
        valueName: "joules"))
    var stepJ: Double

    @Option(help: ArgumentHelp("The error allowed.", valueName: "share"))
    var error: Double = 0.1

    func validate() throws {
      guard stepJ > 0, stepJ.isFinite else { throw ValidationError("--step-j takes joules above 0") }
      guard error > 0, error < 1 else { throw ValidationError("--error takes a share between 0 and 1") }
    }

    func run() async throws {
      do throws(Failure) {
        print(
          CalibrationReport.plan(try PowerProfileFile.find(profile), stepJoules: stepJ, error: error),
          terminator: "")
      } catch {
        throw Terminal.exit(for: error)
      }
    }
  }
}

extension MeterStream.Kind: ExpressibleByArgument {}

import ArgumentParser
import LocationCore
import LocationFormats
import LocationLab
import LocationRuntime

/// `locwatch synth`: writes a track from waypoints, speeds, stops and noise.
struct Synth: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "synth",
    abstract: "Make a track from waypoints, speeds, stops and noise, for tests without driving.",
    discussion: """
      The same scenario and seed give the same bytes. A scenario is a YAML file:

        start: 2026-05-04T06:30:00Z
        interval_s: 1                      # a fix a second
        seed: 7
        noise: {sigma_m: 5, tau_s: 60}     # 5 m along each axis, slowly drifting
        by: car                            # walk, bicycle, car, train, ferry
        places: {home: [52.5163, 13.3777], work: [52.5251, 13.3694]}
        steps:
          - at: home
          - {stop_s: 120, signal: lost}    # two minutes in the garage
          - along: [[52.5175, 13.3766], [52.5230, 13.3770]]
            speed_mps: 11
          - to: work                       # slows down for corners and to arrive
          - stop_s: 300

        locwatch synth commute.synth.yaml -o commute.gpx
        locwatch synth commute.synth.yaml --seed 8 -o - | locwatch replay -
        locwatch synth commute.synth.yaml -o commute.nmea    # for gpsfake

      Docs/Synth.md describes every key; Tracks/ has scenarios to start from.
      """)

  @Argument(help: "The scenario, YAML; - is standard input.", completion: .file())
  var scenario: String

  @Option(
    name: .shortAndLong,
    help: "The file to write; the suffix .gpx, .ndjson or .nmea sets the format; - is standard output.",
    completion: .file())
  var output: String

  @Option(help: "The format, if the suffix does not set it (default for -: gpx).")
  var format: SynthFormat?

  @Option(help: "Replaces the seed of the scenario, and so the noise: a number from 0.")
  var seed: UInt64?

  func perform() throws(Failure) {
    guard let format = format ?? (output == "-" ? .gpx : SynthFormat(fileName: output)) else {
      throw Failure(
        .usage, file: output, what: "the suffix does not set a format",
        remedy: "name it .gpx, .ndjson or .nmea, or give --format")
    }
    try OutputFile.refuse(output, sameAs: [scenario])
    let (name, bytes) = try StrictYAML.bytes(ofFile: scenario)
    let scenario = try SynthScenario(yaml: bytes, file: name)
    if format == .nmea { try NMEAText.refuseUndated(scenario, file: name) }
    var text = SynthText(scenario, seed: seed, as: format)
    let file = try OutputFile(path: output)
    try text.write { piece throws(Failure) in try file.write(piece) }
    guard text.fixCount > 0 else {
      throw Failure(
        .data, file: name, what: "its gaps leave no fix", remedy: "let the steps take longer than the gaps")
    }
    guard output != "-" else { return }
    let (seconds, meters) = (Int(text.motion.seconds), Int(text.motion.meters))
    try Terminal.print(
      "\(output): \(Wording.count(text.fixCount, "fix", plural: "fixes")), \(seconds) s, \(meters) m\n")
  }
}

extension SynthFormat: ExpressibleByArgument {}

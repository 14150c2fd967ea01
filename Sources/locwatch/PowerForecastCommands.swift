import ArgumentParser
import LocationCore
import LocationFormats
import LocationLab
import LocationRuntime

extension PowerCommand {
  /// `locwatch power predict`.
  struct Predict: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "predict",
      abstract: "Predict what a track or a schedule uses, with the interval that holds it.",
      discussion: """
        A schedule is the file of power calibrate (.yaml): blocks of time and what the
        device does in them. A track is replayed as locwatch replay does. The energy is
        that of the whole device.

          locwatch power predict drive.gpx --profile my-pi.yaml --sampling adaptive
          locwatch power predict blocks.yaml --profile my-pi.yaml
        """)

    @OptionGroup var source: ForecastOptions

    func perform() throws(Failure) {
      let forecast = try source.forecast(begins: 0)
      try Terminal.print(source.output.isJSON ? forecast.json : forecast.text)
    }
  }

  /// `locwatch power validate`.
  struct Validate: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "validate",
      abstract: "Hold a prediction against a meter's log.",
      discussion: """
        The log is one of those that power calibrate reads. Validate with times that
        the profile was not calibrated with.

          locwatch power validate other-day.yaml --log ina226.csv --profile my-pi.yaml
          locwatch power validate drive.gpx --log usb.csv --begins 900 --profile p.yaml
        """)

    @OptionGroup var source: ForecastOptions

    @Option(help: ArgumentHelp("The meter's log.", valueName: "file|folder"))
    var log: String

    @Option(help: "power_supply, upower, rapl, ina2xx or usb_meter (default: recognised by the content).")
    var meter: MeterStream.Kind?

    @Option(help: ArgumentHelp("Of a track: the log's time of the first fix.", valueName: "seconds"))
    var begins: Double = 0

    func validate() throws {
      guard begins.isFinite else { throw ValidationError("--begins needs a number of seconds") }
      if source.isSchedule, begins != 0 {
        throw ValidationError("--begins is for a track; a schedule has the log's times")
      }
    }

    func perform() throws(Failure) {
      let log = try MeterLog(path: log, kind: meter, shuntMicroohms: try source.shuntMicroohms())
      var forecast = try source.forecast(begins: begins)
      forecast.compare(with: log.stream)
      try Terminal.print(source.output.isJSON ? forecast.json : forecast.text)
      if let lack = forecast.lack { throw lack }
    }
  }
}

/// What a prediction is made of.
struct ForecastOptions: ParsableArguments {
  @Argument(help: "A track, or a schedule (.yaml).")
  var source: String

  @OptionGroup var engine: EngineOptions
  @OptionGroup var regionFiles: RegionFileOptions

  @Option(help: ArgumentHelp("Of a track: how the receiver is used.", valueName: "continuous|adaptive"))
  var sampling: SamplingChoice?

  @OptionGroup var times: TrackTimeOptions

  @OptionGroup var output: JSONOptions

  func validate() throws {
    guard isSchedule else { return }
    if !regionFiles.regions.isEmpty || sampling != nil || times.points.interval != nil {
      throw ValidationError("--regions, --sampling and --interval are for a track, not for a schedule")
    }
  }

  /// Whether it is a schedule, not a track.
  var isSchedule: Bool { source.hasSuffix(".yaml") || source.hasSuffix(".yml") }

  /// What the schedule says of the meter's shunt, microohms; nil where it says nothing.
  func shuntMicroohms() throws(Failure) -> Double? {
    isSchedule ? try CalibrationFile(path: source).shuntMicroohms : nil
  }

  /// - Parameter begins: the log's time of a track's first fix, seconds.
  func forecast(begins: Double) throws(Failure) -> PowerForecast {
    if isSchedule {
      return PowerForecast(try CalibrationFile(path: source), profile: try engine.profiles.named())
    }
    var request = ReplayRequest()
    try engine.apply(to: &request.configuration)
    if let sampling { request.configuration.sampling.mode = sampling.mode }
    request.regions = try regionFiles.read()
    request.subscribers = [Subscriber(name: "replay")]
    request.track = try times.track()
    return try PowerForecast(track: source, request, begins: begins)
  }
}

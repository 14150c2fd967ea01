import ArgumentParser

/// What a command assumes about the fixes of a track.
struct AccuracyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Accuracy (68 % radius) of fixes that state none, such as 10m.", valueName: "distance"),
    transform: ArgumentText.meters)
  var assumeAccuracy: Double?
}

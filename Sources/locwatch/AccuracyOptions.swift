import ArgumentParser

/// What a command assumes about the fixes of a track.
struct AccuracyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Accuracy (68 % radius) of fixes that state none, such as 10m.", valueName: "distance"),
    transform: ArgumentText.meters)
  var assumeAccuracy: Double?

  func validate() throws {
    if let assumeAccuracy, !(assumeAccuracy > 0 && assumeAccuracy <= 1e7) {
      throw ValidationError("--assume-accuracy needs a number of metres above 0")
    }
  }
}

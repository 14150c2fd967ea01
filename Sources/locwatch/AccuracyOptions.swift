import ArgumentParser

/// What is assumed of the fixes of a track.
struct AccuracyOptions: ParsableArguments {
  @Option(help: ArgumentHelp("68 % radius of fixes that state no accuracy.", valueName: "metres"))
  var assumeAccuracy: Double?

  func validate() throws {
    if let assumeAccuracy, !(assumeAccuracy > 0 && assumeAccuracy <= 1e7) {
      throw ValidationError("--assume-accuracy takes metres above 0")
    }
  }
}

import LocationFormats

/// The `locwatch` beside this program.
enum LocwatchProgram {
  /// Runs it; its exit status.
  static func run(_ arguments: [String], isSilent: Bool = false) throws(Failure) -> Int32 {
    let path = SiblingProgram.path("locwatch") ?? "locwatch"
    let status = SiblingProgram.run(path, arguments, isSilent: isSilent)
    guard status != 127 else {
      throw Failure(
        .unavailable, what: "\(path) can't be started", remedy: "install locwatch beside locwatch-fleet")
    }
    return status
  }
}

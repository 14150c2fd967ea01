import LocationFormats

/// `--config` and `--state`, which every command takes, in the words of a command line that is not parsed.
struct GlobalOptions {
  /// The settings file that is named last; nil where none is.
  private(set) var config: String?
  /// The state file that is named last; nil where none is.
  private(set) var state: String?
  /// All other words.
  private(set) var others: [String] = []

  /// - Parameter words: what comes after `--` is left as it is.
  init(in words: [String]) {
    var rest = words[...]
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      switch parts[0] {
      case "--config": config = parts.count > 1 ? parts[1] : rest.popFirst()
      case "--state": state = parts.count > 1 ? parts[1] : rest.popFirst()
      case "--":
        others += [word] + rest
        return
      default: others.append(word)
      }
    }
  }

  /// Refuses a settings file that can't be read, also for a command that has no use for it: a mistyped name is told.
  ///
  /// - Throws: `.noInput`, `.noPermission`.
  func requireSettings() throws(Failure) {
    guard let config, config != "-" else { return }
    try InputFile.requireReadable(config)
  }
}

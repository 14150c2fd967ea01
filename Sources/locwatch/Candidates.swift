import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// What a shell offers where a word is completed. It says nothing of what goes wrong.
enum Candidates {
  /// Ids of the regions in the state file.
  static var regions: CompletionKind { stored { (database) throws(Failure) in try database.regionIDs() } }

  /// Names of the subscribers in the state file.
  static var subscribers: CompletionKind {
    stored { (database) throws(Failure) in try database.subscribers().map(\.subscriber.name) }
  }

  /// Names of the outlets in the state file.
  static var outlets: CompletionKind {
    stored { (database) throws(Failure) in try database.outletSettings().map(\.name) }
  }

  /// Names of the commands that `locwatch on` has made.
  static var rules: CompletionKind { stored(rules) }

  /// What `locwatch on test` takes: a rule, or an event and its region.
  static var rulesAndEvents: CompletionKind {
    stored { (database) throws(Failure) in
      try rules(database) + EventKind.allCases.map(\.rawValue) + database.regionIDs()
    }
  }

  private static func rules(_ database: StateDatabase) throws(Failure) -> [String] {
    try database.subscribers().map(\.subscriber).filter(\.isCommandRule).map(\.name)
  }

  /// Names of the built-in power profiles.
  static var profiles: CompletionKind { .list(PowerProfile.builtInNames) }

  /// The events of `locwatch on`.
  static var events: CompletionKind { .list(EventKind.allCases.map(\.rawValue)) }

  /// Names in the state file, which may be any text.
  private static func stored(
    _ names: @escaping @Sendable (StateDatabase) throws(Failure) -> [String]
  ) -> CompletionKind {
    .custom { words, _, _ in
      guard let database = try? database(words), let names = try? names(database) else { return [] }
      // zsh takes what follows a colon for a description.
      return CompletionShell.requesting == .zsh ? names.map { $0.replacing(":", with: "\\:") } : names
    }
  }

  /// The state file that the command line names, as its words stand there.
  private static func database(_ words: [String]) throws(Failure) -> StateDatabase? {
    var option = GlobalOptions(in: words).state
    if let text = option, text.hasPrefix("~/") {
      option = (EnvironmentVariable.value("HOME") ?? "~") + text.dropFirst()
    }
    return try StateDatabase.openToRead(path: try StatePath.resolve(option: option))
  }
}

import ArgumentParser
import LocationFormats

/// Finds an option that a command does not have, and the one that was most likely meant.
///
/// The parser names it only where nothing else is wrong. But who mistypes an option often lacks what it stands for.
enum UnknownOption {
  /// What is wrong with a command line that has such an option; nil where none has.
  static func failure(_ arguments: [String]) -> Failure? {
    let words = arguments.prefix { $0 != "--" }
    let (command, path) = command(of: words)
    // The help says what there is. An option of another command in its examples passes too: then the parser speaks.
    let known = Set(Locwatch.helpMessage(for: command, includeHidden: true).matches(of: name).map { $0.1 })
    let given = words.compactMap { $0.prefixMatch(of: /(--[a-zA-Z][\w-]*|-[a-zA-Z]$)/)?.1 }
    guard let unknown = given.first(where: { !known.contains($0) }) else { return nil }
    let long = known.filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) }.sorted()
    let near = unknown.hasPrefix("--") ? NearestWord.to(String(unknown.dropFirst(2)), among: long) : nil
    return Failure(
      .usage, what: "unknown option '\(unknown)'" + (near.map { " (did you mean '--\($0)'?)" } ?? ""),
      remedy: "see \(path.joined(separator: " ")) --help")
  }

  /// An option as a text has it.
  private static var name: Regex<(Substring, Substring)> { /(?:^|[^\w-])(--?[a-zA-Z][\w-]*)/ }

  /// The command that the first words name, and its name.
  private static func command(of words: ArraySlice<String>) -> (any ParsableCommand.Type, path: [String]) {
    var command: any ParsableCommand.Type = Locwatch.self
    var path = [command._commandName]
    func descend(to child: any ParsableCommand.Type) {
      command = child
      path.append(child._commandName)
    }
    for word in words where !word.hasPrefix("-") {
      guard let child = command.configuration.subcommands.first(where: { $0._commandName == word }) else {
        break
      }
      descend(to: child)
    }
    if let usual = command.configuration.defaultSubcommand { descend(to: usual) }
    return (command, path)
  }
}

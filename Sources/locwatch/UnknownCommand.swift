import ArgumentParser
import LocationFormats

/// Finds a mistyped command, and the one that was most likely meant.
enum UnknownCommand {
  /// What is wrong with a command line whose first words name no command; nil where they do.
  static func failure(_ arguments: [String]) -> Failure? {
    var command: any ParsableCommand.Type = Locwatch.self
    var path: [String] = []
    let isHelp = arguments.first == "help"
    for word in arguments.dropFirst(isHelp ? 1 : 0) {
      let children = command.configuration.subcommands
      guard !children.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
      if let child = children.first(where: { $0._commandName == word }) {
        command = child
        path.append(word)
        continue
      }
      // The usual subcommand of `on` takes words; those of other commands take options alone. `list NAME` is told in full.
      guard isHelp || command != OnCommand.self else { return nil }
      let names = children.map { $0._commandName }
      let near = NearestWord.to(word, among: names).map { (path + [$0]).joined(separator: " ") }
      let all = path.isEmpty ? "locwatch --help lists them" : "there is \(names.joined(separator: ", "))"
      return Failure(
        .usage, what: "no command is called \"\((path + [word]).joined(separator: " "))\"",
        remedy: near.map { "did you mean locwatch \($0)?" } ?? all)
    }
    return nil
  }
}

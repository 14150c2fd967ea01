import ArgumentParser
import LocationCore
import LocationFormats

/// `locwatch completion`: completions for a shell.
struct CompletionCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion",
    abstract: "Print the completions for a shell.",
    discussion: """
      The package installs them. Without it, write them where the shell looks for
      them, and open a new shell:

        locwatch completion bash > /etc/bash_completion.d/locwatch
        locwatch completion zsh > ~/.zfunc/_locwatch
        locwatch completion fish > ~/.config/fish/completions/locwatch.fish

      zsh looks into ~/.zfunc with fpath+=~/.zfunc before compinit in ~/.zshrc.
      """)

  @Argument(
    help: ArgumentHelp("bash, zsh or fish.", valueName: "shell"),
    completion: .list(["bash", "zsh", "fish"]))
  var shell: String

  func perform() throws(Failure) {
    guard let known = CompletionShell(rawValue: shell) else {
      throw Failure(
        .usage, what: "there are no completions for \"\(shell)\"", remedy: "write bash, zsh or fish")
    }
    try Terminal.print(CompletionScript.text(for: known) + "\n", asIs: true)
  }
}

/// The completions of a shell.
enum CompletionScript {
  /// What argument-parser writes, with what it lacks: `on` stands for `on add`, what takes any text completes files, and
  /// bash takes candidates as they are.
  static func text(for shell: CompletionShell) -> String {
    let made = Locwatch.completionScript(for: shell)
    if shell == .bash { return bash(made) }
    return shell == .zsh ? zsh(made) : fish(made)
  }

  /// Answers the option of argument-parser that prints its own script.
  static func printIfRequested(_ words: [String]) throws {
    guard words.count == 2, words[0] == "--generate-completion-script",
      let shell = CompletionShell(rawValue: words[1])
    else { return }
    try Terminal.reporting { () throws(Failure) in try Terminal.print(text(for: shell) + "\n", asIs: true) }
    throw ExitCode.success
  }

  /// The commands of `locwatch on`, which no event is called.
  private static let commands = OnCommand.configuration.subcommands.compactMap {
    $0.configuration.commandName
  }
  private static let events = EventKind.allCases.map(\.rawValue).joined(separator: " ")

  private static func bash(_ made: String) -> String {
    String(made.trimmingPrefix("#!/bin/bash\n"))
      .replacing(bashFunction, with: bashFunction + bashCandidates)
      .replacing("\n_locwatch_on() {\n", with: "\n_locwatch_on() {\n" + bashOn)
      .replacing("complete -o filenames -F", with: "complete -o default -o filenames -F")
  }

  private static var bashOn: String {
    """
        case "${unparsed_words[0]}" in
        \(commands.joined(separator: "|"))) ;;
        *)
            [[ "${#unparsed_words[@]}" -gt 1 ]] || COMPREPLY+=($(compgen -W '\(commands.joined(separator: " "))' -- "${cur}"))
            _locwatch_on_add
            return
            ;;
        esac

    """
  }

  private static func zsh(_ made: String) -> String {
    // zsh takes no name of a variable with a bar in it.
    let named = made.replacing(/(local -ar |\$\{)(_[A-Za-z_]*)\|/) { "\($0.1)\($0.2)_" }
      .replacing(/:(file|file\.html|file\|url|track|command|words|program):'/) { ":\($0.1):_files'" }
    guard let start = named.firstRange(of: "\n_locwatch_on() {\n"),
      let end = named[start.upperBound...].firstRange(of: "\n}\n")
    else { return named }
    let on = named[start.upperBound..<end.lowerBound]
      .replacing("local -ar subcommands=(\n", with: "local -ar subcommands=(\n            \(events)\n")
      .replacing(zshCall, with: zshCall + zshOn)
    return "\(named[..<start.upperBound])\(on)\(named[end.lowerBound...])"
  }

  private static let zshCall = #""_locwatch_on_${words[1]}" && ret=0"# + "\n"
  private static let zshOn = """
                ;;
            *)
                words=(add "${words[@]}")
                ((CURRENT++))
                _locwatch_on_add && ret=0

    """

  private static func fish(_ made: String) -> String {
    let files = made.replacing("\ncomplete -c 'locwatch' -f\n", with: "\n")
    guard let on = files.firstRange(of: "        case 'on'\n"),
      let call = files[on.upperBound...].firstRange(of: "            switch")
    else { return files }
    return "\(files[..<call.lowerBound])\(fishOn)\(files[call.lowerBound...])\(fishEvents)"
  }

  private static var fishOn: String {
    """
                if set -q unparsed_tokens[1]; and not contains -- $unparsed_tokens[1] \(commands.joined(separator: " "))
                    set -p unparsed_tokens add
                end

    """
  }

  private static var fishEvents: String {
    "\ncomplete -c 'locwatch' -n '__locwatch_should_offer_completions_for_positional \"locwatch on\" -eq 1'"
      + " -fka '\(events)'"
  }

  /// The function to which argument-parser hands the candidates for a word, as a list of words or as what `compgen` is to
  /// find.
  private static let bashFunction = "__locwatch_add_completions() {\n"

  /// Takes a list of words. argument-parser hands it to `compgen -W`, which expands it as a command line.
  private static let bashCandidates = #"""
        # compgen -W would expand the candidates, and so run commands that stand in an id.
        if [[ "${1}" = -W ]]; then
            local candidate word is_quoted=false
            # Where the user has begun a quotation, readline goes on with it.
            if [[ "${COMP_WORDS[COMP_CWORD]}" = [\'\"]* ]]; then is_quoted=true; else compopt +o filenames 2> /dev/null; fi
            while IFS='' read -r candidate; do
                word="${candidate}"
                "${is_quoted}" || printf -v word %q "${candidate}"
                if [[ -n "${candidate}" && ("${candidate}" = "${cur}"* || "${word}" = "${cur}"*) ]]; then
                    COMPREPLY+=("${word}")
                fi
            done <<< "${2}"
            return
        fi

    """#
}

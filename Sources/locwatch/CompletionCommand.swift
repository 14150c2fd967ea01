import ArgumentParser
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
  /// What argument-parser writes, where bash takes candidates as they are.
  static func text(for shell: CompletionShell) -> String {
    let text = Locwatch.completionScript(for: shell)
    return shell == .bash ? text.replacing(bashFunction, with: bashFunction + bashCandidates) : text
  }

  /// Answers the option of argument-parser that prints its own script.
  static func printIfRequested(_ words: [String]) throws {
    guard words.count == 2, words[0] == "--generate-completion-script",
      let shell = CompletionShell(rawValue: words[1])
    else { return }
    try Terminal.reporting { () throws(Failure) in try Terminal.print(text(for: shell) + "\n", asIs: true) }
    throw ExitCode.success
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

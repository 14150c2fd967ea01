import ArgumentParser
import LocationFormats

/// `locwatch completion`: completions for a shell.
struct CompletionCommand: AsyncParsableCommand {
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

  func run() async throws {
    try Terminal.reporting { () throws(Failure) in
      guard let known = CompletionShell(rawValue: shell) else {
        throw Failure(
          .usage, what: "there are no completions for \"\(shell)\"", remedy: "write bash, zsh or fish")
      }
      try Terminal.print(Locwatch.completionScript(for: known) + "\n", asIs: true)
    }
  }
}

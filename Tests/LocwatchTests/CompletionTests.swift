import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import locwatch

/// The completions of the package, in the shells that are installed.
@Suite(.serialized) struct CompletionTests {
  private let folder = TemporaryFolder()

  /// A command line up to the cursor, and what has to be offered.
  private static let cases = [
    ("locwatch rep", "replay"), ("locwatch on ent", "enter"), ("locwatch on li", "list"),
    ("locwatch on enter --state s.db ho", "home"), ("locwatch on enter home --cool", "--cooldown"),
    ("locwatch regions show --state s.db ho", "home"), ("locwatch power show pine", "pinephone"),
    ("locwatch replay day.gpx --units naut", "nautical"), ("locwatch --config c.yaml rep", "replay"),
    ("locwatch --state s.db regions show ho", "home"), ("locwatch regions show --state s.db x", "x:y"),
    ("locwatch on test --state s.db ho", "home"),
  ]

  private static func has(_ shell: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(shell)") }
  }

  /// A folder with the completions, `locwatch` on the path, files with awkward names and a state file.
  private func prepare() async throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder("locwatch"), withDestinationPath: Binary.path)
    _ = folder.write("my track.gpx", "")
    _ = folder.write("it's.gpx", "")
    try await add("home")
    try await add("x:y")
    for (shell, file) in [("bash", "locwatch.bash"), ("zsh", "_locwatch"), ("fish", "locwatch.fish")] {
      let printed = try await Binary.run(["completion", shell])
      #expect(printed.status == 0, "\(printed.stderr)")
      _ = folder.write(file, printed.stdout)
    }
  }

  private func add(_ region: String) async throws {
    let added = try await Binary.run([
      "regions", "add", region, "--circle", "48,11,100", "--state", folder("s.db"),
    ])
    #expect(added.status == 0, "\(added.stderr)")
  }

  @Test(arguments: [CompletionShell.bash, .zsh, .fish])
  func `the command and the option of argument-parser print the same`(shell: CompletionShell) async throws {
    let printed = try await Binary.run(["completion", shell.rawValue])
    let made = try await Binary.run(["--generate-completion-script", shell.rawValue])
    #expect(printed.status == 0 && made.status == 0)
    #expect(printed.stdoutBytes == made.stdoutBytes)
  }

  @Test func `another shell is refused`() async throws {
    let run = try await Binary.run(["completion", "tcsh"])
    #expect(run.status == 64)
    #expect(
      run.stderr == "locwatch: there are no completions for \"tcsh\"; write bash, zsh or fish\n", "\(run)")
  }

  private func run(_ shell: String, _ arguments: [String]) async throws -> Binary.Result {
    let path = "\(folder.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    return try await Binary.run(
      [shell] + arguments, environment: ["PATH": path, "TERM": "dumb"], directory: folder.path,
      executable: "/usr/bin/env")
  }

  @Test func `bash offers commands, events, regions and profiles`() async throws {
    try await prepare()
    let script = """
      source "$1"; shift
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; COMP_KEY=9
      _locwatch locwatch "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    for (line, expected) in Self.cases {
      let words = line.split(separator: " ").map(String.init)
      let offered = try await run("bash", ["-c", script, "bash", folder("locwatch.bash")] + words)
      let options = offered.stdout.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(options.contains(expected), "\(line): \(offered.stdout) \(offered.stderr)")
    }
    // Where nothing of ours fits, bash completes files itself, with their blanks and quotes.
    let text = try String(contentsOfFile: folder("locwatch.bash"), encoding: .utf8)
    #expect(text.contains("\ncomplete -o default -o filenames -F _locwatch locwatch"))
  }

  @Test func `bash runs nothing that stands in an id, and offers words that mean it`() async throws {
    try await prepare()
    for id in ["$(touch ran)", "`touch ran`", "it's", "a b", "*"] { try await add(id) }
    let script = """
      source "$1"
      COMP_WORDS=(locwatch regions show --state s.db "$2"); COMP_CWORD=5; COMP_LINE="${COMP_WORDS[*]}"
      COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; COMP_KEY=9
      _locwatch locwatch "$2" s.db
      for word in "${COMPREPLY[@]}"; do eval "printf '%s\\n' $word"; done
      """
    // What is typed of an id, and the ids that the words which are offered mean to bash.
    for (typed, ids) in [
      ("", ["home", "x:y", "$(touch ran)", "`touch ran`", "it's", "a b", "*"]), ("$", ["$(touch ran)"]),
      ("\\`", ["`touch ran`"]), ("it\\'", ["it's"]), ("a", ["a b"]), ("a\\ ", ["a b"]), ("\\*", ["*"]),
      ("zz", []),
    ] {
      let offered = try await run("bash", ["-c", script, "bash", folder("locwatch.bash"), typed])
      #expect(offered.stdout == ids.map { $0 + "\n" }.joined(), "\(typed): \(offered)")
      #expect(!FileManager.default.fileExists(atPath: folder("ran")), "\(typed)")
    }
  }

  @Test(.enabled(if: has("zsh"), "no zsh is installed: apt-get install zsh"))
  func `zsh completes commands, events, regions, profiles and files`() async throws {
    try await prepare()
    // Each wait ends with what is waited for.
    let script = """
      zmodload zsh/zpty
      zpty z zsh -f -i
      zpty -w z "PS1=; fpath=($1 \\$fpath); autoload -Uz compinit; compinit -u -D; print REA''DY"
      zpty -r z out '*READY*'
      shift
      while (( $# )); do
        zpty -n -w z "$1"$'\\t'
        zpty -r z out "*$2*" && print -r -- "$1"
        zpty -n -w z $'\\C-u'
        shift 2
      done
      """
    let files = [("locwatch replay my", "track.gpx "), ("locwatch replay it", "s.gpx ")]
    let cases = Self.cases + files
    let offered = try await run(
      "zsh", ["-f", "-c", script, "zsh", folder.path] + cases.flatMap { [$0.0, $0.1] })
    #expect(offered.stdout == cases.map { $0.0 + "\n" }.joined(), "\(offered.stdout) \(offered.stderr)")
  }

  @Test(.enabled(if: has("fish"), "no fish is installed: apt-get install fish"))
  func `fish offers commands, events, profiles and files`() async throws {
    try await prepare()
    // Regions take a command line that is edited, which fish has on a terminal only.
    let cases =
      Self.cases.filter { !$0.0.contains("--state") } + [
        ("locwatch replay my", "my track.gpx"), ("locwatch replay it", "it's.gpx"),
      ]
    for (line, expected) in cases {
      let offered = try await run(
        "fish", ["--no-config", "-c", "source \(folder("locwatch.fish")); complete -C '\(line)'"])
      let options = offered.stdout.split(separator: "\n").compactMap { $0.split(separator: "\t").first }
      #expect(options.contains { $0 == expected }, "\(line): \(offered.stdout) \(offered.stderr)")
    }
  }
}

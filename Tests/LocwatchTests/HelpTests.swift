import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import locwatch

/// Help is part of the interface: its texts are goldens, and its examples are taken at their word.
@Suite struct HelpTests {
  /// Commands whose help has examples.
  private static let commands = [
    [], ["on"], ["on", "add"], ["replay"], ["compare"], ["synth"], ["watch"], ["run"], ["status"], ["events"],
    ["explain"],
    ["journal"],
    ["ack"], ["subscribers"], ["notifications"], ["push"], ["transfers"], ["unlock"], ["low-power"],
    ["power"],
    ["regions"], ["outlets"], ["outlets", "add"], ["metrics"], ["serve"], ["completion"],
  ]

  @Test(arguments: commands)
  func `help is the golden, and fits a terminal of 80 columns`(command: [String]) async throws {
    let run = try await Binary.run(command + ["--help"])
    #expect(run.status == 0)
    let name = (["help"] + command).joined(separator: "-")
    Golden.expect("Tests/LocwatchTests/Goldens/\(name).txt", run.stdout)
    let long = run.stdout.split(separator: "\n").filter { $0.count > 80 && !$0.hasPrefix("USAGE:") }
    #expect(long.isEmpty)
  }

  @Test func `help without a question says the same`() async throws {
    let asked = try await Binary.run(["--help"])
    let run = try await Binary.run([])
    #expect(run.stdout == asked.stdout)
  }

  @Test func `every command has an example`() {
    func visit(_ command: any ParsableCommand.Type) {
      // What locwatch-fleet does is told by its own help.
      guard command != FleetCommand.self else { return }
      Self.expectExamples(in: Locwatch.helpMessage(for: command))
      // A line that is broken anew breaks an example, or leaves a line of a few words.
      let long = command.configuration.discussion.split(separator: "\n").filter { $0.count > 80 }
      #expect(long.isEmpty)
      for child in command.configuration.subcommands { visit(child) }
    }
    visit(Locwatch.self)
  }

  @Test func `a page names every option`() throws {
    let pages = try READMETests.documents.map { try Markdown($0).text }.joined()
    let named = Set(pages.matches(of: /--[a-z][a-z-]*/).map(\.output))
    func visit(_ command: any ParsableCommand.Type) {
      guard command != FleetCommand.self else { return }
      let help = Locwatch.helpMessage(for: command)
      for option in help.matches(of: /(?m)^  (?:-[a-zA-Z], )?(--[a-z-]+)/).map(\.output.1)
      where option != "--help" {
        #expect(named.contains(option), "\(command): \(option)")
      }
      for child in command.configuration.subcommands { visit(child) }
    }
    visit(Locwatch.self)
  }

  private static func expectExamples(in help: String) {
    let lines = help.replacing(" \\\n", with: "").split(separator: "\n").filter {
      $0.hasPrefix("  ") && !$0.hasPrefix("   ")
    }
    let examples = lines.flatMap { line in
      line.prefix { $0 != "#" && $0 != ">" && $0 != "<" }.split { $0 == "|" || $0 == "&" }.map(words)
    }.filter { $0.first == "locwatch" && $0.count > 1 }
    #expect(examples.count >= 1, "\(help)")
    let global = ["--config", "c.yaml", "--state", "s.db"]
    for (index, words) in examples.map({ Array($0.dropFirst()) }).enumerated() {
      let end = words.firstIndex(of: "--") ?? words.endIndex
      // Options of all commands may stand at either end; one example of each command shows it.
      let ways = index == 0 ? [words, global + words, words[..<end] + global + words[end...]] : [words]
      for given in ways {
        #expect(throws: Never.self, "\(given)") { try Locwatch.parseAsRoot(given) }
      }
    }
  }

  @Test(arguments: [
    ("advertise", "subscribers"), ("beacons", "regions add"), ("bluetooth", "subscribers bluetooth"),
    ("conditions", "subscribers"),
    ("notify", "notifications"), ("outlet", "outlets"), ("player", "subscribers"), ("transfer", "transfers"),
  ])
  func `a program that the daemon starts says so to people`(name: String, command: String) async throws {
    let path = Binary.helper(name)
    let line = "locwatch-\(name) is started by locwatch run; see: locwatch \(command) --help\n"
    let help = try await Binary.run(["--help"], executable: path)
    #expect(help.status == 0 && help.stdout == line, "\(help)")
    let wrong = try await Binary.run(["now"], executable: path)
    #expect(wrong.status == 64 && wrong.stdout + wrong.stderr == line, "\(wrong)")
    let words = command.split(separator: " ").map(String.init)
    #expect(try await Binary.run(words + ["--help"]).status == 0)
  }

  @Test(arguments: [["--help"], ["serve", "--help"], ["serve", "--session", "-h"]])
  func `the program for D-Bus has one help, wherever it is asked for`(words: [String]) async throws {
    let path = Binary.helper("bus")
    let help = try await Binary.run(words, executable: path)
    #expect(help.status == 0 && help.stdout.contains("locwatch-bus serve [--session]"), "\(help)")
  }

  @Test func `the scenario in the help of synth is one`() async throws {
    let help = try await Binary.run(["synth", "--help"]).stdout
    let yaml = help.split(separator: "\n", omittingEmptySubsequences: false)
      .drop { !$0.hasPrefix("  start:") }.prefix { $0.hasPrefix("  ") }
    let run = try await Binary.run(["synth", "-", "-o", "-"], stdin: yaml.joined(separator: "\n"))
    #expect(run.status == 0, "\(run.stderr)")
    #expect(run.stdout.contains("<trkpt"))
  }

  /// The words of a command, as a shell takes them: what stands in single quotes is one.
  private static func words(_ text: Substring) -> [String] {
    text.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { place, piece in
      place % 2 == 1 ? [String(piece)] : piece.split(separator: " ").map(String.init)
    }
  }
}

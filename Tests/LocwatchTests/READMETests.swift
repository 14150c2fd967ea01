import Foundation
import TestSupport
import Testing

/// The examples of the documents, run as a reader would. ``Transcript`` says which blocks are run and how.
@Suite struct READMETests {
  /// The README, and every page of `Docs`.
  static let documents = ["README.md"] + pages.map { "Docs/" + $0 }

  private static let pages =
    ((try? FileManager.default.contentsOfDirectory(atPath: PackageRoot.file("Docs"))) ?? [])
    .filter { $0.hasSuffix(".md") }.sorted()

  static let transcripts: [Transcript] = documents.flatMap { path in
    (try? Markdown(path)).map { Transcript.all(in: $0) } ?? []
  }

  /// Programs of blocks that no test runs: they install, build, measure, or need a receiver or a daemon.
  static let programsNotRun: Set = [
    "scripts/demo", "scripts/test", "busctl", "swift", "sudo", "git", "install", "gpspipe", "pip", "python3",
    "cd",
    "export",
    "locwatch", "mosquitto_pub", "mosquitto_sub", "perf", "chromium-headless-shell", "LOCWATCH_FULL=1",
    "LOCWATCH_RECORD=1",
    "while", "systemctl", "find", "locwatch-fleet", "locwatch-push", "gpsbabel", "docker", "scripts/package",
    "nats",
  ]

  @Test(arguments: transcripts)
  func `an example does what is shown`(_ transcript: Transcript) async throws {
    for complaint in try await transcript.complaints() { Issue.record("\(transcript): \(complaint)") }
  }

  @Test func `the README and the page on replay have examples`() {
    #expect(Self.transcripts.filter { $0.path == "README.md" }.count >= 5)
    #expect(Self.transcripts.filter { $0.path == "Docs/Replay.md" }.count >= 8)
  }

  @Test func `the index links to every page`() throws {
    let links = Set(try Markdown("Docs/README.md").links.map { String($0.prefix { $0 != "#" }) })
    #expect(Set(Self.pages).subtracting(links) == ["README.md"])
  }

  @Test(arguments: documents)
  func `no command escapes the test`(path: String) throws {
    for fence in try Markdown(path).fences {
      switch fence.info {
      case "console", "sh": break
      case "sh not-run":
        for line in fence.lines where !line.isEmpty && !line.hasPrefix(" ") {
          let program = String(line.prefix { $0 != " " })
          #expect(Self.programsNotRun.contains(program), "\(path):\(fence.line): \(line)")
        }
      default:
        let commands = fence.lines.filter { $0.hasPrefix("$ ") || $0.hasPrefix("locwatch ") }
        #expect(commands.isEmpty, "\(path):\(fence.line) is neither console nor sh")
      }
    }
  }

  @Test func `the first two commands are there to be run`() throws {
    let first = try #require(try Markdown("README.md").fences.first)
    #expect(first.info == "sh not-run")
    let programs = first.lines.map { String($0.prefix { $0 != " " }) }
    #expect(programs == ["scripts/demo", "scripts/test"])
    #expect(programs.allSatisfy { FileManager.default.isExecutableFile(atPath: PackageRoot.file($0)) })
  }

  @Test func `a build by hand installs the C libraries of the scripts`() throws {
    let section = try #require(try Markdown("README.md").section("Build by hand"))
    let script = try String(contentsOfFile: PackageRoot.file("scripts/lib/prepare.sh"), encoding: .utf8)
    let libraries = try #require(script.firstMatch(of: /(?m)^library_packages=\(([^)]*)\)/)?.1)
    let command = try #require(section.firstMatch(of: /apt-get install ((?:[^\\\n]|\\\n)*)\n/)?.1)
    let words = { (text: Substring) in Set(text.split { " \\\n".contains($0) }) }
    #expect(words(command) == words(libraries).union(["pkg-config"]))
  }

  @Test(arguments: [
    (["a", "b"], ["a", "b"], true), (["a"], ["a", "b"], false), (["a", "b"], ["a"], false),
    (["a", "…", "d"], ["a", "b", "c", "d"], true), (["a", "…", "b"], ["a", "b"], false),
    (["…", "c", "…"], ["a", "c", "c", "d"], true), (["x…y"], ["x 1 y"], true), (["x…y…z"], ["xyz"], true),
    (["x…y…z"], ["xzy"], false), (["xy…yz"], ["xyz"], false), ([], [], true), ([], ["a"], false),
  ])
  func `a gap stands for what was cut and for nothing else`(
    shown: [String], actual: [String], expected: Bool
  ) {
    #expect(Transcript.matches(shown[...], actual[...]) == expected)
  }

  @Test func `an example that shows something else is told`() async throws {
    let fence =
      "```console\n$ echo one \\\n  two\none three\n$ false\n$ exit_status=1; echo fine\nfine\n```\n"
    let transcript = try #require(Transcript.all(in: Markdown(path: "x.md", text: fence)).first)
    #expect(transcript.steps.count == 3)
    let complaints = try await transcript.complaints()
    #expect(complaints.count == 2)
    #expect(complaints.first?.contains("one two") == true)
    #expect(complaints.last?.contains("`false` ends with 1") == true)
  }

  @Test(arguments: documents + ["CHANGELOG.md", "CONTRIBUTING.md", "Tracks/README.md"])
  func `links lead somewhere`(path: String) throws {
    let folder = path.split(separator: "/").dropLast().map { $0 + "/" }.joined()
    for link in try Markdown(path).links where !link.contains("://") {
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let target = parts[0].isEmpty ? path : folder + parts[0]
      #expect(
        FileManager.default.fileExists(atPath: PackageRoot.file(target)), "\(path) links to \(link)")
      guard parts.count == 2 else { continue }
      #expect(try Markdown(target).anchors.contains(parts[1]), "\(path) links to \(link)")
    }
  }
}

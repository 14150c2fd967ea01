import Foundation
import TestSupport
import Testing

/// The house rules, held against the sources as they are. `Tidy` has the rules.
@Suite struct TidyTests {
  @Test func `imports go one way`() { report(Tidy.importDirection(Self.sources)) }

  @Test func `the core imports GEOS, vectors and trigonometry alone`() {
    report(Tidy.coreImports(Self.sources))
  }

  @Test func `the core's folders are used in one order`() { report(Tidy.folderOrder(Self.sources)) }

  @Test func `the core has no clock, no output, no concurrency and no chance`() {
    report(Tidy.corePurity(Self.sources))
  }

  @Test func `nothing imports Foundation`() { report(Tidy.foundation(Self.sources)) }

  @Test func `nothing traps on an unexpected value`() { report(Tidy.traps(Self.sources)) }

  @Test func `the compiler checks all concurrency`() { report(Tidy.unchecked(Self.sources)) }

  @Test func `types are named for what they are`() { report(Tidy.emptyNames(Self.sources)) }

  @Test func `functions fit on a screen`() { report(Tidy.functionLength(Self.sources)) }

  @Test func `what other modules see is documented`() { report(Tidy.documentation(Self.sources)) }

  @Test func `tests use one library`() { report(Tidy.testLibrary(Self.read("Tests"))) }

  @Test(.enabled(if: Self.exists("Tracks"), "no Tracks yet"))
  func `every track has a scenario and a golden`() throws {
    report(Tidy.tracks(try FileManager.default.contentsOfDirectory(atPath: PackageRoot.file("Tracks"))))
  }

  @Test(arguments: ["Fuzz", "Checker", "Simulator"])
  func `a package apart builds the root's targets as the root does`(folder: String) throws {
    let path = "\(folder)/Package.swift"
    let manifest = try Self.text(path)
    #expect(manifest.contains(".target(name: \"LocationCore\""))
    report(Tidy.sharedTargets(in: manifest, of: path, root: try Self.text("Package.swift")))
  }

  @Test(arguments: [
    "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Docs/README.md", "Docs/Design.md", "Docs/Policy.md",
    "Docs/Power.md", "Docs/Replay.md", "Docs/Synth.md", "Docs/Wire.md",
  ])
  func `the paths in a text exist`(file: String) throws {
    guard Self.exists(file) else { return }
    report(Tidy.paths(in: try Self.text(file), of: file, exists: Self.exists))
  }

  @Test func `every rule has a test that names it`() async throws {
    let result = try await Binary.run([], executable: PackageRoot.file("scripts/rules"))
    #expect(result.status == 0, "without a test: \(result.stdout)")
    let other = try await Binary.run(["Z"], executable: PackageRoot.file("scripts/rules"))
    #expect(other.status == 65, "there is no section of that letter")
  }

  @Test func `the sources were found`() {
    #expect(Self.sources.contains { $0.path == "Sources/LocationCore/Model/Fix.swift" })
    #expect(Self.sources.contains { $0.target == "locwatch" })
    // Advice only: an idea that needs a long file gets one.
    for note in Tidy.fileLength(Self.sources) { print("note: \(note)") }
  }

  /// One issue a violation, so that each is told with its file and line.
  private func report(_ violations: [Tidy.Violation], sourceLocation: SourceLocation = #_sourceLocation) {
    for violation in violations { Issue.record("\(violation)", sourceLocation: sourceLocation) }
  }

  private static let sources = read("Sources")

  /// The Swift files below a folder of the package, by path. A target's stand-in for its first file is left out.
  private static func read(_ folder: String) -> [SwiftSource] {
    let below = FileManager.default.subpaths(atPath: PackageRoot.file(folder)) ?? []
    return below.filter { $0.hasSuffix(".swift") && !$0.hasSuffix("Placeholder.swift") }.sorted().compactMap {
      let path = folder + "/" + $0
      return (try? text(path)).map { SwiftSource(path: path, text: $0) }
    }
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOfFile: PackageRoot.file(path), encoding: .utf8)
  }

  private static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: PackageRoot.file(path))
  }
}

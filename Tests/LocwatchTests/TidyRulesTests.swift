import Testing

/// Each house rule catches a planted breach, names its line, and lets the lawful neighbour pass.
@Suite struct TidyRulesTests {
  /// What a rule makes of one file, as `line: message`.
  private func told(
    _ rule: ([SwiftSource]) -> [Tidy.Violation], _ path: String, _ text: String,
    beside others: [String: String] = [:]
  ) -> [String] {
    var sources = [SwiftSource(path: path, text: text)]
    sources += others.sorted { $0.key < $1.key }.map { SwiftSource(path: $0.key, text: $0.value) }
    return rule(sources).map { $0.path == path ? "\($0.line): \($0.message)" : $0.description }
  }

  @Test func `an import against the direction is caught`() {
    let rule = Tidy.importDirection
    #expect(
      told(rule, "Sources/LocationCore/Engine/A.swift", "// import locwatch\nimport LocationRuntime\n")
        == ["2: LocationCore may not import LocationRuntime: imports go one way"])
    #expect(
      told(rule, "Sources/LocationRuntime/A.swift", "import struct locwatch.X\n")
        == ["1: LocationRuntime may not import locwatch: imports go one way"])
    #expect(
      told(rule, "Sources/locwatch/A.swift", "import LocationCore\npackage import CGPSD\n")
        == ["2: locwatch may not import CGPSD: imports go one way"])
    #expect(
      told(rule, "Sources/Attic/A.swift", "") == ["1: target Attic is not in the layout of Docs/Design.md"])
    #expect(told(rule, "Sources/LocationRuntime/A.swift", "import LocationCore\nimport GRDB\n").isEmpty)
  }

  @Test func `a second importer of a C library is caught`() {
    let both = ["Sources/LocationFormats/B.swift": "internal import CExpat\n"]
    #expect(
      told(
        Tidy.importDirection, "Sources/LocationFormats/A.swift", "import CExpat\nimport CZlib\n", beside: both
      )
        == [
          "Sources/LocationFormats/B.swift:1: CExpat is imported by one file, and "
            + "Sources/LocationFormats/A.swift is it"
        ])
  }

  @Test func `an impure import of the core is caught`() {
    let rule = Tidy.coreImports
    let path = "Sources/LocationCore/Filtering/A.swift"
    for module in ["Foundation", "FoundationEssentials", "Dispatch", "Synchronization", "Logging"] {
      #expect(
        told(rule, path, "\nimport \(module)\n") == ["2: the core is pure: it does not import \(module)"])
    }
    #expect(
      told(rule, path, "import Glibc\n") == ["1: only Sources/LocationCore/Geometry/Trig.swift imports Glibc"]
    )
    #expect(told(rule, Tidy.mathematicsFile, "import Glibc\n").isEmpty)
    #expect(told(rule, path, "import CGEOS\n").isEmpty)
  }

  @Test func `Foundation is caught`() {
    #expect(
      told(Tidy.foundation, "Sources/LocationRuntime/A.swift", "import FoundationEssentials\nimport Glibc\n")
        == ["1: FoundationEssentials slows every start: do without it"])
  }

  @Test func `a folder that looks up is caught`() {
    let others = [
      "Sources/LocationCore/Model/Fix.swift": "public struct Fix { enum Gate {} }\n",
      "Sources/LocationCore/Filtering/FixGate.swift": "struct FixGate { var fix: Fix }\nfunc a() {}\n",
      "Sources/LocationCore/Regions/Circle.swift": "enum Circle {}\n",
      "Sources/LocationCore/Engine/Engine.swift": "struct Engine { var gate: FixGate; var circle: Circle }\n",
    ]
    func told(_ path: String, _ text: String) -> [String] {
      self.told(Tidy.folderOrder, path, text, beside: others)
    }
    #expect(
      told(
        "Sources/LocationCore/Model/A.swift",
        "/// See ``FixGate``.\nlet a = \"FixGate\" // FixGate\nlet gate: FixGate\n")
        == ["3: Model may not use FixGate of Filtering"])
    #expect(
      told("Sources/LocationCore/Filtering/A.swift", "let c: Circle\n")
        == ["1: Filtering may not use Circle of Regions"])
    #expect(
      told("Sources/LocationCore/Decoding/A.swift", "let e: [Engine]\nlet f: Fix\n")
        == ["1: Decoding may not use Engine of Engine"])
    #expect(
      told("Sources/LocationCore/Model/A.swift", "let text = \"\\(FixGate.limit) of\"\n")
        == ["1: Model may not use FixGate of Filtering"])
    // A name of one's own, a member, and what lies below are one's to use.
    #expect(
      told("Sources/LocationCore/Model/A.swift", "struct Own { enum Circle {}; let c: Circle }\n").isEmpty)
    #expect(told("Sources/LocationCore/Model/A.swift", "let c = Shape.Circle.self\n").isEmpty)
    #expect(told("Sources/LocationCore/Policy/A.swift", "let c: (Circle, FixGate, Fix)\n").isEmpty)
    #expect(
      told("Sources/LocationCore/Attic/A.swift", "").first?.hasPrefix("1: every file of the core") == true)
    #expect(told("Sources/LocationCore/A.swift", "").first?.hasPrefix("1: every file of the core") == true)
  }

  @Test(arguments: [
    ("print(1)", "print"), ("let c = ContinuousClock()", "ContinuousClock"), ("func f() async {}", "async"),
    ("let x = Double.random(in: 0...1)", "random"), ("for x in list.shuffled() {}", "shuffled"),
    ("actor A {}", "actor"),
  ])
  func `an impure word in the core is caught`(line: String, word: String) {
    let path = "Sources/LocationCore/Engine/A.swift"
    #expect(told(Tidy.corePurity, path, "// \(line)\n\(line)\n") == ["2: the core is pure: no \(word)"])
    #expect(told(Tidy.corePurity, "Sources/LocationRuntime/A.swift", line).isEmpty)
  }

  @Test func `words that only look impure pass`() {
    let text = "func print(_ x: Int) {}\nformat.print(1)\nlet random = 4\nlet s = \"await print(1)\"\n"
    #expect(told(Tidy.corePurity, "Sources/LocationCore/Engine/A.swift", text).isEmpty)
  }

  @Test(arguments: [
    "fatalError(\"no\")", "let a = try! f()", "let a = b as! C", "let a = b!", "let a = b!.c", "f()!.g()",
    "a[0]! += 1",
    "var a: Int!", "let s = \"\\(b!)\"", "let s = #\"\\(b) \\#(b!)\"#", "a?.b!.c()", "let f = a! == b",
    "a ! = b!",
  ])
  func `a trap is caught`(line: String) {
    #expect(told(Tidy.traps, "Sources/locwatch/A.swift", "\n\(line)\n").map { $0.prefix(3) } == ["2: "])
  }

  @Test(arguments: [
    "if !a, a != b, a !== b { f(!a) }", "// try! f()", "let s = \"b! as! try!\"", "/* a! /* b! */ c! */",
    "a!=b",
    "let s = \"\"\"\n  b! \" c! \\\"\"\"\"\n  \"\"\"", "let s = #\"\"b!\" \\(c!)\"#", "let r = #/a! \"/#",
    "#if !os(Linux)\n#endif",
    "func `wow! that`() {}", "let a = [!b, !c]", "let a = try? f() as? C", "return !a",
    "let s = \"\\(a(\"b!\"))!\"",
  ])
  func `what only looks like a trap passes`(line: String) {
    #expect(told(Tidy.traps, "Sources/locwatch/A.swift", line + "\n").isEmpty)
  }

  @Test func `unchecked concurrency is caught`() {
    let text =
      "final class A: @unchecked Sendable {\n  nonisolated(unsafe) var a = 1\n  nonisolated func f() {}\n}\n"
    #expect(
      told(Tidy.unchecked, "Sources/locwatch/A.swift", text) == [
        "1: @unchecked: let the compiler prove it",
        "2: nonisolated(unsafe): let the compiler prove it",
      ])
  }

  @Test func `an empty name is caught`() {
    let text =
      "struct RegionManager {}\nenum Box { final class UtilBox {} }\nprotocol Helpers {}\nstruct Utilization {}\n"
    #expect(
      told(Tidy.emptyNames, "Sources/locwatch/A.swift", text).map { $0.prefix(2) } == ["1:", "2:", "3:"])
    #expect(
      told(Tidy.emptyNames, "Sources/locwatch/FileUtils.swift", "")
        == ["1: FileUtils.swift: a file is named for the thing it holds"])
  }

  @Test func `a long file is named`() {
    let text = String(repeating: "\n", count: Tidy.fileLines)
    #expect(told(Tidy.fileLength, "Sources/locwatch/A.swift", text).isEmpty)
    #expect(
      told(Tidy.fileLength, "Sources/locwatch/A.swift", text + "\n") == [
        "401: 401 lines: is it one idea?"
      ])
  }

  @Test func `a long function is caught`() {
    func function(lines: Int) -> String {
      "protocol P {\n  func a() -> [Int]\n  init(b: Int)\n}\nfunc f(\n  g: () -> Void = {}\n) {\n"
        + String(repeating: "\n", count: lines - 4) + "}\n"
    }
    #expect(told(Tidy.functionLength, "Sources/locwatch/A.swift", function(lines: 70)).isEmpty)
    #expect(
      told(Tidy.functionLength, "Sources/locwatch/A.swift", function(lines: 71))
        == ["5: a function of 71 lines; it stops at 70"])
  }

  @Test(arguments: [
    "public struct A {}", "package func a() {}", "public static let a = 1",
    "@inlinable public var a: Int { 1 }",
    "@frozen\npublic enum A {}", "// a\npublic typealias B = A", "public private(set) var a = 1",
    "public subscript(a: Int) -> Int",
    "public init(a: Int) { self.a = a + 1 }", "public class func a() {}",
    "public nonisolated(unsafe) static var a = 1",
  ])
  func `an undocumented declaration is caught`(text: String) {
    let path = "Sources/LocationCore/Model/A.swift"
    #expect(told(Tidy.documentation, path, "import X\n" + text + "\n").count == 1)
    let documented = text.replacing("@frozen", with: "/// A.\n@frozen").replacing("// a\n", with: "")
    #expect(told(Tidy.documentation, path, "import X\n/// An a.\n" + documented + "\n").isEmpty)
  }

  @Test(arguments: [
    "public import X", "public extension A {}",
    "public init(a: Int, b: Int = 2) {\n  self.a = a\n  self.b = b\n}",
    "public static func < (a: Self, b: Self) -> Bool { true }",
    "public func hash(into hasher: inout Hasher) {}",
    "public let rawValue: UInt8", "public init(from decoder: any Decoder) throws {}", "let package = 1",
    "x(.public)",
    "/** An a. */\npublic let a = 1", "/// An a.\n@available(*, deprecated)\n@inlinable\npublic let a = 1",
  ])
  func `what needs no documentation or has it passes`(text: String) {
    #expect(told(Tidy.documentation, "Sources/LocationCore/Model/A.swift", text + "\n").isEmpty)
  }

  @Test func `what a protocol asks for is documented there`() {
    let protocols = [
      "Sources/LocationCore/Model/P.swift": "protocol P: Q {}\nprotocol Q { var a: Int { get } }\n"
    ]
    func told(_ text: String) -> [String] {
      self.told(Tidy.documentation, "Sources/LocationCore/Model/A.swift", text + "\n", beside: protocols)
    }
    #expect(told("struct A: P {\n  public let a = 1\n}").isEmpty)
    #expect(told("extension Q where B: P {\n  public var a: Int { 1 }\n}").isEmpty)
    #expect(told("struct A: P {\n  public let b = 1\n}").count == 1)
    #expect(told("struct A: P {\n  struct B {\n    public let a = 1\n  }\n}").count == 1)
    #expect(told("struct A where B: P {\n  public let a = 1\n}").count == 1)
  }

  @Test func `another test library is caught`() {
    #expect(
      told(Tidy.testLibrary, "Tests/A/A.swift", "import Testing\nimport XCTest\n").map { $0.prefix(2) } == [
        "2:"
      ])
  }

  @Test func `an incomplete track is caught`() {
    #expect(Tidy.tracks(["a.gpx", "a.chk", "a.scenario.yaml", "a.regions.geojson", "README.md"]).isEmpty)
    #expect(Tidy.tracks(["a.gpx", "a.scenario.yaml"]).map(\.path) == ["Tracks/a.gpx"])
    #expect(Tidy.tracks(["a.gpx", "a.chk"]).map(\.path) == ["Tracks/a.gpx"])
    #expect(
      Tidy.tracks(["b.chk", "b.scenario.yaml"]).map(\.path) == ["Tracks/b.chk", "Tracks/b.scenario.yaml"])
  }

  @Test func `a target that is not as the root's is caught`() {
    let root = #"""
      .package(url: "https://a", from: "1.0.0"),
      .target(
        name: "A", dependencies: ["B"],
        resources: ["x", "y"].map { .embedInCode("\($0)") },
        swiftSettings: strict),
      // B.
      .systemLibrary(name: "B", pkgConfig: "b"),
      .target(name: "C", dependencies: ["A"], path: "Tests/C"),
      """#
    func found(_ manifest: String) -> [String] {
      Tidy.sharedTargets(in: manifest, of: "F/Package.swift", root: root).map(\.description)
    }
    #expect(found(root.replacing("strict", with: "fuzzed").replacing("B.", with: "Others.")).isEmpty)
    #expect(found(".target(name: \"C\", dependencies: []),\n.target(name: \"D\")").isEmpty)
    #expect(
      found(root.replacing(#""x", "y""#, with: #""x""#)).first?.hasPrefix("F/Package.swift:2: A is not")
        == true)
    #expect(found(root.replacing(#"["B"]"#, with: #"["B", "D"]"#)).count == 1)
    #expect(found(root.replacing(#"pkgConfig: "b""#, with: #"pkgConfig: "c""#)).count == 1)
    #expect(found(root.replacing("1.0.0", with: "1.0.1")).count == 1)
  }

  @Test func `a path that is not there is caught`() {
    let text =
      "Run `scripts/test`, then ./scripts/demo.\nSee [wire](Docs/Wire.md); Tracks/*.gpx, Tracks/<slug>.gpx, Fuzz/\nhttps://x.y/Docs/\n"
    let found = Tidy.paths(in: text, of: "README.md") { $0 == "scripts/test" }
    #expect(
      found.map(\.description) == [
        "README.md:1: scripts/demo does not exist", "README.md:2: Docs/Wire.md does not exist",
      ])
  }

  @Test func `lines are counted through comments and strings`() {
    let source = SwiftSource(path: "A.swift", text: "/* 1\n2 */ a\n\"\"\"\n4\n\\(b)\n\"\"\"\nc")
    #expect(source.tokens.filter(\.isWord).map { "\($0.text)\($0.line)" } == ["a2", "b5", "c7"])
  }

  @Test(arguments: [
    "\"", "\"\\", "\"\"\"\n", "/*", "`a", "#", "#\"", "#/", "\"\\(", "(", "}", "import", "public", "func f(",
  ])
  func `a file that ends too early is read to its end`(text: String) {
    let source = SwiftSource(path: "Sources/LocationCore/Model/A.swift", text: text)
    _ = Tidy.traps([source]) + Tidy.documentation([source]) + Tidy.functionLength([source])
    #expect(Tidy.folderOrder([source]).isEmpty)
  }
}

import LocationCore
import LocationFormats
import Testing

@Suite struct StrictYAMLTests {
  enum Key: String, CaseIterable {
    case start, seed, steps
    case interval = "interval_s"
    case kind
    case smooth
  }

  enum Kind: String, CaseIterable { case honest, understated }

  func map(_ text: String) throws(Failure) -> StrictMap<Key> {
    try StrictYAML(text, file: "x.yaml", code: .data).map(Key.self)
  }

  /// The failure of `body`, as `line: what | remedy`.
  func message(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "no failure"
    } catch let failure as Failure {
      #expect(failure.file == "x.yaml" && failure.code == .data)
      let line = failure.line.map { "\($0): " } ?? ""
      return line + failure.what + (failure.remedy.map { " | \($0)" } ?? "")
    } catch {
      return "another error: \(error)"
    }
  }

  @Test func `every getter reads its kind`() throws {
    let map = try map(
      """
      start: 2026-05-01T06:00:00Z
      seed: 42
      interval_s: 0.5
      kind: understated
      smooth: true
      steps: [a, 'b', "1"]
      """)
    #expect(try map.required(.start).time().microseconds == 1_777_615_200_000_000)
    #expect(try map.required(.seed).int() == 42)
    #expect(try map.required(.interval).double() == 0.5)
    #expect(try map.required(.kind).word(Kind.self) == .understated)
    #expect(try map.required(.smooth).bool())
    #expect(
      try map.required(.steps).list().map { node throws(Failure) in try node.string() } == ["a", "b", "1"])
    #expect(map.entries.map(\.key) == [.start, .seed, .interval, .kind, .smooth, .steps])
    #expect(map.entries.map(\.value.line) == [1, 2, 3, 4, 5, 6])
  }

  @Test func `an alias is a copy of what it names`() throws {
    let map = try map("steps: &list\n  - &one 1\n  - *one\nseed: *one\nkind: *list")
    #expect(try map.required(.steps).list().map { (node) throws(Failure) in try node.int() } == [1, 1])
    #expect(try map.required(.seed).int() == 1)
    #expect(try map.required(.kind).list().count == 2)
  }

  @Test func `an absent key is nil, so that a default is a nil coalescing`() throws {
    let map = try map("seed: 1")
    #expect(try map.optional(.interval)?.double() ?? 2 == 2)
    #expect(message { _ = try map.required(.start) } == "1: `start` is missing")
  }

  @Test(arguments: [
    ("seed: 1\nintervals: 2", "2: unknown key \"intervals\" | did you mean \"interval_s\"?"),
    ("interval: 2", "1: unknown key \"interval\" | did you mean \"interval_s\"?"),
    ("steps: []\n\nsed: 4", "3: unknown key \"sed\" | did you mean \"seed\"?"),
    (
      "colour: red",
      "1: unknown key \"colour\" | keys here: start, seed, steps, interval_s, kind, smooth"
    ),
    ("[1, 2]", "1: expected a map of start, seed, steps, interval_s, kind, smooth, found a list"),
    ("seed: 1\nsteps: []\nseed: 2", "3: `seed` is there more than once, first in line 1 | keep one of them"),
    ("seed: [1", "2: not YAML: did not find expected ',' or ']'"),
    ("", "1: nothing in it | check the path"),
    ("# only a comment", "1: nothing in it | check the path"),
    ("seed: 1\n---\nseed: 2", "2: not YAML: a second document begins here; keep one"),
    ("# é\nseed: \u{1}", "2: not YAML: control characters are not allowed"),
    ("seed: *nowhere", "1: not YAML: found undefined alias"),
    ("seed: &a [*a]", "1: not YAML: found undefined alias"),
    (
      "steps:\n " + String(repeating: "[", count: 300),
      "2: not YAML: more than 256 levels of lists and maps"
    ),
    (
      "a0: &a0 \(String(repeating: "[", count: 200))1\(String(repeating: "]", count: 200))\na1: "
        + "\(String(repeating: "[", count: 60))*a0",
      "2: not YAML: more than 256 levels of lists and maps"
    ),
    (
      "a0: &a0 [1]\n"
        + (1...9).map { level in
          "a\(level): &a\(level) [\(String(repeating: "*a\(level - 1),", count: 9))]\n"
        }.joined(), "6: not YAML: aliases repeat more than 100000 values"
    ),
    ("<<: {seed: 1}", "1: unknown key \"<<\" | keys here: start, seed, steps, interval_s, kind, smooth"),
  ])
  func `a document that is not one says where and why`(text: String, expected: String) {
    #expect(message { _ = try map(text) } == expected)
  }

  @Test(arguments: [
    "nan", ".nan", "inf", ".inf", "0x10", "1_000", "'12'", "\"12\"", "twelve", "", "~", "null", "[1]",
    "{a: 1}",
    "1e999", "1,5", "12 m", "--1",
  ])
  func `what is not a plain decimal number is refused`(text: String) {
    let found = message { _ = try map("interval_s: \(text)").required(.interval).double() }
    #expect(found.hasPrefix("1: interval_s: expected a number, found "), "\(found)")
  }

  @Test(arguments: [("1", 1.0), ("-1.5", -1.5), ("+60", 60), (".5", 0.5), ("2.", 2), ("1e3", 1000)])
  func `plain decimal numbers are read`(text: String, value: Double) throws {
    #expect(try map("interval_s: \(text)").required(.interval).double() == value)
  }

  @Test(arguments: ["1.0", "1e3", "x", "", "'1'", "99999999999999999999"])
  func `what is not a whole number is refused`(text: String) {
    let found = message { _ = try map("seed: \(text)").required(.seed).int() }
    #expect(found.hasPrefix("1: seed: expected a whole number, found "), "\(found)")
  }

  @Test func `a number outside its range says the range`() {
    #expect(
      message { _ = try map("interval_s: 0").required(.interval).double(in: 0.1...60) }
        == "1: interval_s: 0 is outside 0.1 to 60")
    #expect(
      message { _ = try map("seed: -1").required(.seed).int(in: 0...9) } == "1: seed: -1 is outside 0 to 9")
  }

  @Test(arguments: ["yes", "on", "True", "1", "'true'", ""])
  func `only true and false are truth values`(text: String) {
    let found = message { _ = try map("smooth: \(text)").required(.smooth).bool() }
    #expect(found.hasPrefix("1: smooth: expected true or false, found "), "\(found)")
  }

  @Test(arguments: ["yesterday", "2026-05-01", "2026-13-01T00:00:00Z", "[1]", ""])
  func `a time that is none is refused`(text: String) {
    let found = message { _ = try map("start: \(text)").required(.start).time() }
    #expect(found.hasPrefix("1: start: expected a time as 2026-05-01T06:00:00Z, found "), "\(found)")
  }

  @Test func `a word that is none suggests the nearest`() {
    #expect(
      message { _ = try map("kind: onest").required(.kind).word(Kind.self) }
        == "1: kind: unknown word \"onest\" | did you mean \"honest\"?")
    #expect(
      message { _ = try map("kind: 17").required(.kind).word(Kind.self) }
        == "1: kind: unknown word \"17\" | words here: honest, understated")
    #expect(
      message { _ = try map("kind: {}").required(.kind).word(Kind.self) }
        == "1: kind: expected one of honest, understated, found a map")
  }

  @Test func `errors below name the whole path`() throws {
    let map = try map("steps:\n  - [1, 2]\n  - [3,\n     x]")
    #expect(
      message { _ = try map.required(.steps).list()[1].list()[1].double() }
        == "4: steps[1][1]: expected a number, found \"x\"")
    #expect(
      message { _ = try map.required(.steps).list()[1].map(Key.self) }
        == "3: steps[1]: expected a map of start, seed, steps, interval_s, kind, smooth, found a list")
  }

  @Test func `exactly one of several keys`() throws {
    #expect(try map("seed: 1\nkind: x").exactlyOne(of: [.kind, .start]).key == .kind)
    #expect(
      message { _ = try map("seed: 1").exactlyOne(of: [.kind, .start]) }
        == "1: one of kind, start is missing")
    #expect(
      message { _ = try map("start: 1\nkind: x").exactlyOne(of: [.kind, .start]) }
        == "2: kind: can't stand beside `start`")
    #expect(
      message { try map("start: 1\nseed: 2\nkind: x").only([.seed], beside: .start) }
        == "3: kind: has no meaning beside `start`")
  }

  @Test func `bytes that are no text, and too many of them, are refused`() {
    #expect(
      message { _ = try StrictYAML([0x73, 0x0A, 0xC3, 0xA4, 0x0A, 0xFF, 0xFE], file: "x.yaml", code: .data) }
        == "3: not UTF-8 | save the file as UTF-8")
    let long = [UInt8](repeating: UInt8(ascii: " "), count: StrictYAML.maximumBytes + 1)
    #expect(
      message { _ = try StrictYAML(long, file: "x.yaml", code: .data) }
        == "16777217 bytes are too many for a YAML file (at most 16777216)")
  }

  @Test func `a byte order mark is passed over`() throws {
    let map = try map("\u{FEFF}seed: 7\nkind: honest\n")
    #expect(try map.required(.seed).int() == 7)
    #expect(try map.required(.kind).line == 2)
  }

  @Test func `a text with a NUL character is refused`() {
    #expect(
      message { _ = try map(#"kind: "a\0b""#).required(.kind).string() }
        == #"1: kind: a text with a NUL character | leave \0 out"#)
  }

  @Test(arguments: [900, 5000])
  func `deep nesting is refused or read, never a crash`(depth: Int) {
    let text = "seed: " + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    #expect(message { _ = try map(text).required(.seed).int() }.contains("1: "))
  }

  @Test func `an anchor may be used again`() throws {
    let map = try map("seed: &n 7\nsteps: [*n, *n]")
    #expect(try map.required(.steps).list().map { node throws(Failure) in try node.int() } == [7, 7])
  }

  @Test func `the code is the caller's`() {
    let failure = #expect(throws: Failure.self) { _ = try StrictYAML("", file: "c.yaml", code: .config) }
    #expect(failure?.code == .config)
  }
}

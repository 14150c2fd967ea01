import FoundationEssentials
import TestSupport
import Testing

/// Whatever a text holds that comes from a user, a program or a file: it is read, or refused with one line for a person.
/// `LOCWATCH_FULL=1` tries 500,000 mutations of each kind of text.
@Suite struct TextMutationTests {
  @Test(arguments: TextKind.allCases) func `it is read, or refused in one line`(kind: TextKind) throws {
    let folder = TemporaryFolder()
    let path = folder("f")
    let seeds = try Self.seeds(of: kind)
    try #require(!seeds.isEmpty)
    for seed in seeds { try kind.check(seed, path: path) }
    var random = SeededRandom(20_260_501)
    for round in 0..<(Corpus.isFull ? 500_000 : 500) {
      let bytes = Self.mutated(seeds, &random)
      do {
        try kind.check(bytes, path: path)
      } catch {
        Issue.record("\(random) round \(round): \(error), of \(String(decoding: bytes, as: UTF8.self))")
        return
      }
    }
  }

  /// Texts to begin with: good ones, and what fuzzers found.
  private static func seeds(of kind: TextKind) throws -> [[UInt8]] {
    let folder = PackageRoot.file("Fuzz/Seeds/\(kind.rawValue)")
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { name in
      [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
    }
  }

  /// What breaks readers: numbers at their limits, quotes, brackets without an end, references, other encodings.
  private static let pieces: [[UInt8]] =
    [
      "1e999", "-1", "NaN", "9223372036854775808", "0x10", "\"", "\\", "\\ud800", "{", "}", "[", "]", ":",
      ",", "- ",
      "&a", "*a", "<<: *a", "!!binary ", "<![CDATA[", "]]>", "<!DOCTYPE a [<!ENTITY b \"c\">]>", "&b;",
      "<!--", "\u{0}",
      "\u{FEFF}", "\u{202E}", "😀", "\n", "\t", "null", "~", "1e-400", "18446744073709551616",
      "2026-13-45T25:61:61Z",
    ].map { Array($0.utf8) } + [
      [0xFF, 0xFE], [0xC0, 0x80], Array(repeating: UInt8(ascii: "["), count: 3_000),
    ]

  private static func mutated(_ seeds: [[UInt8]], _ random: inout SeededRandom) -> [UInt8] {
    var bytes = seeds.randomElement(using: &random) ?? []
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      guard !bytes.isEmpty else { break }
      let index = Int.random(in: 0..<bytes.count, using: &random)
      let end = min(bytes.count, index + Int.random(in: 1...40, using: &random))
      switch Int.random(in: 0..<7, using: &random) {
      case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
      case 1: bytes.removeSubrange(index..<end)
      case 2: bytes.insert(contentsOf: Array(bytes[index..<end]), at: index)
      case 3, 4: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: index)
      case 5:
        let other = seeds.randomElement(using: &random) ?? []
        let from = Int.random(in: 0..<max(1, other.count), using: &random)
        bytes.replaceSubrange(index..<end, with: other[min(from, other.count)..<min(other.count, from + 40)])
      default: bytes.removeSubrange(index...)
      }
    }
    return bytes
  }
}

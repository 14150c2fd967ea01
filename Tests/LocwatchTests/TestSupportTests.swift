import FoundationEssentials
import Synchronization
import TestSupport
import Testing

/// The tools of the other tests, tested first.
@Suite struct BinaryTests {
  @Test func `the built binary is found and tells its usage`() async throws {
    let run = try await Binary.run(["--help"])
    #expect(run.status == 0)
    #expect(run.stdout.contains("USAGE: locwatch"), "\(run)")
  }

  @Test func `more than a pipe holds goes through in both directions`() async throws {
    let megabyte = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    let run = try await Binary.run([], stdin: megabyte, executable: "/bin/cat")
    #expect(run.status == 0)
    #expect(run.stdoutBytes == megabyte)
  }

  @Test func `both outputs are told apart`() async throws {
    let run = try await shell("echo out; echo err >&2; exit 65")
    #expect(run.stdout == "out\n")
    #expect(run.stderr == "err\n")
    #expect(run.status == 65)
  }

  @Test func `a program that does not read its input is no trouble`() async throws {
    let run = try await Binary.run(
      ["-c", "exit 3"], stdin: [UInt8](repeating: 0, count: 1 << 20), executable: "/bin/sh")
    #expect(run.status == 3)
  }

  @Test func `a signal is told as a shell tells it`() async throws {
    let run = try await shell("kill -TERM $$")
    #expect(run.status == 143)
  }

  @Test func `what hangs is killed with its children`() async throws {
    let run = try await Binary.run(
      ["-c", "echo begun; sleep 1000 & wait"], timeout: .seconds(5), executable: "/bin/sh")
    #expect(run.timedOut)
    #expect(run.status == 128 + 9)
    #expect(run.stdout == "begun\n")
  }

  @Test func `a child left behind with the pipes open is not waited for`() async throws {
    // It would be killed where it was waited for.
    let run = try await Binary.run(
      ["-c", "sleep 100 & echo begun"], timeout: .seconds(60), executable: "/bin/sh")
    #expect(!run.timedOut)
    #expect(run.stdout == "begun\n")
  }

  @Test func `the environment is the one that was asked for`() async throws {
    let run = try await Binary.run([], environment: ["LOCWATCH_X": "1"], executable: "/usr/bin/env")
    #expect(run.stdout.contains("LOCWATCH_X=1\n"))
    #expect(run.stdout.contains("HOME=\(Binary.home)\n"))
    #expect(!run.stdout.contains("PWD="))
  }

  @Test func `a program that is not there is named`() async {
    await #expect(throws: Binary.Failure.self) {
      try await Binary.run([], executable: "/nonexistent/locwatch")
    }
  }

  @Test func `many runs at once keep their own pipes`() async throws {
    try await withThrowingTaskGroup { group in
      for number in 0..<16 {
        group.addTask {
          let text = String(repeating: "\(number)\n", count: 20_000)
          let run = try await Binary.run([], stdin: text, executable: "/bin/cat")
          #expect(run.stdout == text)
        }
      }
      try await group.waitForAll()
    }
  }

  private func shell(_ script: String) async throws -> Binary.Result {
    try await Binary.run(["-c", script], executable: "/bin/sh")
  }
}

@Suite struct GoldenTests {
  @Test func `an equal file passes, another is told line by line`() throws {
    try withFile("a\nb\nc\n") { path in
      #expect(Golden.compare(path, "a\nb\nc\n", record: false) == .equal)
      let difference = """
        --- \(path) (expected)
        +++ \(path) (actual)
        @@ -1,3 +1,3 @@
         a
        -b
        +B
         c

        """
      #expect(Golden.compare(path, "a\nB\nc\n", record: false) == .different(difference))
    }
  }

  @Test func `a missing file is not taken for an empty one`() {
    #expect(Golden.compare("Tests/no-such-golden.chk", "", record: false) == .missing)
    #expect(Golden.compare("/proc/no-such-golden.chk", "", record: false) == .missing)
  }

  @Test func `recording writes, says so once, and is then satisfied`() throws {
    try withFile("old\n") { path in
      #expect(Golden.compare(path, "new\n", record: true) == .recorded)
      #expect(Golden.compare(path, "new\n", record: true) == .equal)
      #expect(Golden.compare(path, "new\n", record: false) == .equal)
    }
  }

  @Test func `what can't be recorded is said`() {
    guard case .unwritable = Golden.compare("/proc/no/golden.chk", "", record: true) else {
      Issue.record("recorded into /proc")
      return
    }
  }

  @Test func `every outcome but equal is a complaint`() {
    #expect(Golden.complaint(.equal, path: "x.chk") == nil)
    #expect(Golden.complaint(.recorded, path: "x.chk") == "x.chk: recorded, run again.")
    for outcome in [Golden.Outcome.different("+a"), .missing, .unwritable("full")] {
      #expect(Golden.complaint(outcome, path: "x.chk")?.hasPrefix("x.chk ") == true)
    }
  }

  private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
    let path = "/tmp/locwatch-golden-\(UUID().uuidString).chk"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(text.utf8).write(to: URL(filePath: path))
    try body(path)
  }
}

@Suite struct UnifiedDiffTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var expected: String
    var actual: String
    var hunks: String
    var testDescription: String { "\(expected.debugDescription) to \(actual.debugDescription)" }

    init(_ expected: String, _ actual: String, _ hunks: String) {
      self.expected = expected
      self.actual = actual
      self.hunks = hunks
    }
  }

  static let cases = [
    Case("", "a\n", "@@ -0,0 +1,1 @@\n+a\n"),
    Case("a\n", "", "@@ -1,1 +0,0 @@\n-a\n"),
    Case("a\n", "a", "@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n"),
    Case("a\r\n", "a\n", "@@ -1,1 +1,1 @@\n-a\r\n+a\n"),
    Case(
      "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", "1\n2\n3\n4\n5\n7\n8\n9\n10\n",
      "@@ -3,7 +3,6 @@\n 3\n 4\n 5\n-6\n 7\n 8\n 9\n"
    ),
    Case(
      "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\nX\n",
      "@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -7,3 +8,4 @@\n 7\n 8\n 9\n+X\n"
    ),
  ]

  @Test(arguments: cases)
  func `changes stand in hunks with three lines around them`(texts: Case) {
    let header = "--- f (expected)\n+++ f (actual)\n"
    #expect(UnifiedDiff.between(texts.expected, texts.actual, path: "f") == header + texts.hunks)
  }

  @Test func `equal texts have no difference`() {
    #expect(UnifiedDiff.between("a\nb", "a\nb", path: "f").isEmpty)
  }

  @Test func `canonically equal texts of different bytes differ`() {
    #expect(!UnifiedDiff.between("\u{e9}\n", "e\u{301}\n", path: "f").isEmpty)
  }
}

@Suite struct SeededRandomTests {
  @Test func `the sequence is SplitMix64's`() {
    // From the reference C code, https://prng.di.unimi.it/splitmix64.c, with x = 1234567.
    var random = SeededRandom(1_234_567, environment: nil)
    #expect(random.next() == 6_457_827_717_110_365_317)
    #expect(random.next() == 3_203_168_211_198_807_973)
  }

  @Test func `a seed from the environment takes the place of the test's own`() {
    #expect(SeededRandom(1, environment: "77").seed == 77)
    #expect(SeededRandom(1, environment: "").seed == 1)
    #expect(SeededRandom(1, environment: nil).description == "LOCWATCH_SEED=1")
  }

  @Test func `the normal has the moments of a normal`() {
    var random = SeededRandom(5, environment: nil)
    let count = 20_000
    var sum = 0.0
    var squares = 0.0
    var outside = 0
    for _ in 0..<count {
      let value = random.normal(mean: 3, sigma: 2)
      sum += value
      squares += (value - 3) * (value - 3)
      if abs(value - 3) > 2 * 1.96 { outside += 1 }
    }
    #expect(abs(sum / Double(count) - 3) < 0.05)
    #expect(abs(squares / Double(count) - 4) < 0.15)
    #expect(abs(Double(outside) / Double(count) - 0.05) < 0.006)
  }
}

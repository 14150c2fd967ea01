import LocationFleet
import Testing

struct LeaseTableTests {
  /// A worker that looks each second of its clock, at leases that live for 10 s.
  private struct Watcher {
    var table = LeaseTable(lifeSeconds: 10)
    var now = 1_000.0

    mutating func look(_ seen: [(String, UInt64, String)] = []) {
      table.beginLook(at: now)
      for (key, revision, value) in seen {
        table.note(key, revision: revision, value: Array(value.utf8), at: now)
      }
      table.endLook()
      now += 1
    }
  }

  @Test func `nothing may be taken before everything was read once`() {
    var table = LeaseTable(lifeSeconds: 10)
    #expect(table.claim("a") == nil)
    table.beginLook(at: 5)
    #expect(table.claim("a") == nil)
    table.endLook()
    #expect(table.claim("a") == 0)
  }

  @Test func `a lease lives as long as it is renewed, and is taken on top of what was seen`() {
    var watcher = Watcher()
    for revision in 1...20 {
      watcher.look([("a", UInt64(revision), "w1")])
      #expect(watcher.table.claim("a") == nil)
    }
    for _ in 0..<9 { watcher.look() }
    #expect(watcher.table.claim("a") == nil)
    watcher.look()
    #expect(watcher.table.claim("a") == 20)
  }

  @Test func `reading the same again does not renew it, and an older revision is not taken for newer`() {
    var watcher = Watcher()
    watcher.look([("a", 7, "w1")])
    for _ in 0..<10 { watcher.look([("a", 3, "w0"), ("a", 7, "w1")]) }
    #expect(watcher.table.claim("a") == 7)
  }

  @Test func `what an older copy of the store has lives one life more, and is taken on top of that`() {
    var watcher = Watcher()
    watcher.look([("a", 7, "w1"), ("b", 8, "w1")])
    for _ in 0..<9 { watcher.look() }
    watcher.look([("a", 3, "w0")])
    #expect(watcher.table.claim("a") == nil)
    #expect(watcher.table.claim("b") == 8)
    for _ in 0..<9 { watcher.look([("a", 3, "w0")]) }
    #expect(watcher.table.claim("a") == nil)
    watcher.look([("a", 3, "w0")])
    #expect(watcher.table.claim("a") == 3)
    watcher.look([("a", 4, "w0")])
    #expect(watcher.table.claim("a") == nil)
  }

  @Test func `another life is counted from when it is known`() {
    var watcher = Watcher()
    watcher.look([("a", 1, "w1")])
    for _ in 0..<8 { watcher.look() }
    watcher.table.change(lifeSeconds: 4)
    for _ in 0..<3 { watcher.look() }
    #expect(watcher.table.claim("a") == nil)
    watcher.look()
    #expect(watcher.table.claim("a") == 1)
    watcher.table.change(lifeSeconds: 60)
    watcher.look([("a", 2, "w1")])
    for _ in 0..<59 { watcher.look() }
    #expect(watcher.table.claim("a") == nil)
    watcher.look()
    #expect(watcher.table.claim("a") == 2)
  }

  @Test func `one that was given back may be taken at once`() {
    var watcher = Watcher()
    watcher.look([("a", 1, "w1"), ("a", 2, "")])
    #expect(watcher.table.claim("a") == 2)
  }

  @Test func `an outage is not counted, nor the time in which the worker hung`() {
    var watcher = Watcher()
    watcher.look([("a", 1, "w1")])
    // Looks that nobody answers.
    for _ in 0..<60 {
      watcher.table.beginLook(at: watcher.now)
      watcher.now += 1
    }
    watcher.look()
    #expect(watcher.table.claim("a") == nil)
    watcher.now += 3_600
    watcher.look()
    #expect(watcher.table.claim("a") == nil)
    for _ in 0..<10 { watcher.look() }
    #expect(watcher.table.claim("a") == 1)
  }

  @Test func `a renewal seen late in a look lives from then on`() {
    var watcher = Watcher()
    watcher.look()
    watcher.table.beginLook(at: watcher.now)
    watcher.table.note("a", revision: 1, value: [1], at: watcher.now + 2)
    watcher.table.endLook()
    watcher.now += 1
    for _ in 0..<11 { watcher.look() }
    #expect(watcher.table.claim("a") == nil)
    watcher.look()
    #expect(watcher.table.claim("a") == 1)
  }

  @Test func `live ones are counted by their keys, and old signs of life forgotten`() {
    var watcher = Watcher()
    watcher.look([("worker.a", 1, "x"), ("worker.b", 2, "x"), ("partition.0", 3, "x")])
    func shares(_ count: Int) -> [Int] {
      ["worker.a", "worker.b", "worker.c"].map { watcher.table.share(of: count, for: $0, among: "worker.") }
    }
    // c has given no sign of life yet, and asks for its share all the same.
    #expect(shares(4) == [2, 2, 1])
    #expect(shares(1) == [1, 0, 0])
    for revision in 4..<120 { watcher.look([("worker.b", UInt64(revision), "x")]) }
    #expect(shares(5) == [3, 5, 2])
    let old = watcher.table.removeForgotten("worker.")
    #expect(old?.key == "worker.a" && old?.revision == 1)
    #expect(watcher.table.removeForgotten("worker.") == nil)
    #expect(watcher.table.claim("partition.0") == 3)
  }
}

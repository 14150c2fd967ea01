import LocationCore
import Testing

@testable import LocationRuntime

/// When somebody is there again to do what the engine decides.
@Suite struct DaemonAbsenceTests {
  /// At which of so many seconds a pause of two seconds ends with somebody there again.
  private static func ends(_ absence: inout DaemonAbsence, at seconds: [Int64]) -> [Int64] {
    var found: [Int64] = []
    for second in seconds where absence.endPause(at: EngineInstant(microseconds: second * 1_000_000)) {
      found.append(second)
    }
    return found
  }

  private static let pauseEnd = EngineInstant(microseconds: 2_000_000)

  @Test func `a pause ends once, when what was answered meanwhile is taken`() {
    var absence = DaemonAbsence()
    #expect(!absence.isOn)
    let none = Self.ends(&absence, at: [0, 5])
    #expect(none == [])
    absence.pause(until: Self.pauseEnd)
    #expect(absence.isOn)
    let ends = Self.ends(&absence, at: [1, 2, 3])
    #expect(ends == [2])
    #expect(!absence.isOn)
  }

  @Test func `nobody is there after a pause while the disk takes nothing`() {
    var absence = DaemonAbsence()
    absence.pause(until: Self.pauseEnd)
    absence.lacksDisk = true
    let ends = Self.ends(&absence, at: [1, 2, 3])
    #expect(ends == [])
    #expect(absence.isOn)
    absence.lacksDisk = false
    #expect(!absence.isOn)
  }

  @Test func `a disk that takes something again does not end a pause`() {
    var absence = DaemonAbsence()
    absence.lacksDisk = true
    absence.pause(until: Self.pauseEnd)
    absence.lacksDisk = false
    #expect(absence.isOn)
    let ends = Self.ends(&absence, at: [1, 2, 3])
    #expect(ends == [2])
  }

  @Test func `while the time of a program runs a stop is dated to a second`() {
    func at(_ seconds: Int64) -> EngineInstant { EngineInstant(microseconds: seconds * 1_000_000) }
    #expect(DaemonAbsence.nextLook(from: at(10), ends: []) == nil)
    #expect(DaemonAbsence.nextLook(from: at(10), ends: [nil, at(9), at(10)]) == nil)
    let look = DaemonAbsence.nextLook(from: at(10), ends: [nil, at(30)])
    #expect(look == at(11))
    #expect(DaemonAbsence.began(slept: 0, due: look, now: at(12)) == nil)
    #expect(DaemonAbsence.began(slept: 0, due: look, now: at(19)) == at(11))
  }

  @Test(
    "A sleep is an absence while something waits for its time; a late daemon only when something was due",
    arguments: [
      // slept, due, now: since when
      (60.0, 130, 100, 40), (60, 70, 100, 40), (60, 20, 100, 20), (60, nil, 100, nil), (0.5, 130, 100, nil),
      (0, 97, 100, 97), (60, 41, 100, 40), (0, 99, 100, nil), (0, nil, 100, nil),
    ] as [(Double, Int64?, Int64, Int64?)])
  func began(slept: Double, due: Int64?, now: Int64, expected: Int64?) {
    func at(_ seconds: Int64) -> EngineInstant { EngineInstant(microseconds: seconds * 1_000_000) }
    let slept = DaemonAbsence.sleepSeconds(slept)
    #expect(DaemonAbsence.began(slept: slept, due: due.map(at), now: at(now)) == expected.map(at))
  }
}

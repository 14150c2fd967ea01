import Testing

@testable import LocationCore
@testable import LocationRuntime

@Suite struct MeteringTests {
  private func usage(_ coreSeconds: Double) -> ProgramUsage {
    ProgramUsage(coreSeconds: coreSeconds, memoryBytes: 1, processes: 1)
  }

  @Test func `what the machine tells waits until everybody has said how large it is, in order`() {
    var metering = Metering()
    #expect(metering.hold(.memoryPressure(.none), until: []) == [.memoryPressure(.none)])
    #expect(metering.hold(.memoryPressure(.critical), until: ["a", "b"]) == [])
    #expect(metering.hold(.memoryPressure(.none), until: []) == [])
    #expect(metering.isAwaited("a") && !metering.isAwaited("c"))
    #expect(metering.release(after: "a") == [])
    #expect(metering.release(after: "b") == [.memoryPressure(.critical), .memoryPressure(.none)])
    #expect(metering.release(after: "b") == [])
  }

  @Test func `programs in the background are asked every ten seconds, and nobody when there is none`() {
    var metering = Metering()
    let start = EngineInstant(microseconds: 0)
    var asked: [Int] = []
    for second in 0..<60
    where metering.isDue(at: start.advanced(bySeconds: Double(second)), isNeeded: second < 45) {
      asked.append(second)
    }
    #expect(asked == [0, 10, 20, 30, 40])
    #expect(metering.nextSample == nil)
  }

  @Test func `too much of the processor in the background is told once, and none of the foreground's counts`()
  {
    var metering = Metering()
    var over: [Int] = []
    for second in stride(from: 0, through: 200, by: 10) {
      // One whole core all the time; in the foreground up to 60 s.
      let isOver = metering.isOver(
        usage(Double(second)), of: "a", isInBackground: second > 60, at: Double(second))
      if isOver { over.append(second) }
    }
    // 48 core seconds after the first sample at 70 s, and again after that.
    #expect(over == [120, 180])
  }
}

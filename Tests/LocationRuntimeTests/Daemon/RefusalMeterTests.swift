import LocationCore
import Testing

@testable import LocationRuntime

@Suite struct RefusalMeterTests {
  private func at(_ seconds: Double) -> EngineInstant {
    EngineInstant(microseconds: 0).advanced(bySeconds: seconds)
  }

  @Test func `so many refusals a minute have a record, and so many requests are tried after those`() {
    var meter = RefusalMeter()
    for index in 0..<SupervisorLimits.refusalsPerMinute {
      #expect(!meter.isOver("a", at: at(Double(index))))
      meter.note("a", at: at(Double(index)))
    }
    #expect(meter.isOver("a", at: at(59)))
    let most = SupervisorLimits.triesPerMinute
    for count in SupervisorLimits.refusalsPerMinute..<most {
      #expect(!meter.isOver("a", at: at(59), limit: most), "\(count)")
      meter.note("a", at: at(59))
    }
    #expect(meter.isOver("a", at: at(59), limit: most))
    #expect(!meter.isOver("b", at: at(59)))
    #expect(!meter.isOver("a", at: at(60)))
    meter.note("a", at: at(61))
    #expect(!meter.isOver("a", at: at(61)))
  }

  @Test func `one that is gone is forgotten`() {
    var meter = RefusalMeter()
    for _ in 0..<SupervisorLimits.refusalsPerMinute { meter.note("a", at: at(0)) }
    meter.forget("a")
    #expect(!meter.isOver("a", at: at(1)))
  }
}

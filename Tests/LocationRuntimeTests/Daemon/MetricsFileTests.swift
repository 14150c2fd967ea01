import LocationCore
import TestSupport
import Testing

@testable import LocationRuntime

/// When the file with the metrics is written.
@Suite struct MetricsFileTests {
  @Test func `what happens soon after a writing is due later, and that nothing happened is not`() {
    var file = MetricsFile("/nowhere")
    /// Whether it is written at so many seconds, and when it is due after that.
    func look(_ seconds: Double, _ mark: Int) -> (isDue: Bool, dueAt: EngineInstant?) {
      let isDue = file.isDue(at: Drive.instant(seconds), mark: [mark])
      return (isDue, file.dueAt)
    }
    #expect(look(0, 1) == (true, nil))
    // It is awake because of the file that it has written.
    #expect(look(1, 1) == (false, nil))
    #expect(look(2, 2) == (false, Drive.instant(15)))
    #expect(look(15, 2) == (true, nil))
    // Ages grow even if nothing happens: it is written whenever the daemon is awake after a while.
    #expect(look(40, 2) == (true, nil))
  }

  @Test func `that fixes stay away is written once, though nothing happens`() {
    var file = MetricsFile("/nowhere")
    /// Whether it is written at so many seconds, and when it is due after that; the last fix is noted in between.
    func look(
      _ seconds: Double, _ mark: Int, fix: Double? = nil
    ) -> (isDue: Bool, dueAt: EngineInstant?) {
      let isDue = file.isDue(at: Drive.instant(seconds), mark: [mark])
      if let fix { file.noteStale(after: Drive.instant(fix), staleSeconds: 30, at: Drive.instant(seconds)) }
      return (isDue, file.dueAt)
    }
    #expect(look(0, 1, fix: 0) == (true, Drive.instant(31)))
    // What happens before comes first.
    #expect(look(2, 2) == (false, Drive.instant(15)))
    // It is not written more often for it.
    #expect(look(15, 2, fix: -15) == (true, Drive.instant(30)))
    // The fix is old already.
    #expect(look(30, 2, fix: -15) == (true, nil))
  }
}

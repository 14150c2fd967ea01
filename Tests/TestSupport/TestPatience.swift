/// How long a test waits for what has to come.
///
/// Only what is broken takes as long: a wait is over as soon as it has what it waits for. Beside other tests, on a
/// machine with two processors, a step that is otherwise a moment may take a minute.
package enum TestPatience {
  /// Seconds for one thing that has to come.
  package static let seconds = 300.0
  /// Seconds after which a program that runs beside a test is killed: more than all the waits of a test take.
  package static let lifeSeconds = 1_800.0
}

/// Waits until something is so; whether it came to that within ``TestPatience/seconds``. What fails is asked again.
package func eventually(_ isSo: () async throws -> Bool) async -> Bool {
  let end = ContinuousClock.now + .seconds(TestPatience.seconds)
  while ContinuousClock.now < end {
    if (try? await isSo()) == true { return true }
    try? await Task.sleep(for: .milliseconds(100))
  }
  return false
}

package import LocationCore
package import LocationFormats
import LocationRuntime

/// The same tracks under every policy.
package struct Comparison: Sendable {
  /// In the order of ``ComparedPolicy``; the first is the reference.
  package private(set) var results = ComparedPolicy.allCases.map { PolicyResult($0) }
  /// The device that is modelled.
  package let profile: PowerProfile

  /// How often the error of the position is looked at, seconds: more says nothing new.
  private static let errorSeconds = 10.0

  package init(profile: PowerProfile) { self.profile = profile }

  /// Runs a track under every policy and adds what came of it.
  ///
  /// - Returns: why there is nothing to compare: no fix of the track was believed; nil where one was.
  /// - Throws: ``Failure`` where the track can't be read; what was whole before is in the results.
  @discardableResult
  package mutating func add(_ track: String, _ request: ReplayRequest) throws(Failure) -> Failure? {
    let trials = ComparedPolicy.allCases.map { PolicyTrial($0, request) }
    var lookedAt: EngineInstant?
    var failure: Failure?
    do throws(Failure) {
      var reader = try TrackReader(path: track, options: request.track)
      var batch: [TrackItem] = []
      while try reader.read(into: &batch) {
        for item in batch { Self.take(item, trials, &lookedAt) }
      }
    } catch {
      failure = error
    }
    var reference: [ComparedEvent] = []
    var seconds = 0.0
    var lack: Failure?
    for (index, trial) in trials.enumerated() {
      let (summary, use) = trial.finish()
      if index == 0 {
        reference = trial.events
        seconds = summary.modelledSeconds
        lack = Self.lack(of: summary, track)
      }
      results[index].add(trial, summary, use, overSeconds: seconds, against: reference)
    }
    if let failure { throw failure }
    return lack
  }

  private static func lack(of summary: Summary, _ track: String) -> Failure? {
    guard summary.tally.accepted == 0 else { return nil }
    let file = track == "-" ? nil : track
    return summary.disbelief(file)
      ?? Failure(.conditionFails, file: file, what: "there is no fix in it", remedy: "name another track")
  }

  private static func take(_ item: TrackItem, _ trials: [PolicyTrial], _ lookedAt: inout EngineInstant?) {
    for trial in trials { trial.take(item) }
    guard let truth = trials[0].known else { return }
    if let last = lookedAt, last.seconds(to: truth.instant) < errorSeconds { return }
    lookedAt = truth.instant
    for trial in trials { trial.noteError(against: truth) }
  }
}

extension Engine {
  /// Plans the next fix after one that was taken.
  mutating func planSampling(after fix: Fix, into effects: inout [Effect]) {
    let view = samplingView(of: fix)
    perform(state.sampling.take(fix, view, by: configuration.sampling), into: &effects)
  }

  /// Plans anew where the subscribers need something else than before.
  mutating func reviseSamplingForNeeds(into effects: inout [Effect]) {
    guard configuration.sampling.isDutyCycled, state.policy.samplingNeeds != state.samplingNeeds else {
      return
    }
    reviseSampling(into: &effects)
  }

  /// Plans anew, from the last fix.
  mutating func reviseSampling(into effects: inout [Effect]) {
    guard configuration.sampling.isDutyCycled, let last = state.gate.last else { return }
    let view = samplingView(of: last)
    let order = state.sampling.revise(
      view, lastFix: last.instant, at: state.instant, by: configuration.sampling)
    perform(order, into: &effects)
  }

  /// Switches the receiver on, or gives a search up, where that is due.
  mutating func fireSampling(at due: EngineInstant, into effects: inout [Effect]) {
    guard let planned = state.sampling.nextDeadline, planned <= due else { return }
    perform(state.sampling.fire(at: due, by: configuration.sampling), into: &effects)
  }

  /// Books what came of an order. Time counts from here: an order that was given while nobody was there to carry it
  /// out, as on a machine that slept, has begun no search and spent nothing.
  mutating func take(_ event: ReceiverEvent) {
    switch event {
    case .opened:
      state.gate.notePause()
      let seconds = state.ledger.timeToFixSeconds(at: state.instant)
      // A missing receiver does not search.
      bookReceiver(state.policy.lacksSource ? .off : .acquiring)
      state.sampling.open(at: state.instant, timeToFixSeconds: seconds, by: configuration.sampling)
    case .released:
      bookReceiver(.off)
      state.sampling.release()
    }
  }

  /// Hands an order on.
  private mutating func perform(_ order: ReceiverOrder?, into effects: inout [Effect]) {
    guard let order else { return }
    state.tally.count(order)
    if configuration.explains {
      // It takes no number: other records have the same with and without it.
      let record = Record(id: state.nextID - 1, time: utc(at: state.instant), body: .receiver(order))
      effects.append(.record(record))
    }
    effects.append(.receive(order))
  }

  private mutating func samplingView(of fix: Fix) -> SamplingView {
    let needs = state.policy.samplingNeeds
    state.samplingNeeds = needs
    let sampling = configuration.sampling
    var view = SamplingView()
    view.needsEach = needs.needsEach
    view.needsNone = needs.needsNone
    view.isLowPower = state.policy.isLowPower
    if needs.needsRegions {
      let horizon = regions.horizon(
        from: fix, metersPerSecond: sampling.maxSpeedMetersPerSecond, latencySeconds: sampling.latencySeconds,
        limitSeconds: sampling.longestSeconds)
      view.enterSeconds = horizon.enterSeconds
      view.exitSeconds = horizon.exitSeconds
      view.exitLatencySeconds = horizon.exitLatencySeconds ?? 0
      view.laxExitSeconds = horizon.laxExitSeconds
      view.isNearEdge = horizon.isNearEdge
      view.dwellSeconds = regions.nextDeadline.map { Swift.max(0, fix.instant.seconds(to: $0)) }
      view.hasEvidence = regions.hasPendingEvidence
      view.hasDoubt = regions.isInDoubt(at: fix.coordinate)
      view.evidenceSeconds = configuration.regions.clearSeconds
    }
    view.needsMoves = needs.needsMoves
    view.move = SamplingView.Move(state.significant, from: fix)
    if state.policy.hasOwnMeasures {
      for session in state.policy.sessions where session.mayKnowMoves {
        if let own = session.significant, own.hasDelivered { view.ownMoves.append(.init(own, from: fix)) }
      }
    }
    let outlook = state.ledger.outlook
    view.timeToFixSeconds = outlook.hotTimeToFix
    view.hotSeconds = outlook.hotSeconds
    view.laterTimeToFixSeconds = outlook.laterTimeToFix
    view.leastPauseSeconds = state.ledger.profile.leastPauseSeconds
    return view
  }
}

extension SamplingView.Move {
  /// What the next significant change after a fix waits for.
  fileprivate init(_ measure: SignificantChange, from fix: Fix) {
    self.init(
      closedSeconds: Swift.max(0, fix.instant.seconds(to: measure.windowEnd)),
      remainingMeters: measure.remainingMeters(from: fix))
  }
}

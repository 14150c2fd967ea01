package import LocationCore
import LocationFormats

/// What is due when nothing comes.
extension GPSDSession {
  /// When something is due next; nil when nothing is.
  package var nextDeadline: EngineInstant? { nextDue?.at }

  /// Does everything due by now, each at its own time. Bytes that have come are to be taken first.
  package mutating func advance(to reading: ClockReading) {
    while let due = nextDue, due.at <= reading.instant {
      fire(due.what, at: reading.advanced(bySeconds: reading.instant.seconds(to: due.at)))
    }
  }

  private enum Due {
    case retry, connectTimeout, greetTimeout, epochEnd, degraded, noFix, renewal
  }

  private mutating func fire(_ due: Due, at reading: ClockReading) {
    switch due {
    case .retry: connect(at: reading.instant)
    case .connectTimeout: breakOff(.timeout, at: reading.instant)
    case .greetTimeout: missGreeting(at: reading.instant)
    case .epochEnd: finishEpoch(at: reading)
    case .degraded:
      freshness = .degraded
      tell(.silent, at: reading.instant)
    case .noFix:
      freshness = .none
      tell(.noFix, at: reading.instant)
    case .renewal: renew(at: reading.instant)
    }
  }

  private var nextDue: (at: EngineInstant, what: Due)? {
    switch link {
    case .down(.distantPast): return nil
    case .down(let until): return (until, .retry)
    case .connecting(let until): return earliest((until, .connectTimeout), health)
    case .up(let since):
      guard hasSpoken else {
        guard lacksSentences else {
          return (since.advanced(bySeconds: traits.patienceSeconds), .greetTimeout)
        }
        return traits.mayGoStale ? (renewalAt, .renewal) : nil
      }
      var next = health
      if let open = decoder.openSince {
        next = earliest((open.advanced(bySeconds: EpochPace.maximumWaitSeconds), .epochEnd), next)
      }
      if hasDevice == true, traits.mayGoStale { next = earliest((renewalAt, .renewal), next) }
      return next
    }
  }

  /// What is due for want of fixes.
  private var health: (at: EngineInstant, what: Due)? {
    // A log is played at whatever speed: its silence says nothing.
    guard traits.silenceIsTrouble, !isSimulated else { return nil }
    let since = max(searchSince, lastFixAt ?? searchSince)
    switch freshness {
    case .fresh: return (since.advanced(bySeconds: GPSDLimits.degradedSeconds * cycle.seconds), .degraded)
    case .searching, .degraded:
      return hasDevice == false
        ? nil : (since.advanced(bySeconds: cycle.staleSeconds), .noFix)
    case .none: return nil
    }
  }

  private func earliest(
    _ a: (at: EngineInstant, what: Due), _ b: (at: EngineInstant, what: Due)?
  ) -> (at: EngineInstant, what: Due) {
    guard let b, b.at < a.at else { return a }
    return b
  }

  /// When a connection on which nothing comes is renewed: later each time that did not help, because a machine that
  /// is parked with its receiver unplugged should not be woken each minute.
  private var renewalAt: EngineInstant {
    let factor = Double(1 << min(quietConnections, GPSDLimits.renewalDoublings))
    return lastWordAt.advanced(bySeconds: GPSDLimits.renewalSeconds * cycle.seconds * factor)
  }

  /// The source has not said its first word in time.
  private mutating func missGreeting(at instant: EngineInstant) {
    let reason = hasHeard ? GPSDTrouble.notGPSD : .timeout
    guard traits.needsBridge else { return breakOff(reason, at: instant) }
    trouble = reason
    lacksSentences = true
    lose(at: instant)
  }

  /// Tells, once, why there are no fixes.
  mutating func tell(_ reason: SourceEvent.Staleness, at instant: EngineInstant) {
    guard told != reason else { return }
    told = reason
    deliver(.source(.stale(reason, seconds: (lastFixAt ?? searchSince).seconds(to: instant))))
  }
}

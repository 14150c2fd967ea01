import Glibc
import LocationCore
package import LocationFormats

/// One made-up event for an outlet, sent here and now: `locwatch outlets test`.
package enum OutletTrial {
  /// The longest that one attempt takes, seconds: more than the time-outs of the process that makes it.
  private static let seconds: Int32 = 60

  /// Sends it; returns when the other side has accepted it.
  ///
  /// - Throws: `.unavailable` with the reason where it has not.
  package static func run(_ settings: OutletSettings) throws(Failure) {
    _ = signal(SIGPIPE, SIG_IGN)
    var outlet = OutletProcess(settings.trial, environment: ProgramStart.inheritedEnvironment())
    outlet.take(OwnTracksOutlet.Scene(places: []))
    let time = SystemClock().read().utc ?? UTCTime(microseconds: 0)
    // Each test has an id of its own, because receivers leave out repetitions.
    let id = Int(time.microseconds / 1_000)
    let line =
      #"{"v":1,"id":\#(id),"type":"test","time":"\#(time.rfc3339)","reason":"locwatch outlets test"}"#
    do throws(OutletFailure) {
      try outlet.offer([LoggedEvent(id: id, type: "test", region: nil, line: line)])
      while try outlet.accepted() == nil {
        var polled = PollSet()
        polled.watch(outlet.readable)
        polled.watch(outlet.writable, for: POLLOUT)
        let ready = polled.wait(atMost: seconds * 1_000)
        let isInterrupted = ready < 0 && errno == EINTR
        guard ready > 0 || isInterrupted else { throw OutletFailure("no answer for \(seconds) s") }
        try outlet.tend()
      }
      outlet.rest(isFailure: false)
    } catch {
      outlet.rest(isFailure: true)
      throw Failure(.unavailable, what: "outlet \(settings.name): \(error.reason)")
    }
  }
}

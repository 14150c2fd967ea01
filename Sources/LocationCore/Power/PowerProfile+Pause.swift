extension PowerProfile {
  /// How long the receiver stays on after nobody needs it any more, seconds. Setting it states it as certain.
  package var receiverLingerSeconds: Double {
    get { self[.receiverLinger].value }
    set {
      guard newValue != self[.receiverLinger].value else { return }
      self[.receiverLinger] = Parameter(newValue, spread: 1, .assumed, "sampling.power_off_s of the settings")
    }
  }

  /// How long gpsd keeps a receiver open that nobody reads from, seconds: RELEASE_TIMEOUT and its next look (gpsd 3.22
  /// without `-n`, measured on Debian 12).
  package static let gpsdReleaseSeconds = 62.1

  /// Has the receiver stay on as long as gpsd leaves it on, where it does not stay on longer by itself.
  package mutating func lingerAsGPSD() {
    guard receiverLingerSeconds < Self.gpsdReleaseSeconds else { return }
    self[.receiverLinger] = Parameter(
      Self.gpsdReleaseSeconds, spread: 1, .verified, "gpsd 3.22 without -n, 60 s and its next look")
  }

  /// Seconds below which switching the receiver off saves nothing: it lingers on for so long, or the search for the
  /// next fix and the wake for it cost more than tracking would have.
  var leastPauseSeconds: Double {
    let search = self[.timeToFixHot].value * (self[.receiverAcquire].value + self[.awake].value) * 1e-3
    let tracking = (self[.receiverTrackStrong].value + self[.awake].value) * 1e-3
    let breakEven = tracking > 0 ? (search + self[.wake].value) / tracking : 0
    return self[.receiverLinger].value + breakEven
  }
}

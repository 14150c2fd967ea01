extension PowerLedger.Receiver {
  /// 68 % radius above which the signal is taken as weak, metres. An assumption: a receiver under open sky reports
  /// a few metres, one indoors or between houses tens.
  static let weakRadiusMeters = 20.0

  /// What a receiver does that gave this fix; how strong its signal is, its own word on accuracy tells.
  init(tracking fix: Fix) {
    switch fix.accuracy.source {
    case .reported: self = fix.accuracy.radiusMeters > Self.weakRadiusMeters ? .trackingWeak : .trackingStrong
    case .hdop, .assumed: self = .tracking
    }
  }
}

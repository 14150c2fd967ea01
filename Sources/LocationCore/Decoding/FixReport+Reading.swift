extension FixReport {
  /// A speed as a source gives it; nil where it is negative, which many phones write for "unknown", or beyond that of
  /// light.
  package static func speed(_ metersPerSecond: Double) -> Double? {
    metersPerSecond >= 0 && metersPerSecond <= 299_792_458 ? metersPerSecond : nil
  }

  /// A course as a source gives it, as 0..<360; nil where it is negative, which many phones write for
  /// "unknown", or more than a full turn.
  package static func course(_ degrees: Double) -> Double? {
    guard degrees >= 0, degrees <= 360 else { return nil }
    return degrees == 360 ? 0 : degrees
  }
}

extension Accuracy {
  /// The best that a source has to offer: metres, else a dilution of precision, else an assumption.
  ///
  /// A value that is not positive and finite says nothing.
  ///
  /// - Parameters:
  ///   - metersAt68Percent: the radius that the source names.
  ///   - hdop: the horizontal dilution of precision that the source names.
  ///   - assumedMeters: what the caller wants assumed, a 68 % radius; nil for a typical value of `mode`.
  package init(metersAt68Percent meters: Double?, hdop: Double?, assumedMeters: Double?, mode: FixMode) {
    if let meters, meters > 0, meters.isFinite {
      self.init(radiusMeters: meters, source: .reported)
    } else if let hdop, hdop > 0, hdop.isFinite {
      self = .fromHDOP(hdop)
    } else if let assumedMeters {
      self.init(radiusMeters: assumedMeters, source: .assumed)
    } else {
      self = .assumed(mode)
    }
  }
}

extension FixMode {
  /// From gpsd's numbers: 0 unknown, 1 none, 2 and 3 dimensions; anything else is unknown.
  package init(gpsdMode number: Double) {
    switch number {
    case 1: self = .noFix
    case 2: self = .twoD
    case 3: self = .threeD
    default: self = .unknown
    }
  }

  /// From the provider that Android and its recorders name: `network` is Wi-Fi and cells; anything else says nothing.
  package init(provider: Span<UInt8>) {
    self = provider.extracting(provider.rangeWithinXMLSpace).equals("network") ? .network : .unknown
  }
}

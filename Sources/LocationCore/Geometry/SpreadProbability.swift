/// The share of a circular normal inside any shape, from distances to its edge at fixed places around the fix.
///
/// The normal is a wide one, of which the places are samples, blurred by a narrow one, for which the edge near
/// each place is taken for straight: right to 0.001 at a straight edge and to 0.05 at a corner or in a strip
/// as narrow as the error.
enum SpreadProbability {
  /// The narrow normal's standard deviation in the whole's.
  private static let narrow = 0.4
  /// Rings of places: radius in standard deviations and the weight of each place; ten to a ring.
  private static let rings: [(radius: Double, weight: Double)] = [
    // Gauss and Laguerre with five nodes t: the radius is the root of 2 t (1 - 0.4²).
    (0.665_418_167, 0.052_175_561), (1.540_946_832, 0.039_866_681), (2.458_047_049, 0.007_594_245),
    (3.450_240_689, 0.000_361_176), (4.608_312_643, 0.000_002_337),
  ]
  private static let placesInRing = 10

  static func inside(_ area: AreaGeometry, _ place: Coordinate, _ sigmaMeters: Double) -> Double {
    let scale = LocalScale(latitude: place.latitude)
    var share = 0.0
    for (index, ring) in rings.enumerated() {
      for step in 0..<placesInRing {
        let turn = (Double(step) + (index % 2 == 0 ? 0 : 0.5)) / Double(placesInRing)
        let (sine, cosine) = Trig.sincos(2 * Double.pi * turn)
        let radius = ring.radius * sigmaMeters
        let sample = scale.coordinate(east: radius * cosine, north: radius * sine, from: place)
        let z = area.edgeMeters(at: sample) / (narrow * sigmaMeters)
        share += ring.weight * NormalDistribution.upperTail(z)
      }
    }
    return Swift.min(1, Swift.max(0, share))
  }
}

/// Brings rings and lines into one frame of longitudes, in which they can be treated as plane.
enum RingFrame {
  /// Longitudes made continuous: an edge that spans more than half of them, but not all, goes the short way.
  ///
  /// The second value is by how many degrees the line's end has got away from where it began: 0 for a ring,
  /// ±360 for a ring around a pole.
  static func unwrap(_ line: [Coordinate]) -> (line: [Coordinate], turn: Double) {
    guard var last = line.first?.longitude else { return (line, 0) }
    var shift = 0.0
    var unwrapped: [Coordinate] = []
    for (index, place) in line.enumerated() {
      let step = place.longitude - last
      if abs(step) > 180, abs(step) < 360 { shift -= step > 0 ? 360 : -360 }
      last = place.longitude
      if shift != 0, unwrapped.isEmpty { unwrapped += line[..<index] }
      if shift != 0 || !unwrapped.isEmpty {
        unwrapped.append(
          Coordinate(uncheckedLatitude: place.latitude, longitude: place.longitude + shift))
      }
    }
    // Lines that need no shift keep their storage.
    return (unwrapped.isEmpty ? line : unwrapped, shift)
  }

  /// A ring made continuous; one that goes round a pole is closed over the pole, along a cut.
  static func ring(_ ring: [Coordinate]) -> [Coordinate] {
    var seam = AntimeridianCut()
    return Self.ring(ring, &seam)
  }

  static func ring(_ ring: [Coordinate], _ seam: inout AntimeridianCut) -> [Coordinate] {
    let (line, turn) = unwrap(ring)
    guard turn != 0, let first = line.first, let last = line.last else { return line }
    let mean = line.reduce(0) { $0 + $1.latitude } / Double(line.count)
    let pole = mean >= 0 ? 90.0 : -90
    seam.cut(along: first.longitude)
    return line + [
      Coordinate(uncheckedLatitude: pole, longitude: last.longitude),
      Coordinate(uncheckedLatitude: pole, longitude: first.longitude), first,
    ]
  }

  /// Whether a ring runs counterclockwise, seen with north up.
  static func isCounterclockwise(_ ring: [Coordinate]) -> Bool {
    guard let first = ring.first else { return false }
    var area = 0.0
    for (a, b) in zip(ring, ring.dropFirst()) {
      area +=
        (a.longitude - first.longitude) * (b.latitude - first.latitude)
        - (b.longitude - first.longitude) * (a.latitude - first.latitude)
    }
    return area > 0
  }

  /// The ring in the given direction.
  static func directed(_ ring: [Coordinate], counterclockwise: Bool) -> [Coordinate] {
    isCounterclockwise(ring) == counterclockwise ? ring : ring.reversed()
  }

  /// The westernmost and easternmost longitude of a line.
  static func span(_ line: [Coordinate]) -> ClosedRange<Double> {
    var west = Double.infinity
    var east = -Double.infinity
    for place in line {
      west = Swift.min(west, place.longitude)
      east = Swift.max(east, place.longitude)
    }
    return west <= east ? west...east : 0...0
  }

  /// The longitude halfway between the westernmost and the easternmost of a line.
  static func middle(_ line: [Coordinate]) -> Double {
    let span = span(line)
    return 0.5 * (span.lowerBound + span.upperBound)
  }

  /// A ring shifted by turns so that its middle is as near to a longitude as can be.
  static func shifted(_ ring: [Coordinate], toward longitude: Double) -> [Coordinate] {
    shifted(ring, by: ((longitude - middle(ring)) / 360).rounded() * 360)
  }

  /// A shell and its holes, shifted by turns so that the shell begins at -180 degrees or east of it, and before 180.
  static func normalized(_ polygon: [[Coordinate]]) -> [[Coordinate]] {
    let west = polygon.first.map { span($0).lowerBound } ?? 0
    let turns = ((-180 - west) / 360).rounded(.up)
    return polygon.map { shifted($0, by: turns * 360) }
  }

  static func shifted(_ line: [Coordinate], by degrees: Double) -> [Coordinate] {
    guard degrees != 0 else { return line }
    return line.map { Coordinate(uncheckedLatitude: $0.latitude, longitude: $0.longitude + degrees) }
  }

  /// Shifts whole groups of rings by turns so that together they span as little as possible; the frame they
  /// then lie in.
  static func align(_ groups: [[[Coordinate]]]) -> (groups: [[[Coordinate]]], span: ClosedRange<Double>) {
    let spans = groups.map { group in group.first.map(span) ?? 0...0 }
    guard spans.count > 1 else { return (groups, spans.first ?? 0...0) }
    // Go round once from each westernmost longitude; the best start leaves the widest gap behind it.
    let starts = spans.map { $0.lowerBound }.sorted()
    var best: (start: Double, width: Double)?
    for start in starts {
      var width = 0.0
      for span in spans {
        var ahead = (span.lowerBound - start).remainder(dividingBy: 360)
        if ahead < 0 { ahead += 360 }
        width = Swift.max(width, ahead + (span.upperBound - span.lowerBound))
      }
      if width < (best?.width ?? .infinity) { best = (start, width) }
    }
    guard let best, best.width < 360 else {
      let west = spans.map(\.lowerBound).min() ?? 0
      return (groups, west...Swift.max(west + 360, spans.map(\.upperBound).max() ?? 0))
    }
    let aligned = zip(groups, spans).map { group, span in
      let turns = ((best.start - span.lowerBound) / 360).rounded(.up)
      return group.map { shifted($0, by: turns * 360) }
    }
    return (aligned, best.start...(best.start + best.width))
  }
}

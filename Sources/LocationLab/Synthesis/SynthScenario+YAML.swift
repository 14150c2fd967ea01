import LocationCore
package import LocationFormats
import LocationRuntime

extension SynthScenario {
  /// Decodes a scenario strictly.
  ///
  /// - Parameters:
  ///   - yaml: The document, UTF-8.
  ///   - file: The name errors carry.
  /// - Throws: `.data` with file, line, key and, for an unknown key, the nearest valid one.
  package init(yaml: [UInt8], file: String) throws(Failure) {
    let map = try StrictYAML(yaml, file: file, code: .data).map(Key.self)
    name = try map.optional(.name)?.string()
    about = try map.optional(.about)?.string()
    let begin = try map.required(.start)
    start = try begin.time()
    seed = 1
    if let node = map.optional(.seed) { seed = UInt64(try node.int(in: 0...Int.max)) }
    outliers = .none
    if let node = map.optional(.outliers) { outliers = try Outliers(node) }
    fields = Set(Field.allCases)
    if let node = map.optional(.write) { fields = try Self.fields(node) }
    var decoder = SynthStepDecoder()
    if let node = map.optional(.places) { try decoder.readPlaces(node) }
    try decoder.applySettings { key in Key(rawValue: key.rawValue).flatMap(map.optional) }
    steps = try decoder.steps(map.required(.steps))
    if decoder.waypointsHaveElevation != true { fields.remove(.elevation) }
    let end = start.advanced(bySeconds: SynthMotion(self).seconds)
    guard UTCTime(rfc3339: end.rfc3339) != nil else {
      throw begin.failure("the track ends after the year 9999", remedy: "begin earlier, or make it shorter")
    }
  }

  /// The keys of a scenario; ``SynthSettingKey`` are among them.
  private enum Key: String, CaseIterable {
    case name, about, start, seed
    case intervalSeconds = "interval_s"
    case noise, outliers, write, by
    case speed = "speed_mps"
    case acceleration = "accel_mps2"
    case braking = "brake_mps2"
    case lateral = "lateral_mps2"
    case rounding = "rounding_m"
    case places, steps
  }

  private static func fields(_ node: StrictYAML) throws(Failure) -> Set<Field> {
    var fields: Set<Field> = []
    for word in try node.list() { fields.insert(try word.word(Field.self)) }
    return fields
  }
}

extension SynthScenario.Outliers {
  private enum Key: String, CaseIterable {
    case share
    case nearest = "min_m"
    case farthest = "max_m"
  }

  fileprivate init(_ node: StrictYAML) throws(Failure) {
    let map = try node.map(Key.self)
    share = try map.required(.share).double(in: 0...1)
    let nearest = try map.required(.nearest).double(in: 0...Self.farthestMeters)
    distanceMeters = nearest...(try map.required(.farthest).double(in: nearest...Self.farthestMeters))
  }

  /// A quarter of the way round the Earth.
  private static let farthestMeters = 10_000_000.0
}

import Glibc
public import LocationCore

/// A power profile as a YAML file: what a device's parts draw, how well each number is known, and where from.
///
/// ```yaml
/// name: my-boat
/// about: Raspberry Pi 4 B on the boat's 12 V
/// like: rpi4-ublox-m8            # what is not stated here; without it every parameter must be
/// parameters:
///   base_mw: {value: 2100, spread: 1.1, mark: V, source: "shunt in the 12 V line, 2026-05-02"}
/// ```
public enum PowerProfileFile {
  /// The built-in profile of that name, or the one in the file of that path, whatever its suffix.
  /// - Throws: ``Failure`` that names the built-in ones, or file, line and key.
  public static func find(_ nameOrPath: String) throws(Failure) -> PowerProfile {
    if let profile = PowerProfile.builtIn(named: nameOrPath) { return profile }
    // What is not there, and looks like a file, was meant as one.
    let looksLikeFile =
      nameOrPath.contains("/") || nameOrPath.hasSuffix(".yaml") || nameOrPath.hasSuffix(".yml")
    if unsafe looksLikeFile || access(nameOrPath, F_OK) == 0 { return try read(path: nameOrPath) }
    let names = PowerProfile.builtInNames
    throw Failure(
      .usage, what: "no power profile is called \"\(nameOrPath)\"",
      remedy: NearestWord.to(nameOrPath, among: names).map { "did you mean \"\($0)\"?" }
        ?? "there is \(names.joined(separator: ", ")), or the path of a file")
  }

  /// Refuses to write a profile to a path that ``find(_:)`` takes for the name of a built-in one.
  ///
  /// - Throws: `.usage`.
  package static func refuseBuiltInName(_ path: String) throws(Failure) {
    guard PowerProfile.builtIn(named: path) != nil else { return }
    throw Failure(
      .usage, file: path, what: "a built-in profile has this name, and --profile would take that one",
      remedy: "name the file \(path).yaml")
  }

  /// Reads a profile.
  /// - Throws: ``Failure`` of code 78 with file, line, key and, for an unknown one, the nearest that is valid.
  public static func read(path: String) throws(Failure) -> PowerProfile {
    try PowerProfile(StrictYAML(path: path, code: .config))
  }
}

extension PowerProfile {
  private enum Key: String, CaseIterable {
    case name, about, like, parameters, calibration
  }

  /// Decodes the root of a profile's file.
  package init(_ yaml: StrictYAML) throws(Failure) {
    let map = try yaml.map(Key.self)
    let name = try map.required(.name)
    guard try !name.string().isEmpty else { throw name.failure("can't be empty") }
    var base: PowerProfile?
    if let node = map.optional(.like) {
      let like = try node.string()
      guard let found = PowerProfile.builtIn(named: like) else {
        throw node.failure(
          "no built-in profile is called \"\(like)\"",
          remedy: StrictYAML.suggestion(for: like, among: PowerProfile.builtInNames, of: "profiles"))
      }
      base = found
    }
    let parameters = try map.required(.parameters).map(PowerParameter.self)
    var values: [PowerParameter: Parameter] = [:]
    for parameter in PowerParameter.allCases {
      if let node = parameters.optional(parameter) {
        values[parameter] = try Parameter(node)
      } else if let base {
        values[parameter] = base[parameter]
      } else {
        throw try parameters.required(parameter).failure("is missing")
      }
    }
    self.init(
      name: try name.string(), about: try map.required(.about).string(),
      calibration: try map.optional(.calibration).map { node throws(Failure) in try PowerCalibrationNote(node)
      },
      values)
  }
}

extension PowerProfile.Parameter {
  private enum Key: String, CaseIterable {
    case value, spread, mark, source
  }

  /// The largest value any parameter may have, in its own unit.
  private static let largest = 1e7
  /// The largest spread: beyond it nothing is known.
  private static let largestSpread = 100.0

  fileprivate init(_ node: StrictYAML) throws(Failure) {
    let map = try node.map(Key.self)
    let spread = try map.required(.spread)
    self.init(
      try map.required(.value).double(in: 0...Self.largest),
      spread: try spread.double(in: 1...Self.largestSpread),
      try map.required(.mark).word(PowerProfile.Evidence.self), try map.required(.source).string())
    guard source.contains(where: { !$0.isWhitespace }) else {
      throw try map.required(.source).failure("says nothing", remedy: "say where the number is from")
    }
    guard value > 0 || self.spread == 1 else {
      throw spread.failure("0 has no spread", remedy: "write spread: 1, or a small value with a large spread")
    }
  }
}

extension PowerCalibrationNote {
  private enum Key: String, CaseIterable {
    case device, meter, date, kernel, serial
    case temperature = "temperature_c"
    case health = "battery_health"
    case log, windows
    case condition = "condition_number"
    case residual = "residual_spread"
  }

  fileprivate init(_ node: StrictYAML) throws(Failure) {
    let map = try node.map(Key.self)
    self.init(
      device: try map.required(.device).string(), meter: try map.required(.meter).string(),
      date: try map.optional(.date)?.string(), kernel: try map.optional(.kernel)?.string(),
      serial: try map.optional(.serial)?.string(),
      temperatureCelsius: try map.optional(.temperature)?.double(in: -90...150),
      batteryHealth: try map.optional(.health)?.double(in: 0.01...1.5), log: try map.required(.log).string(),
      windows: try map.required(.windows).int(in: 1...1_000_000),
      conditionNumber: try map.required(.condition).double(in: 1...1e18),
      residualSpread: try map.required(.residual).double(in: 1...1e6))
  }
}

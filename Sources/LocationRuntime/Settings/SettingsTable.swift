import LocationCore
public import LocationFormats

/// The effective settings, each with its unit and its origin.
public struct SettingsTable: Sendable {
  private let configuration: EngineConfiguration
  private let daemon: DaemonSettings
  private let file: String?
  private let origins: Settings.Origins

  /// - Parameter file: a settings file; nil for the defaults alone.
  /// - Throws: as ``Settings/read(path:into:_:)``.
  public init(file: String?) throws(Failure) {
    var configuration = EngineConfiguration.standard
    var origins: Settings.Origins = [:]
    var daemon = DaemonSettings()
    if let file { origins = try Settings.read(path: file, into: &configuration, &daemon) }
    self.daemon = daemon
    self.configuration = configuration
    self.file = file
    self.origins = origins
  }

  /// How many settings the file makes.
  public var changeCount: Int { origins.count }

  /// What the settings name that is not on this machine, a line each.
  public var complaints: [String] { DaemonGreeting.complaints(about: daemon) }

  /// A table for people.
  public var text: String {
    let rows = Setting.all.map { setting in
      [
        setting.key, "\(setting.value(in: configuration, daemon))", setting.unit ?? "",
        origin(of: setting),
        setting.meaning,
      ]
    }
    return TextTable(
      header: ["SETTING", "VALUE", "UNIT", "ORIGIN", "MEANING"], rows: rows, rightAligned: [1]
    ).text
  }

  /// One JSON object.
  public var json: String {
    let settings = Setting.all.map { setting -> JSONTree in
      let value: JSONTree =
        switch setting.value(in: configuration, daemon) {
        case .number: .number("\(setting.value(in: configuration, daemon))")
        case .flag(let flag): .boolean(flag)
        case .word(let word): .string(word)
        case .command(let words): .strings(words)
        }
      return .object([
        "key": .string(setting.key), "value": value, "unit": setting.unit.map { .string($0) },
        "origin": .string(origin(of: setting)), "meaning": .string(setting.meaning),
      ])
    }
    return JSONTree.object(["v": .integer(1), "settings": .array(settings)]).text
  }

  private func origin(of setting: Setting) -> String {
    guard let line = origins[setting.key], let file else { return "default" }
    return "\(file):\(line)"
  }
}

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
      var members = [JSONTree.Member(key: "key", value: .string(setting.key))]
      let value: JSONTree =
        switch setting.value(in: configuration, daemon) {
        case .number: .number("\(setting.value(in: configuration, daemon))")
        case .flag(let flag): .boolean(flag)
        case .word(let word): .string(word)
        case .command(let words): .array(words.map { .string($0) })
        }
      members.append(.init(key: "value", value: value))
      if let unit = setting.unit { members.append(.init(key: "unit", value: .string(unit))) }
      members.append(.init(key: "origin", value: .string(origin(of: setting))))
      members.append(.init(key: "meaning", value: .string(setting.meaning)))
      return .object(members)
    }
    let tree = JSONTree.object([
      .init(key: "v", value: .number("1")), .init(key: "settings", value: .array(settings)),
    ])
    return tree.text
  }

  private func origin(of setting: Setting) -> String {
    guard let line = origins[setting.key], let file else { return "default" }
    return "\(file):\(line)"
  }
}

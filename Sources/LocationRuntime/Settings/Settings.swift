public import LocationCore
public import LocationFormats

/// A settings file: thresholds over the defaults.
///
/// ```yaml
/// significant_change: {distance_m: 500, window_s: 300}
/// fix: {max_accuracy_m: 300, max_speed_mps: 100}
/// visits: {radius_m: 50, arrival_s: 300}
/// policy: {force_quit_blocks_location: false}
/// ```
///
/// The keys are those of ``Setting/all``.
public enum Settings {
  /// Where a setting was made: its key and the line.
  public typealias Origins = [String: Int]

  /// Reads a settings file over what is in a configuration, and in the settings of the daemon alone.
  ///
  /// - Parameter isReread: whether it has been read before: a pipe is refused then.
  /// - Returns: the line of each setting that the file makes, by its key.
  /// - Throws: ``Failure`` of code 78 with file, line, key and, for an unknown one, the nearest that is valid.
  @discardableResult
  public static func read(
    path: String, into configuration: inout EngineConfiguration, _ daemon: inout DaemonSettings,
    isReread: Bool = false
  ) throws(Failure) -> Origins {
    var made: [(setting: Setting, node: StrictYAML)] = []
    let root = try StrictYAML(path: path, code: .config, mayBeEmpty: true, isReread: isReread)
    for (section, node) in try root.map(of: sections) where !node.isNothing {
      let settings = Setting.all.filter { $0.section == section }
      for (name, value) in try node.map(of: settings.map(\.name)) {
        guard let setting = settings.first(where: { $0.name == name }) else { continue }
        try setting.set(&configuration, &daemon, to: value)
        made.append((setting, value))
      }
    }
    // Not before all are read: what bounds one may follow it.
    for (setting, node) in made { try setting.requireBound(in: configuration, daemon, at: node) }
    return Origins(uniqueKeysWithValues: made.map { ($0.setting.key, $0.node.line) })
  }

  private static var sections: [String] {
    var sections: [String] = []
    for setting in Setting.all where !sections.contains(setting.section) { sections.append(setting.section) }
    return sections
  }
}

import Glibc
package import LocationCore

/// Time zones as the machine has them.
package enum TimeZoneFile {
  /// Where the files of the zones are.
  private static let folder = "/usr/share/zoneinfo"

  /// A zone by its name, or a rule of POSIX that stands for itself.
  ///
  /// - Parameter isReplayed: takes zones from the program's own snapshot, so that a replay decides the same on any machine.
  /// - Throws: `.usage` where there is none.
  package static func zone(_ name: String, isReplayed: Bool = false) throws(Failure) -> TimeZoneRule {
    if name == "UTC" || name == "Etc/UTC" { return .utc }
    if isReplayed, let zone = TimeZoneSnapshot.zone(name) { return zone }
    let isPath = name.hasPrefix("/") || name.split(separator: "/").contains("..")
    if !isPath, let rule = rule(inFile: "\(folder)/\(name)", name: name) { return rule }
    if let rule = TimeZoneRule(name: name, posix: name) { return rule }
    throw Failure(
      .usage, what: "\"\(name)\" is no time zone that this machine knows",
      remedy: "write a name as Europe/Berlin, UTC, or a rule as CET-1CEST,M3.5.0,M10.5.0/3")
  }

  /// What is easily overlooked in the name of a zone: `UTC+1` is a rule of POSIX, in which + is west. Nil where that is
  /// nothing.
  package static func warning(about name: String) -> String? {
    let (place, sign, hours) = (name.prefix(3), name.dropFirst(3).first, name.dropFirst(4))
    guard place == "UTC" || place == "GMT", sign == "+" || sign == "-", hours.contains(where: { $0 != "0" }),
      hours.allSatisfy({ $0.isNumber })
    else { return nil }
    return sign == "+"
      ? "\(name) is behind UTC, as POSIX has it; \(place)-\(hours) is ahead of it"
      : "\(name) is ahead of UTC, as POSIX has it; \(place)+\(hours) is behind it"
  }

  /// The machine's zone: that of TZ, else that of /etc/localtime, else UTC.
  ///
  /// - Throws: `.usage` where TZ is set to what can't be read.
  package static func machine() throws(Failure) -> TimeZoneRule {
    if let text = EnvironmentVariable.value("TZ"), !text.isEmpty { return try zone(ofVariable: text) }
    let target = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      let count = unsafe readlink("/etc/localtime", start, buffer.count)
      return unsafe String(
        decoding: UnsafeRawBufferPointer(start: start, count: max(0, count)), as: UTF8.self)
    }
    let name = target.split(separator: "zoneinfo/").last.map(String.init) ?? ""
    if target.contains("zoneinfo/"), let zone = try? zone(name) { return zone }
    return rule(inFile: "/etc/localtime") ?? .utc
  }

  /// The file that says what the machine's zone is, and may say something else at any time; nil where TZ names a zone.
  package static var changingFile: String? {
    guard let text = EnvironmentVariable.value("TZ"), !text.isEmpty else { return "/etc/localtime" }
    let path = text.hasPrefix(":") ? String(text.dropFirst()) : text
    return path.hasPrefix("/") ? path : nil
  }

  /// What a value of the variable TZ stands for (tzset(3)): a name or the path of a file, also behind a colon, or a rule.
  ///
  /// - Throws: `.usage` where it is none of these.
  static func zone(ofVariable text: String) throws(Failure) -> TimeZoneRule {
    let name = text.hasPrefix(":") ? String(text.dropFirst()) : text
    if name.isEmpty { return .utc }
    if name.hasPrefix("\(folder)/") { return try zone(ofVariable: String(name.dropFirst(folder.count + 1))) }
    if name.hasPrefix("/"), let rule = rule(inFile: name) { return rule }
    do throws(Failure) { return try zone(name) } catch {
      throw Failure(error.code, what: "TZ: \(error.what)", remedy: error.remedy)
    }
  }

  /// The rule in the last line of a file of RFC 9636; nil where there is none.
  ///
  /// - Parameter name: what it is called; nil for the rule itself, by which every machine knows it.
  private static func rule(inFile path: String, name: String? = nil) -> TimeZoneRule? {
    guard let bytes = try? FileBytes.read(path: path), bytes.starts(with: Array("TZif".utf8)) else {
      return nil
    }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard bytes.last == UInt8(ascii: "\n"), lines.count >= 2 else { return nil }
    let posix = String(decoding: lines[lines.count - 2], as: UTF8.self)
    return TimeZoneRule(name: name ?? posix, posix: posix)
  }
}

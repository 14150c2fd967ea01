import Glibc
package import LocationCore

/// Time zones as the machine has them.
package enum TimeZoneFile {
  /// Where the files of the zones are.
  private static let folder = "/usr/share/zoneinfo"

  /// A zone by its name, or a rule of POSIX that stands for itself.
  ///
  /// - Throws: `.usage` where there is none.
  package static func zone(_ name: String) throws(Failure) -> TimeZoneRule {
    if name == "UTC" || name == "Etc/UTC" { return .utc }
    let isPath = name.hasPrefix("/") || name.split(separator: "/").contains("..")
    if !isPath, let rule = rule(inFile: "\(folder)/\(name)", name: name) { return rule }
    if let rule = TimeZoneRule(name: name, posix: name) { return rule }
    throw Failure(
      .usage, what: "\"\(name)\" is no time zone that this machine knows",
      remedy: "write a name as Europe/Berlin, UTC, or a rule as CET-1CEST,M3.5.0,M10.5.0/3")
  }

  /// The machine's zone: that of TZ, else that of /etc/localtime, else UTC.
  package static func machine() -> TimeZoneRule {
    if let name = EnvironmentVariable.value("TZ"), !name.isEmpty,
      let zone = try? zone(name.hasPrefix(":") ? String(name.dropFirst()) : name)
    {
      return zone
    }
    let target = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      let count = unsafe readlink("/etc/localtime", start, buffer.count)
      return unsafe String(
        decoding: UnsafeRawBufferPointer(start: start, count: max(0, count)), as: UTF8.self)
    }
    let name = target.split(separator: "zoneinfo/").last.map(String.init) ?? ""
    if target.contains("zoneinfo/"), let zone = try? zone(name) { return zone }
    return rule(inFile: "/etc/localtime", name: "local") ?? .utc
  }

  /// The rule in the last line of a file of RFC 9636; nil where there is none.
  private static func rule(inFile path: String, name: String) -> TimeZoneRule? {
    guard let bytes = try? FileBytes.read(path: path), bytes.starts(with: Array("TZif".utf8)) else {
      return nil
    }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard bytes.last == UInt8(ascii: "\n"), lines.count >= 2 else { return nil }
    return TimeZoneRule(name: name, posix: String(decoding: lines[lines.count - 2], as: UTF8.self))
  }
}

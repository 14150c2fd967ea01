import LocationCore
import LocationFormats

/// New records as they are sent to followers, which then need not read them from the database.
struct EventNews {
  /// The id of the last record before them; 0 where that is not known.
  var after: Int
  /// The id of the last of them.
  var newest: Int
  /// How many lines.
  var count = 0
  /// Their lines with their ends, as `locwatch events` prints them; none where they exceed ``largest``.
  var lines: [UInt8] = []

  /// The most that is sent without being asked for, bytes; more is read from the database.
  private static let largest = 65_536

  /// - Parameters:
  ///   - after: the id of the last record before them; 0 where that is not known.
  ///   - lines: all of them.
  init(after: Int, newest: Int, count: Int, lines: [UInt8]) {
    self.after = after
    self.newest = newest
    guard lines.count <= Self.largest else { return }
    self.count = count
    self.lines = lines
  }

  /// Only that there are records up to `newest`.
  init(newest: Int) { self.init(after: 0, newest: newest, count: 0, lines: []) }

  /// What the first line says; nil where it is none of ours.
  init?(line: [UInt8]) {
    do throws(JSONError) {
      let tree = try JSONTree(line)
      guard let newest = tree["newest"]?.integer else { return nil }
      self.init(newest: newest)
      after = tree["after"]?.integer ?? 0
      count = tree["records"]?.integer ?? 0
    } catch {
      return nil
    }
  }

  /// The first line and the records.
  var bytes: [UInt8] {
    let what = count > 0 ? #","after":\#(after),"records":\#(count)"# : ""
    return Array("{\"v\":1,\"newest\":\(newest)\(what)}\n".utf8) + lines
  }
}

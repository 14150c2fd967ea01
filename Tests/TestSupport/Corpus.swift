public import Foundation

/// The folder of real test data, which lives beside the repository and is never part of it.
///
/// `LOCWATCH_CORPUS` names it; otherwise it is `../shared/corpus` from the package root.
public enum Corpus {
  /// The folder; nil where there is none.
  public static let root: URL? = {
    let url: URL
    if let named = ProcessInfo.processInfo.environment["LOCWATCH_CORPUS"] {
      url = URL(fileURLWithPath: named, isDirectory: true)
    } else {
      url = packageRoot.deletingLastPathComponent().appendingPathComponent("shared/corpus", isDirectory: true)
    }
    return FileManager.default.fileExists(atPath: url.path) ? url : nil
  }()

  /// The folder that holds Package.swift.
  public static let packageRoot = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The folder's path; nil where it is absent.
  public static var folder: String? { root?.path }

  /// Whether the corpus is there: `@Test(.enabled(if: Corpus.isPresent))`.
  public static var isPresent: Bool { root != nil }

  /// Whether every row is to be tested rather than a sample: `LOCWATCH_FULL` is set.
  public static let isFull = ProcessInfo.processInfo.environment["LOCWATCH_FULL"] != nil

  /// A file or folder of the corpus, such as `geodesic/circles.csv`; nil where it is absent.
  public static func url(_ relative: String) -> URL? {
    guard let url = root?.appendingPathComponent(relative),
      FileManager.default.fileExists(atPath: url.path)
    else { return nil }
    return url
  }

  /// The path of a file or folder of the corpus; nil where it is absent.
  public static func path(_ relative: String) -> String? { url(relative)?.path }
}

extension Corpus {
  /// The fields of every `step`-th line of a table, the first left out where it is a heading; empty where the
  /// corpus is absent.
  ///
  /// Lines end in LF or CR LF; fields are parted by `separator` and not quoted.
  public static func rows(
    _ relative: String, separator: Character, hasHeading: Bool, every step: Int = 1
  ) throws -> [[String]] {
    guard let url = url(relative) else { return [] }
    let bytes = try [UInt8](Data(contentsOf: url))
    var rows: [[String]] = []
    var start = 0
    var line = hasHeading ? -1 : 0
    while start < bytes.count {
      let end = endOfLine(bytes, from: start)
      if line >= 0, line % step == 0 {
        let hasCarriageReturn = end > start && bytes[end - 1] == 0x0D
        let text = String(decoding: bytes[start..<(hasCarriageReturn ? end - 1 : end)], as: UTF8.self)
        rows.append(text.split(separator: separator, omittingEmptySubsequences: false).map(String.init))
      }
      line += 1
      start = end + 1
    }
    return rows
  }

  /// The index of the next line feed, or the end. By `memchr`, because a loop over the bytes takes seconds in
  /// a debug build.
  private static func endOfLine(_ bytes: [UInt8], from start: Int) -> Int {
    unsafe bytes.withUnsafeBytes { all in
      let rest = unsafe UnsafeRawBufferPointer(rebasing: all[start...])
      guard let base = rest.baseAddress, let found = unsafe memchr(base, 0x0A, rest.count) else {
        return bytes.count
      }
      return unsafe start + (UnsafeRawPointer(found) - base)
    }
  }
}

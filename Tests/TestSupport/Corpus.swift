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

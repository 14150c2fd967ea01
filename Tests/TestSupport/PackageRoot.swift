import FoundationEssentials

/// Where the package and its test data lie on this machine.
package enum PackageRoot {
  /// The folder that holds Package.swift, without a slash at the end.
  package static let path: String = {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(3)
    return parts.joined(separator: "/")
  }()

  /// A path below the package's folder, made absolute; an absolute path is returned as it is.
  package static func file(_ relativePath: String) -> String {
    relativePath.hasPrefix("/") ? relativePath : path + "/" + relativePath
  }

  /// The folder with real tracks and oracles that stand outside the package: `LOCWATCH_CORPUS`, else
  /// `../shared/corpus` beside the package, else nil. Tests that need it are enabled only where it is.
  package static let corpus: String? = {
    let candidates = [ProcessInfo.processInfo.environment["LOCWATCH_CORPUS"], path + "/../shared/corpus"]
    return candidates.compactMap { $0 }.first { FileManager.default.fileExists(atPath: $0) }
  }()

  /// Whether the long variants of tests run: `LOCWATCH_FULL` is set and not empty.
  package static let isFullRun =
    ProcessInfo.processInfo.environment["LOCWATCH_FULL"].map { !$0.isEmpty } ?? false
}

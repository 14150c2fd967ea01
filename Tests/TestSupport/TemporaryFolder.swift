import FoundationEssentials

/// An empty folder that is gone, with all that is in it, when the value is.
package final class TemporaryFolder: Sendable {
  /// The folder's path.
  package let path: String

  package init() {
    path = FileManager.default.temporaryDirectory.path + "/locwatch-test-\(UUID().uuidString)"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a name in it.
  package func callAsFunction(_ name: String) -> String { path + "/" + name }

  /// Writes a file in it; its path.
  package func write(_ name: String, _ text: String) -> String {
    _ = FileManager.default.createFile(atPath: self(name), contents: Data(text.utf8))
    return self(name)
  }
}

import FoundationEssentials
import Glibc

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
  ///
  /// No program that another test starts meanwhile inherits the descriptor, as it would Foundation's: a script that
  /// anybody has open for writing can't be run.
  package func write(_ name: String, _ text: String) -> String {
    let path = self(name)
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0, let stream = unsafe fdopen(file, "w") else { return path }
    var text = text
    text.withUTF8 { bytes in _ = unsafe fwrite(bytes.baseAddress, 1, bytes.count, stream) }
    unsafe fclose(stream)
    return path
  }
}

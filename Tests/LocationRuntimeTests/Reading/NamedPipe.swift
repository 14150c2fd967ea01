import Foundation
import Glibc

/// A pipe with a name, to feed a reader in pieces; gone when the value is.
final class NamedPipe {
  let path = FileManager.default.temporaryDirectory.path + "/locwatch-pipe-\(UUID().uuidString)"

  init() throws {
    signal(SIGPIPE, SIG_IGN)
    guard unsafe mkfifo(path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  deinit { unsafe unlink(path) }

  /// Runs `body` on another thread with a function that writes and says whether the reader is still there.
  func write(_ body: @escaping @Sendable (_ write: ([UInt8]) -> Bool) -> Void) {
    let path = path
    Thread.detachNewThread {
      let descriptor = unsafe open(path, O_WRONLY)
      body { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
          let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
          guard count > 0 else { return false }
          rest = rest.dropFirst(count)
        }
        return true
      }
      close(descriptor)
    }
  }
}

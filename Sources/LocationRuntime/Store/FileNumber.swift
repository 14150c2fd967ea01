import Glibc

/// Which file that is, whatever names it has. No other has the same while it is there or open.
struct FileNumber: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
  }

  /// The file that has a name now; nil, with `errno` set, where there is none.
  init?(_ path: String) {
    guard let status = StatePath.status(path) else { return nil }
    self.init(status)
  }
}

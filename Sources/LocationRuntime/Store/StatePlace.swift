import Glibc
import LocationFormats

/// The files that are open as a state file and its log. What is written into files that have lost their names, nobody finds
/// again.
struct StatePlace {
  private let path: String
  private let file: FileNumber?
  private let log: FileNumber?

  /// The files that have the names now, just after they were opened to write.
  init(_ path: String) {
    self.path = path
    file = FileNumber(path)
    log = FileNumber(path + "-wal")
  }

  /// Whether a name leads to another file than it did, or to none. Where it can't be looked up, that is not known.
  private func isOther(_ path: String, than file: FileNumber?) -> Bool {
    guard let file else { return false }
    guard let now = FileNumber(path) else { return errno == ENOENT || errno == ENOTDIR }
    return now != file
  }

  /// - Throws: `.io` where one of them has lost its name.
  func requireNames() throws(Failure) {
    guard !isOther(path, than: file), !isOther(path + "-wal", than: log) else {
      throw Failure(
        .io, file: path,
        what: "it or its -wal was removed or replaced while the daemon ran, which can't go on",
        remedy: "start locwatch run again; another time stop it first")
    }
  }
}

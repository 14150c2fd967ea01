package import LocationFormats

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Says that a state file is in use by a daemon, or by a command that stands in for one. It ends with its owner,
/// however that ends.
package struct StateLock: ~Copyable {
  private let file: Descriptor

  /// - Throws: ``Failure`` of code 75 where somebody else holds it, of others where it can't be made.
  package init(state path: String) throws(Failure) {
    let lockPath = path + ".lock"
    try StatePath.makeFolder(of: path)
    guard let file = Descriptor.open(lockPath, O_RDWR | O_CREAT) else {
      let code = errno
      throw Failure(
        code == EACCES || code == EPERM || code == EROFS ? .noPermission : .cantCreate, file: lockPath,
        what: "can't be created: \(SystemReason.text(code))", remedy: "name another file with --state")
    }
    guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
      throw Failure(
        .tryAgain, file: path, what: "another locwatch run uses it",
        remedy: "stop it, or name another file with --state")
    }
    self.file = file
  }
}

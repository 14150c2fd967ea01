import Glibc

/// A file that is written from its start, or standard output.
package struct OutputFile: ~Copyable {
  /// As the user named it; `<stdout>` for `-`.
  package let name: String
  private let descriptor: Int32

  /// Creates the file, or empties the one that is there.
  ///
  /// - Parameters:
  ///   - isPrivate: whether the file is for its owner alone.
  ///   - isNew: whether there must be none yet.
  /// - Throws: `.cantCreate`.
  package init(path: String, isPrivate: Bool = false, isNew: Bool = false) throws(Failure) {
    guard path != "-" else {
      name = "<stdout>"
      descriptor = STDOUT_FILENO
      return
    }
    name = path
    // Otherwise readable and writable by all whom the umask lets.
    let mode: mode_t = isPrivate ? 0o600 : 0o666
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | (isNew ? O_EXCL : 0)
    descriptor = unsafe open(path, Self.isTrusted(path) ? flags : flags | O_NOFOLLOW | O_NONBLOCK, mode)
    let error = errno
    guard descriptor >= 0 else {
      throw Failure(
        .cantCreate, file: path, what: "can't be created: \(SystemReason.text(error))",
        remedy: "check the folder and its permissions")
    }
    var status = stat()
    guard isPrivate, unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return
    }
    // A file that was there already has its old mode. Only its owner can change that.
    _ = fchmod(descriptor, mode)
  }

  /// Whether what is at a path is ours or root's. Another user's link may lead to a file that only we may write, and
  /// another user's pipe may never be read: that one is not followed, and this one not waited for.
  private static func isTrusted(_ path: String) -> Bool {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return false }
    return status.st_uid == geteuid() || status.st_uid == 0
  }

  /// What is open already; the descriptor is closed with this.
  init(name: String, descriptor: Int32) {
    self.name = name
    self.descriptor = descriptor
  }

  /// Where errors and progress go.
  package static var standardError: OutputFile {
    OutputFile(name: "<stderr>", descriptor: STDERR_FILENO)
  }

  deinit {
    if descriptor != STDOUT_FILENO, descriptor != STDERR_FILENO { close(descriptor) }
  }

  /// Appends all the bytes.
  ///
  /// - Throws: `.io`.
  package func write(_ bytes: borrowing [UInt8]) throws(Failure) {
    var written = 0
    let count = bytes.count
    while written < count {
      let step = unsafe bytes.withUnsafeBytes { all in
        unsafe SystemCall.writeBytes(descriptor, UnsafeRawBufferPointer(rebasing: all[written...]))
      }
      if step >= 0 {
        written += step
        continue
      }
      let error = errno
      guard error == EINTR else {
        let reason = error == EBADF ? "it is closed" : SystemReason.text(error)
        throw Failure(
          .io, file: name, what: "can't be written: \(reason)",
          remedy: error == ENOSPC || error == EDQUOT ? "make room and try again" : nil)
      }
    }
  }
}

extension OutputFile {
  /// Refuses a path at which no file can be made, before the work whose result it is for.
  ///
  /// - Throws: `.cantCreate`.
  package static func refuseUnwritable(_ path: String) throws(Failure) {
    var status = stat()
    var reason: Int32 = 0
    if unsafe stat(path, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR {
        reason = EISDIR
      } else if unsafe access(path, W_OK) != 0 {
        reason = errno
      }
    } else if errno == ENOENT {
      let end = path.lastIndex(of: "/")
      // The folder of /a is /, that of a is here.
      let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
      if unsafe access(folder, W_OK | X_OK) != 0 { reason = errno }
    } else {
      reason = errno
    }
    guard reason != 0 else { return }
    throw Failure(
      .cantCreate, file: path, what: "can't be created: \(SystemReason.text(reason))",
      remedy: "check the folder and its permissions")
  }

  /// Refuses an output that a command also reads, or keeps its state in: to create it would empty that file.
  ///
  /// - Parameters:
  ///   - output: a path; nil and `-` are none.
  ///   - inputs: paths; `-` is none.
  /// - Throws: `.usage`.
  package static func refuse(_ output: String?, sameAs inputs: [String]) throws(Failure) {
    guard let output, output != "-" else { return }
    for input in inputs where input != "-" && isSame(output, input) {
      throw Failure(
        .usage, file: output, what: "this command reads it, and writing would empty it",
        remedy: "name another file to write")
    }
  }

  /// Whether two paths lead to one file, by whatever names.
  private static func isSame(_ one: String, _ other: String) -> Bool {
    var first = stat()
    var second = stat()
    guard unsafe stat(one, &first) == 0 && stat(other, &second) == 0 else { return one == other }
    return first.st_mode & S_IFMT == S_IFREG && first.st_dev == second.st_dev
      && first.st_ino == second.st_ino
  }
}

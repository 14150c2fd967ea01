import Glibc
import LocationFormats

/// What a process needs of its file descriptors before it does anything else.
enum Descriptors {
  /// Dispatch ends the process with a crash where it gets none of the three that it takes in the midst of a command, and
  /// a state file takes four.
  private static let least = 8

  /// Puts something in the place of each standard stream that is closed. The next file that is opened would get its
  /// number otherwise, and what is printed would be written to that file.
  ///
  /// It can't be used: to read from it, or to write to it, fails as on the closed stream.
  static func holdStandardStreams() {
    for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) == -1 {
      // It gets the lowest number that is free: this one.
      _ = SystemCall.openFile("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Why nothing can be done; nil where enough descriptors are left.
  static var failure: Failure? {
    var held: [Int32] = []
    defer { for descriptor in held { close(descriptor) } }
    while held.count < least {
      let descriptor = SystemCall.openFile("/dev/null", O_RDONLY | O_CLOEXEC)
      let error = errno
      if descriptor >= 0 {
        held.append(descriptor)
        continue
      }
      guard error == EMFILE || error == ENFILE else { return nil }
      return Failure(
        .tryAgain, what: "fewer than \(least) file descriptors are left",
        remedy: error == EMFILE ? "raise LimitNOFILE= or ulimit -n" : "the machine has no more: fs.file-max")
    }
    return nil
  }
}

import Glibc
package import LocationFormats
import Synchronization

/// Says that a state file is in use by a daemon, or by a command that stands in for one. It ends with its owner,
/// however that ends.
///
/// The lock is on the database itself, so it holds for every name of the file, and nobody can delete it. It is one of
/// flock(2), which the locks of SQLite, those of fcntl(2), do not meet.
package struct StateLock: ~Copyable {
  /// A file that was locked. Its descriptor is never closed: with it this process would lose the locks of SQLite on
  /// the same file (fcntl(2), "Advisory record locking").
  private struct Held {
    var descriptor: Int32
    var isLocked: Bool
  }

  private static let held = Mutex<[FileNumber: Held]>([:])
  private static let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY
  private let file: FileNumber

  /// Waits for a command that holds it, and for the end of a daemon that was killed, but not for one that runs.
  ///
  /// - Parameter pause: what is done between two attempts.
  /// - Throws: ``Failure`` of code 75 where somebody else holds it, of 77 where the file is not ours alone, of others
  ///   where it can't be made.
  package init(state path: String, pausing pause: () -> Void = StateLock.pauseShortly) throws(Failure) {
    // Nothing is made where another user may lead it.
    try StatePath.requireSafeFolders(of: path)
    try StatePath.makeFolder(of: path)
    try StatePath.makeFile(path)
    try StatePath.requireOwn(path)
    guard let file = FileNumber(path) else { throw StatePath.failure(path, errno) }
    var attempts = 0
    while true {
      let code = Self.lock(file, path)
      if code == 0 { break }
      guard code == EWOULDBLOCK else { throw StatePath.failure(path, code) }
      attempts += 1
      guard attempts < Self.mostAttempts else { throw Self.isBusy(path) }
      pause()
      if attempts.isMultiple(of: Self.attemptsBetweenLooks), ControlClient.hasDaemon(state: path) {
        throw Self.isOfDaemon(path)
      }
    }
    self.file = file
  }

  /// 0, or an errno.
  private static func lock(_ file: FileNumber, _ path: String) -> Int32 {
    held.withLock { held in
      if held[file]?.isLocked == true { return EWOULDBLOCK }
      let descriptor = held[file]?.descriptor ?? SystemCall.openFile(path, flags)
      guard descriptor >= 0 else { return errno }
      let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
      held[file] = Held(descriptor: descriptor, isLocked: isLocked)
      return isLocked ? 0 : EWOULDBLOCK
    }
  }

  /// What is done between two attempts: nothing, for 20 ms.
  package static func pauseShortly() { PollSet.pause(milliseconds: 20) }

  /// Attempts in all: 5 s. A command holds it for as long as it takes to restore the engine.
  static let mostAttempts = 250
  /// After so many, 200 ms, it is looked whether a daemon runs. A child that a killed one has just forked has its
  /// socket until it runs its program.
  private static let attemptsBetweenLooks = 10

  /// What is said where a daemon has it.
  static func isOfDaemon(_ path: String) -> Failure {
    Failure(
      .tryAgain, file: path, what: "another locwatch run uses it",
      remedy: "stop it, or name another file with --state")
  }

  private static func isBusy(_ path: String) -> Failure {
    Failure(
      .tryAgain, file: path, what: "a command uses it, or a locwatch run that begins or ends",
      remedy: "try again when that is done")
  }

  /// Whether this process holds the lock of a file.
  static func isOurs(_ path: String) -> Bool {
    guard let file = FileNumber(path) else { return false }
    return held.withLock { $0[file]?.isLocked == true }
  }

  deinit {
    Self.held.withLock { held in
      guard let descriptor = held[file]?.descriptor else { return }
      flock(descriptor, LOCK_UN)
      held[file] = Held(descriptor: descriptor, isLocked: false)
    }
  }
}

import Foundation
import TestSupport
import Testing

@testable import LocationFormats
@testable import LocationRuntime

/// The first unlock after a boot (rule A8), told by a file.
@Suite struct FirstUnlockTests {
  private let folder = TemporaryFolder()

  private func isReadable(_ unlock: FirstUnlock, milliseconds: Int32) -> Bool {
    PollSet.wait(on: unlock.readable, atMost: milliseconds) != 0
  }

  @Test func `it is told by a command, and to who waits`() throws {
    let unlock = try FirstUnlock(path: folder("unlocked"))
    #expect(!unlock.isTold())
    #expect(!isReadable(unlock, milliseconds: 0))
    _ = folder.write("unlocked", ProcessStatus.boot + "\n")
    #expect(isReadable(unlock, milliseconds: 300_000))
    #expect(unlock.isTold())
    #expect(!isReadable(unlock, milliseconds: 0), "asking silences it")
    #expect(try FirstUnlock(path: folder("unlocked")).isTold(), "also to who comes later")
  }

  @Test func `what is written to a file beside it wakes nobody, and what is written to it does`() throws {
    let other = folder.write("other", "")
    let path = folder.write("unlocked", "")
    let unlock = try FirstUnlock(path: path)
    func append(_ text: String, to path: String) throws {
      let file = try #require(FileHandle(forWritingAtPath: path))
      file.write(Data(text.utf8))
      try file.close()
    }
    try append("a", to: other)
    #expect(!isReadable(unlock, milliseconds: 0))
    #expect(!unlock.isTold())
    try append("a", to: other)
    #expect(!isReadable(unlock, milliseconds: 0))
    try append(ProcessStatus.boot, to: path)
    #expect(isReadable(unlock, milliseconds: 300_000))
    #expect(unlock.isTold())
  }

  /// As `install -m 644` of root does it, where the daemon is another user.
  @Test func `that the file is made readable after it was written is told`() throws {
    let unlock = try FirstUnlock(path: folder("unlocked"))
    let path = folder.write("unlocked", ProcessStatus.boot)
    try #require(unsafe chmod(path, 0) == 0)
    #expect(isReadable(unlock, milliseconds: 300_000))
    // The superuser can read it anyhow.
    #expect(unlock.isTold() == (geteuid() == 0))
    try #require(unsafe chmod(path, 0o644) == 0)
    #expect(isReadable(unlock, milliseconds: 300_000))
    #expect(unlock.isTold())
  }

  @Test func `the file of a boot before counts for nothing`() throws {
    let unlock = try FirstUnlock(path: folder("unlocked"))
    _ = folder.write("unlocked", "00000000-0000-0000-0000-000000000000\n")
    #expect(!unlock.isTold())
    _ = folder.write("unlocked", "")
    #expect(!unlock.isTold(), "on a disk an empty file may be as old as the disk")
  }

  @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm")))
  func `where a boot empties the file system, that the file is there is enough`() throws {
    let folder = "/dev/shm/locwatch-test-\(UUID().uuidString)"
    try #require(unsafe mkdir(folder, 0o700) == 0)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/unlocked"
    let unlock = try FirstUnlock(path: path)
    #expect(!unlock.isTold())
    // As `touch` in a unit does.
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    #expect(isReadable(unlock, milliseconds: 300_000))
    #expect(unlock.isTold())
  }

  @Test func `once it was told, nothing in its folder wakes the daemon any more`() {
    var watch = MachineWatch(unlockFile: folder("unlocked"))
    func isReadable() -> Bool {
      var polled = PollSet()
      watch.watch(&polled)
      polled.wait(atMost: 0)
      return (0..<1024).contains { polled.events(of: $0) & POLLIN != 0 }
    }
    _ = folder.write("unlocked", ProcessStatus.boot)
    #expect(isReadable())
    let isUnlocked = watch.isUnlocked()
    #expect(isUnlocked)
    _ = folder.write("other", "")
    #expect(!isReadable())
    let isAgain = watch.isUnlocked()
    #expect(!isAgain)
  }

  @Test func `a pipe, and what has no end, tell nothing and hold nothing up`() throws {
    let unlock = try FirstUnlock(path: folder("unlocked"))
    try #require(unsafe mkfifo(folder("unlocked"), 0o600) == 0)
    #expect(!unlock.isTold())
    try #require(unsafe unlink(folder("unlocked")) == 0)
    try #require(unsafe symlink("/dev/zero", folder("unlocked")) == 0)
    #expect(!unlock.isTold())
  }

  @Test(.enabled(if: geteuid() == 0)) func `root does not believe a file that anybody can put there`() throws
  {
    try #require(unsafe chmod(folder.path, 0o777) == 0)
    let failure = #expect(throws: Failure.self) { try FirstUnlock(path: folder("unlocked")) }
    #expect(failure?.code == .noPermission)
  }

  @Test func `a directory that is not there is an error that names it`() {
    let failure = #expect(throws: Failure.self) { try FirstUnlock(path: "/nonexistent/unlocked") }
    #expect(failure?.file == "/nonexistent")
  }
}

import Glibc
import LocationCore

/// A file that a program names inside its own directory. No symbolic link leads out of it (rule I4).
struct OwnFile {
  /// The directory of the program.
  let directory: String
  /// The same, open; nil where its path has to be gone.
  private let opened: Int32?
  /// The directories below it, and the name of the file.
  private let path: [String]

  /// - Parameter file: a path below the directory, or one that begins with it.
  /// - Throws: where it leads out of it.
  init(_ file: String, in directory: String, opened: Int32?) throws(TransferTrouble) {
    self.directory = directory
    self.opened = opened
    var rest = file[...]
    if file.hasPrefix("/") {
      guard file.hasPrefix(directory + "/") else { throw TransferTrouble(.file) }
      rest = rest.dropFirst(directory.count + 1)
    }
    path = rest.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
    guard !path.isEmpty, !path.contains(".."), !path.contains("."), !file.hasSuffix("/") else {
      throw TransferTrouble(.file)
    }
  }

  /// Opens it to read.
  ///
  /// - Throws: also where it is no plain file. A pipe could be waited for without end, and what else there is has no size.
  func open() throws(TransferTrouble) -> Int32 {
    let folder = try openFolder()
    defer { close(folder) }
    let number = unsafe openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard number >= 0 else { throw TransferTrouble(code: errno) }
    var status = stat()
    guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(number)
      throw TransferTrouble(.file)
    }
    return number
  }

  /// Puts a file in its place: renamed, or copied under another name and then renamed. What was there is replaced, and
  /// at no time is there half of it.
  ///
  /// - Parameter temporary: that other name, beside it.
  func receive(_ source: String, from parts: Int32, copiedAs temporary: String) throws(TransferTrouble) {
    let folder = try openFolder()
    defer { close(folder) }
    if unsafe renameat(parts, source, folder, name) != 0 {
      guard errno == EXDEV else { throw TransferTrouble(code: errno) }
      try copy(source, from: parts, to: folder, as: temporary)
      unsafe unlinkat(parts, source, 0)
    }
    guard fsync(folder) == 0 else { throw TransferTrouble(code: errno) }
  }

  /// Sees to it that a file can be put in its place, before it is fetched, and erases a copy that a process which was
  /// killed has left beside it.
  ///
  /// - Parameters:
  ///   - source: the part of it that is there.
  ///   - temporary: the name of that copy.
  /// - Returns: the bytes of a file for which there is room, here and where its parts are.
  /// - Throws: where its directory is not there or may not be written, or a directory has its name.
  func prepare(for source: Int32, copiedAs temporary: String) throws(TransferTrouble) -> Int {
    let folder = try openFolder()
    defer { close(folder) }
    unsafe unlinkat(folder, temporary, 0)
    guard unsafe faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) == 0 else {
      throw TransferTrouble(code: errno)
    }
    var there = stat()
    if unsafe fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) == 0, there.st_mode & S_IFMT == S_IFDIR {
      throw TransferTrouble(.file)
    }
    var (part, place) = (stat(), stat())
    guard unsafe fstat(source, &part) == 0, unsafe fstat(folder, &place) == 0 else {
      throw TransferTrouble(code: errno)
    }
    let room = Self.freeBytes(source) + Int(part.st_size)
    return part.st_dev == place.st_dev ? room : min(room, Self.freeBytes(folder))
  }

  /// Bytes that the file system of an open file has left for us. One that does not say, or has no limit (ramfs), reports
  /// no blocks at all.
  private static func freeBytes(_ descriptor: Int32) -> Int {
    var system = statvfs()
    guard unsafe fstatvfs(descriptor, &system) == 0, system.f_blocks > 0 else { return unlimited }
    let blocks = geteuid() == 0 ? system.f_bfree : system.f_bavail
    let (bytes, isTooMuch) = blocks.multipliedReportingOverflow(by: UInt(system.f_frsize))
    return isTooMuch ? unlimited : min(Int(clamping: bytes), unlimited)
  }

  /// More bytes than any disk has, to which those of a part can still be added.
  private static let unlimited = 1 << 62

  /// Erases a copy that a process which was killed has left beside it.
  func eraseCopy(_ temporary: String) {
    guard let folder = try? openFolder() else { return }
    defer { close(folder) }
    unsafe unlinkat(folder, temporary, 0)
  }

  private var name: String { path[path.count - 1] }

  /// Opens the directory that it is in.
  private func openFolder() throws(TransferTrouble) -> Int32 {
    var folder = unsafe openat(
      opened ?? AT_FDCWD, opened == nil ? directory : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    for part in path.dropLast() where folder >= 0 {
      let next = unsafe openat(folder, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      let code = errno
      close(folder)
      errno = code
      folder = next
    }
    guard folder >= 0 else { throw TransferTrouble(code: errno) }
    return folder
  }

  private func copy(
    _ source: String, from parts: Int32, to folder: Int32, as temporary: String
  ) throws(TransferTrouble) {
    let from = unsafe openat(parts, source, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard from >= 0 else { throw TransferTrouble(code: errno) }
    defer { close(from) }
    let to = unsafe openat(folder, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard to >= 0 else { throw TransferTrouble(code: errno) }
    defer { close(to) }
    var code: Int32 = 0
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    copying: while true {
      let count = unsafe piece.withUnsafeMutableBytes { unsafe read(from, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0 { code = errno }
      guard count > 0 else { break }
      var written = 0
      while written < count {
        let done = unsafe piece.withUnsafeBytes { bytes in
          unsafe write(to, bytes.baseAddress.map { unsafe $0 + written }, count - written)
        }
        if done < 0, errno == EINTR { continue }
        guard done > 0 else {
          code = errno
          break copying
        }
        written += done
      }
    }
    if code == 0, fsync(to) != 0 { code = errno }
    if code == 0, unsafe renameat(folder, temporary, folder, name) != 0 { code = errno }
    guard code == 0 else {
      unsafe unlinkat(folder, temporary, 0)
      throw TransferTrouble(code: code)
    }
  }
}

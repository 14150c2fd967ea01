import Glibc
import LocationCore
import LocationFormats

/// A partly downloaded file: its bytes, and a note beside them that tells whether the download can be resumed.
struct PartFile {
  /// Where it is, open: its user may have no way there.
  let folder: Int32
  /// The file of the bytes.
  let name: String

  /// From where it can be gone on with.
  struct Standing {
    /// Bytes that are there.
    var begin: Int
    /// The server's validator of the whole file.
    var validator: String
    /// Bytes that the whole has; nil where the server did not say.
    var total: Int?
  }

  /// The file of the note. Where a download begins anew it is erased before the bytes are.
  var standingName: String { name + ".state" }
  private var doneName: String { name + ".done" }

  /// The name of a copy of it in the program's directory, until that is whole: the same for the next process, which erases
  /// what a killed one has left, and another one for each program, because several may have one directory.
  var copyName: String {
    var status = stat()
    unsafe fstat(folder, &status)
    return ".locwatch-\(status.st_ino)-\(name)"
  }

  /// Opens it, making it where it is not there; nil where it was put in its place, and nobody was told.
  ///
  /// A process of a daemon before us may still hold it. It may be putting it in its place.
  func open() throws(TransferTrouble) -> Int32? {
    while true {
      let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC
      var number = unsafe openat(folder, name, flags)
      if number < 0, errno == ENOENT {
        // The note of that was written before the file went.
        if deliveredBytes != nil { return nil }
        number = unsafe openat(folder, name, flags | O_CREAT, 0o600)
      }
      guard number >= 0 else { throw TransferTrouble(code: errno) }
      guard flock(number, LOCK_EX) == 0 else {
        let code = errno
        close(number)
        throw TransferTrouble(code: code)
      }
      if isHere(number) { return number }
      close(number)
    }
  }

  /// Whether an open file still has this name.
  private func isHere(_ number: Int32) -> Bool {
    var opened = stat()
    var named = stat()
    guard unsafe fstat(number, &opened) == 0,
      unsafe fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0
    else { return false }
    return opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
  }

  /// From where it can be gone on with; nil where it begins anew.
  ///
  /// After a boot only what was synchronised counts: a file may have grown before its bytes were written.
  func standing(of file: Int32) -> Standing? {
    guard let tree = read(standingName), let validator = tree["validator"]?.string,
      !validator.isEmpty
    else { return nil }
    let size = Int(lseek(file, 0, SEEK_END))
    let isSameBoot = tree["boot"]?.string == Self.boot
    let begin = isSameBoot ? size : min(size, tree["safe"]?.integer ?? 0)
    return begin > 0 ? Standing(begin: begin, validator: validator, total: tree["total"]?.integer) : nil
  }

  /// Notes what is known of the bytes, once they are on the disk.
  func note(_ validator: String, bytes: Int, total: Int?, of file: Int32) throws(TransferTrouble) {
    guard fsync(file) == 0 else { throw TransferTrouble(code: errno) }
    try write(
      .object([
        "validator": .string(validator), "boot": .string(Self.boot), "safe": .integer(bytes),
        "total": total.map { .integer($0) },
      ]), to: standingName)
  }

  /// The bytes of a file that was put in its place before we could say so; nil where none was.
  var deliveredBytes: Int? {
    guard let bytes = read(doneName)?["bytes"]?.integer else { return nil }
    return unsafe faccessat(folder, name, F_OK, 0) == 0 ? nil : bytes
  }

  /// Moves the complete file to its destination. The note of that is written first, so that after a crash in between
  /// the file is not fetched again.
  func deliver(to file: OwnFile, bytes: Int, _ descriptor: Int32) throws(TransferTrouble) {
    guard fsync(descriptor) == 0 else { throw TransferTrouble(code: errno) }
    try write(.object(["bytes": .integer(bytes)]), to: doneName)
    do throws(TransferTrouble) {
      try file.receive(name, from: folder, copiedAs: copyName)
    } catch {
      unsafe unlinkat(folder, doneName, 0)
      throw error
    }
  }

  /// Leaves nothing of it.
  func erase() {
    for name in [name, standingName, doneName] { unsafe unlinkat(folder, name, 0) }
  }

  /// Names this boot (random(4)).
  private static let boot: String = {
    guard let bytes = try? FileBytes.read(path: "/proc/sys/kernel/random/boot_id") else { return "" }
    return String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
  }()

  /// Reads a small file; nil where there is none.
  private func read(_ name: String) -> JSONTree? {
    let file = unsafe openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: Self.noteBytes)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe SystemCall.readBytes(file, $0) }
    return count > 0 ? try? JSONTree(Array(bytes[..<count])) : nil
  }

  /// No note is longer.
  private static let noteBytes = 4_096

  /// Writes a small file whole or not at all.
  private func write(_ tree: JSONTree, to name: String) throws(TransferTrouble) {
    let new = name + ".new"
    let file = unsafe openat(folder, new, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw TransferTrouble(code: errno) }
    let bytes = Array(tree.text.utf8)
    let count = unsafe bytes.withUnsafeBytes { unsafe SystemCall.writeBytes(file, $0) }
    let isWritten = count == bytes.count && fsync(file) == 0
    let code = errno
    close(file)
    guard isWritten, unsafe renameat(folder, new, folder, name) == 0 else {
      let code = isWritten ? errno : count < 0 ? code : ENOSPC
      unsafe unlinkat(folder, new, 0)
      throw TransferTrouble(code: code)
    }
  }
}

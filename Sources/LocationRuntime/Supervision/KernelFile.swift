import Glibc
import LocationFormats

/// The small files of /proc and /sys/fs/cgroup, and the supervisor's own.
enum KernelFile {
  /// The text; nil where it can't be read.
  ///
  /// - Parameter limit: so many bytes of it and a little more are enough.
  static func read(_ path: String, atMost limit: Int = .max) -> String? {
    guard let file = Descriptor.open(path, O_RDONLY) else { return nil }
    return read(file, atMost: limit)
  }

  /// The text of a plain file; nil where there is none of that name.
  static func readPlain(_ path: String, atMost limit: Int) -> String? {
    Descriptor.openPlain(path).flatMap { read($0, atMost: limit) }
  }

  /// The text of an open file from its start; nil where it can't be read.
  static func read(_ file: Descriptor, atMost limit: Int = .max) -> String? {
    var bytes: [UInt8] = []
    while true {
      let count = unsafe withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
        let count = unsafe pread(file.number, buffer.baseAddress, buffer.count, bytes.count)
        if count > 0 { unsafe bytes.append(contentsOf: buffer[..<count]) }
        return count
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 || bytes.count >= limit { return String(decoding: bytes, as: UTF8.self) }
    }
  }

  /// The words in a file; none where it can't be read.
  static func words(in path: String) -> [String] {
    lines(in: path).flatMap { $0.split(separator: " ").map(String.init) }
  }

  /// The lines of a file; none where it can't be read.
  static func lines(in path: String) -> [String] {
    (read(path) ?? "").split(separator: "\n").map(String.init)
  }

  /// Writes a text in one piece; 0 or an errno.
  static func write(_ path: String, _ text: String, create: Bool = false) -> Int32 {
    guard let file = Descriptor.open(path, O_WRONLY | (create ? O_CREAT | O_TRUNC : 0)) else { return errno }
    return write(file, text)
  }

  /// Writes a text to an open file in one piece; 0 or an errno.
  static func write(_ file: Descriptor, _ text: String) -> Int32 {
    let bytes = Array(text.utf8)
    let count = unsafe bytes.withUnsafeBytes { unsafe SystemCall.writeBytes(file.number, $0) }
    return count == bytes.count ? 0 : count < 0 ? errno : EIO
  }

  /// Where a symbolic link leads; nil where there is none.
  static func target(_ path: String) -> String? {
    unsafe withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
      guard let start = unsafe buffer.bindMemory(to: CChar.self).baseAddress else { return nil }
      let count = unsafe readlink(path, start, buffer.count)
      return count > 0 ? unsafe String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
  }

  /// The names in a directory, sorted; empty where it can't be read.
  ///
  /// - Parameter limit: how many are enough: the first as the directory has them.
  static func names(in path: String, areDirectories: Bool, atMost limit: Int = .max) -> [String] {
    guard let stream = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while names.count < limit, let entry = unsafe readdir(stream) {
      guard (unsafe Int32(entry.pointee.d_type) == Int32(DT_DIR)) == areDirectories else { continue }
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// A value of a file of `key value` lines, such as `cgroup.events`.
  static func value(_ key: String, in text: String) -> Int? {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, words[0] == key { return Int(words[1]) }
    }
    return nil
  }
}

import Glibc

/// gpsbabel (https://www.gpsbabel.org), which converts to GPX what locwatch does not read itself.
enum Gpsbabel {
  /// A format that gpsbabel reads.
  struct Format: Hashable, Sendable {
    /// As gpsbabel calls it: `garmin_fit`.
    var name: String
    /// What people call such a file: `a FIT file`.
    var title: String
  }

  static let fit = Format(name: "garmin_fit", title: "a FIT file")
  static let tcx = Format(name: "gtrnctr", title: "a TCX file")
  static let igc = Format(name: "igc", title: "an IGC file")
  static let google = Format(name: "googletakeout", title: "a Google Timeline")

  /// Converts the tracks of a file, and waits for that.
  ///
  /// - Parameters:
  ///   - path: what is converted, for messages; its path, where there is no copy.
  ///   - copy: a descriptor of a file that has what is converted; nil where that is a file itself.
  /// - Returns: a descriptor of the GPX, at its start; the file behind it has no name.
  /// - Throws: `.unavailable` where gpsbabel is not installed; `.data` with its complaint where it fails.
  static func convert(
    _ path: String, copy: Int32? = nil, from format: Format
  ) throws(Failure) -> Int32 {
    let output = try nameless()
    let complaint: Int32
    do throws(Failure) { complaint = try nameless() } catch {
      close(output)
      throw error
    }
    defer { close(complaint) }
    let file = copy == nil ? path : "/dev/stdin"
    let status = run(
      ["gpsbabel", "-t", "-i", format.name, "-f", file, "-o", "gpx", "-F", "-"], copy, output, complaint)
    guard status == .ended(0) else {
      close(output)
      throw failure(status, path, format, complaint: lastLine(of: complaint))
    }
    lseek(output, 0, SEEK_SET)
    return output
  }

  private enum Status: Equatable {
    case notStarted(Int32)
    case ended(Int32)
  }

  private static func failure(
    _ status: Status, _ path: String, _ format: Format, complaint: String
  ) -> Failure {
    switch status {
    case .notStarted(ENOENT):
      return Failure(
        .unavailable, file: path, what: "\(format.title), which locwatch reads through gpsbabel",
        remedy: "apt install gpsbabel")
    case .notStarted(let code):
      return Failure(.unavailable, file: path, what: "can't start gpsbabel: \(SystemReason.text(code))")
    case .ended:
      let isUnknown = complaint.contains("not recognized")
      return Failure(
        .data, file: path, what: "\(format.title) that gpsbabel can't read: \(complaint)",
        remedy: isUnknown ? "gpsbabel -^3 lists its formats; a later gpsbabel may know more" : nil)
    }
  }

  /// What a child gets of our environment: enough to find itself, its settings and the zone of local times.
  private static let inherited = ["PATH", "HOME", "LANG", "LC_ALL", "TZ"]

  private static func run(
    _ words: [String], _ input: Int32?, _ output: Int32, _ complaint: Int32
  ) -> Status {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if let input {
      unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
      unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, complaint, 2)
    let variables = inherited.compactMap { name in EnvironmentVariable.value(name).map { "\(name)=\($0)" } }
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    var environment = unsafe variables.map { unsafe strdup($0) } + [nil]
    defer {
      for index in unsafe arguments.indices { unsafe free(arguments[index]) }
      for index in unsafe environment.indices { unsafe free(environment[index]) }
    }
    // Threads of Swift's runtime block nearly all signals; a Ctrl-C has to end gpsbabel too.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var child = pid_t()
    let code = unsafe posix_spawnp(&child, "gpsbabel", &actions, &attributes, &arguments, &environment)
    guard code == 0 else { return .notStarted(code) }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
    return .ended(status)
  }

  /// A new file that only we can read, and that goes with its descriptor.
  static func nameless() throws(Failure) -> Int32 {
    let folder = EnvironmentVariable.value("TMPDIR") ?? "/tmp"
    var template = Array("\(folder)/locwatch-XXXXXX".utf8CString)
    let file = unsafe mkstemp(&template)
    guard file >= 0 else {
      throw Failure(.cantCreate, file: folder, what: "can't make a file: \(SystemReason.text(errno))")
    }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    unsafe unlink(template)
    return file
  }

  private static func lastLine(of file: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(file, $0.baseAddress, $0.count, 0) }
    let lines = bytes.prefix(max(0, count)).split(separator: UInt8(ascii: "\n"))
      .map { String(decoding: $0, as: UTF8.self) }
    return lines.last { $0.contains { $0.isLetter } } ?? "no reason given"
  }
}

import Glibc
package import LocationFormats

/// Where the state is kept when nobody says so.
package enum StatePath {
  /// The files of a database: itself, and the log of what is not in it yet.
  package static func files(of path: String) -> [String] { [path, path + "-wal"] }

  /// That of the machine's service.
  package static let system = "/var/lib/locwatch/\(fileName)"

  /// The file's own name.
  package static let fileName = "locwatch.db"

  /// The database's path: what the user named, else that of the system service, else the user's own.
  ///
  /// In this order: `option`; `$STATE_DIRECTORY/locwatch.db`, which systemd sets for a service with
  /// `StateDirectory=`; `$XDG_STATE_HOME/locwatch/locwatch.db`; for root `/var/lib/locwatch/locwatch.db`;
  /// `$HOME/.local/state/locwatch/locwatch.db`. As the XDG base directory specification has it, a relative
  /// `XDG_STATE_HOME` is passed over.
  ///
  /// - Throws: `.config` where none of these is set, `.usage` where the option is empty.
  package static func resolve(option: String?, environment: [String: String], isRoot: Bool) throws(Failure)
    -> String
  {
    if let option {
      guard !option.isEmpty else {
        throw Failure(.usage, what: "--state names no file", remedy: "name one, or leave the option out")
      }
      return option
    }
    // Several directories are separated by colons (systemd.exec(5)); the first is the service's own.
    if let service = environment["STATE_DIRECTORY"]?.split(separator: ":").first, service.hasPrefix("/") {
      return "\(service)/\(fileName)"
    }
    if let home = environment["XDG_STATE_HOME"], home.hasPrefix("/") { return "\(home)/locwatch/\(fileName)" }
    if isRoot { return system }
    if let home = environment["HOME"], home.hasPrefix("/") {
      return "\(home)/.local/state/locwatch/\(fileName)"
    }
    let isSet = environment["HOME"].map { !$0.isEmpty } ?? false
    throw Failure(
      .config, what: isSet ? "HOME is not an absolute path" : "HOME is not set",
      remedy: "name the state file with --state")
  }

  /// The path for this process.
  ///
  /// - Throws: `.config` where nothing says where.
  package static func resolve(option: String?) throws(Failure) -> String {
    try resolve(option: option, environment: ambient, isRoot: geteuid() == 0)
  }

  /// What this process's environment says of it.
  private static var ambient: [String: String] {
    var environment: [String: String] = [:]
    for name in ["STATE_DIRECTORY", "XDG_STATE_HOME", "HOME"] {
      environment[name] = EnvironmentVariable.value(name)
    }
    return environment
  }

  /// Where daemons of this machine keep their state if nobody says otherwise: the system's, then this user's.
  package static var usual: [String] {
    var environment = ambient
    environment["STATE_DIRECTORY"] = nil
    let own = try? resolve(option: nil, environment: environment, isRoot: false)
    return [system] + (own.map { [$0] } ?? [])
  }

  /// A path from the root: the daemon may have another working directory.
  ///
  /// - Throws: `.noInput` where there is no working directory.
  package static func absolute(_ path: String) throws(Failure) -> String {
    if path.hasPrefix("/") { return path }
    guard let folder = unsafe getcwd(nil, 0) else {
      throw Failure(
        .noInput, file: path, what: "the working directory is gone",
        remedy: "change to another folder, or give a path from the root")
    }
    defer { unsafe free(folder) }
    return unsafe String(cString: folder) + "/" + path
  }

  /// The path of a new file: `path`, or where there is a file with something in it, or a link to one, the first free one
  /// of `path.1`, `path.2` ….
  static func unused(_ path: String) -> String {
    var unused = path
    var number = 0
    var status = stat()
    while unsafe stat(unused, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 {
      number += 1
      unused = "\(path).\(number)"
    }
    return unused
  }

  /// Makes the folder of a file, and those above it, for their owner alone: where someone was is private.
  ///
  /// - Throws: `.cantCreate`, `.noPermission`.
  static func makeFolder(of path: String) throws(Failure) {
    let parts = path.split(separator: "/").dropLast()
    guard !parts.isEmpty else { return }
    var folder = path.hasPrefix("/") ? "" : "."
    for part in parts {
      folder += "/\(part)"
      guard unsafe mkdir(folder, 0o700) != 0 else { continue }
      let code = errno
      // Those above may stand on file systems that can't be written.
      let isThere = unsafe access(folder, F_OK) == 0
      if code == EEXIST || isThere { continue }
      throw Failure(
        code == EACCES || code == EPERM ? .noPermission : .cantCreate, file: path,
        what: "can't make the folder \(folder): \(SystemReason.text(code))",
        remedy: "name another file with --state")
    }
  }

  /// Makes an empty file that only its owner can read, where there is none, and takes away what others may read of one
  /// that is ours and of its log. What others may write is left for ``requireOwn(_:)`` to tell.
  ///
  /// - Throws: `.cantCreate`, `.noPermission`.
  static func makeFile(_ path: String) throws(Failure) {
    try requireName(path)
    guard unsafe access(path, F_OK) != 0 else {
      for part in ["", "-wal", "-shm"] {
        guard let status = Self.status(path + part), status.st_uid == geteuid(),
          status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o022 == 0
        else { continue }
        // SQLite creates these with the mode that the file had then, and does not change it later.
        let isLeft = !part.isEmpty && status.st_mode & 0o600 != 0o600
        guard status.st_mode & 0o055 != 0 || isLeft else { continue }
        _ = unsafe chmod(path + part, 0o600)
      }
      return
    }
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0o600)
    guard descriptor >= 0 else { throw failure(path, errno) }
    close(descriptor)
  }

  /// What it means that a state file can't be opened.
  static func failure(_ path: String, _ code: Int32) -> Failure {
    Failure(
      code == EACCES || code == EPERM ? .noPermission : .cantCreate, file: path,
      what: "can't be created or written: \(SystemReason.text(code))",
      remedy: "name another file with --state")
  }

  /// What it means that a state file that is there can't be read.
  static func unreadable(_ path: String, _ code: Int32) -> Failure {
    Failure(
      .noPermission, file: path, what: "can't be read: \(SystemReason.text(code))",
      remedy: "ask as its owner (the machine's: with sudo), or name another file with --state")
  }

  /// Looks whether a state file has one name, and no part of it is a link, or a log, that somebody may have planted:
  /// SQLite plays the log that it finds into the file.
  ///
  /// - Throws: `.noPermission`; `.cantCreate` where it is no plain file.
  static func requireName(_ path: String) throws(Failure) {
    let kind = status(path).map { $0.st_mode & S_IFMT }
    if kind == S_IFDIR {
      throw Failure(
        .cantCreate, file: path, what: "is a directory", remedy: "name a file in it with --state")
    }
    if let kind, kind != S_IFREG, kind != S_IFLNK {
      throw Failure(
        .cantCreate, file: path, what: "is no plain file", remedy: "name another file with --state")
    }
    let trusted = [0, geteuid(), status(path)?.st_uid ?? geteuid()]
    for part in ["", "-wal", "-shm", "-journal"] {
      guard let status = Self.status(path + part) else { continue }
      guard trusted.contains(status.st_uid) else {
        throw Failure(
          .noPermission, file: path + part, what: "belongs to user \(status.st_uid), not to the state file's",
          remedy: "remove it")
      }
      if status.st_mode & S_IFMT == S_IFLNK {
        throw Failure(
          .noPermission, file: path + part, what: "is a symbolic link",
          remedy: "name the file that it points to")
      }
      // SQLite would wait for somebody to open the other end of a pipe.
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw Failure(.cantCreate, file: path + part, what: "is no plain file", remedy: "remove it")
      }
      // SQLite keeps its log under the name that it was given: two names are two logs.
      if status.st_nlink > 1 {
        throw Failure(
          .noPermission, file: path + part, what: "has \(status.st_nlink) names (hard links)",
          remedy: "remove the others, or copy the file")
      }
    }
  }

  /// Checks that a state file is ours alone. Only then may its commands be run, its processes be ended and the contents of
  /// its secrets files be sent.
  ///
  /// - Throws: `.noPermission`.
  package static func requireOwn(_ path: String) throws(Failure) {
    try requireName(path)
    guard let status = Self.status(path) else { return }
    guard status.st_uid == geteuid() else {
      throw Failure(
        .noPermission, file: path, what: "belongs to user \(status.st_uid), not to \(geteuid())",
        remedy: "run locwatch as that user, or name another file with --state")
    }
    guard status.st_mode & 0o022 == 0 else {
      throw Failure(
        .noPermission, file: path, what: "others may write it", remedy: "chmod go-w \(CommandText.word(path))"
      )
    }
    try requireSafeFolders(of: path)
  }

  /// Looks whether nobody but root can put another file in the place of one, for a daemon of root: on the way to it, and
  /// on the way that links lead to.
  ///
  /// - Throws: `.noPermission`; `.noInput` where there is no working directory.
  package static func requireSafeFolders(of path: String) throws(Failure) {
    guard geteuid() == 0 else { return }
    let named = folders(above: try absolute(path))
    var last = "/"
    for folder in named {
      guard unsafe access(folder, F_OK) == 0 else { break }
      try requireSafe(folder, for: path, holdsIt: folder == named.last)
      last = folder
    }
    guard let real = withoutLinks(last) else { return }
    let found = folders(above: real + "/\(fileName)")
    for folder in found {
      try requireSafe(folder, for: path, holdsIt: folder == found.last && last == named.last)
    }
  }

  /// The full path of what is there, without symbolic links; nil where nothing is.
  static func withoutLinks(_ path: String) -> String? {
    guard let real = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  /// The folders above a file, the root first.
  private static func folders(above path: String) -> [String] {
    path.split(separator: "/").dropLast().reduce(into: ["/"]) { folders, part in
      folders.append((folders.count == 1 ? "" : folders[folders.count - 1]) + "/\(part)")
    }
  }

  /// - Parameter holdsIt: whether the file is in this very folder. There nobody else may put what is used with it.
  private static func requireSafe(
    _ folder: String, for path: String, holdsIt: Bool
  ) throws(Failure) {
    // Whoever owns a link can have it lead elsewhere at any time.
    var target = stat()
    guard let own = status(folder), unsafe stat(folder, &target) == 0 else { return }
    // In what is no folder nothing can be put.
    guard target.st_mode & S_IFMT == S_IFDIR else { return }
    let isSticky = target.st_mode & S_ISVTX != 0 && !holdsIt
    let isGroups = target.st_mode & S_IWGRP != 0 && target.st_gid != 0
    let isEverybodys = target.st_mode & S_IWOTH != 0
    let isRoots = own.st_uid == 0 && target.st_uid == 0
    guard isRoots, isSticky || !isGroups && !isEverybodys else {
      // A folder that all share stays as it is.
      let way =
        !isRoots
        ? "run locwatch as that user, or "
        : target.st_mode & S_ISVTX != 0 ? "" : "chmod go-w \(CommandText.line([folder])), or "
      throw Failure(
        .noPermission, file: path,
        what: "another user can replace it or its log, because \(folder) is not root's alone",
        remedy: way + "name another file with --state")
    }
  }

  /// Makes a folder for our files beside a state file if there is none.
  ///
  /// - Throws: `.noPermission` where another user has prepared it, `.cantCreate`.
  static func makeOwnFolder(_ path: String) throws(Failure) {
    if unsafe mkdir(path, 0o700) != 0, errno != EEXIST {
      throw Failure(.cantCreate, file: path, what: "can't be made: \(SystemReason.text(errno))")
    }
    guard isOwnFolder(path) else {
      throw Failure(.noPermission, file: path, what: "belongs to another user", remedy: "remove it")
    }
  }

  /// Whether it is a folder, no link, of ours that nobody else may write.
  static func isOwnFolder(_ path: String) -> Bool {
    guard let status = status(path) else { return false }
    return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid() && status.st_mode & 0o022 == 0
  }

  /// What is at a path, links not followed; nil, with `errno` set, where nothing is.
  static func status(_ path: String) -> stat? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status : nil
  }

  /// Whether there is a file with nothing in it.
  static func isEmptyFile(_ path: String) -> Bool {
    status(path).map { $0.st_mode & S_IFMT == S_IFREG && $0.st_size == 0 } ?? false
  }

  /// The room that its user has on the file system of a path, in bytes; nil where that can't be asked.
  static func freeBytes(at path: String) -> Int? {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return nil }
    let (bytes, isTooMany) = status.f_bavail.multipliedReportingOverflow(by: status.f_frsize)
    return isTooMany ? .max : Int(clamping: bytes)
  }
}

package import LocationFormats

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Where the state is kept when nobody says so.
package enum StatePath {
  /// The file's own name.
  package static let fileName = "locwatch.db"

  /// The database's path: what the user named, else that of the system service, else the user's own.
  ///
  /// In this order: `option`; `$STATE_DIRECTORY/locwatch.db`, which systemd sets for a service with
  /// `StateDirectory=`; `$XDG_STATE_HOME/locwatch/locwatch.db`; for root `/var/lib/locwatch/locwatch.db`;
  /// `$HOME/.local/state/locwatch/locwatch.db`. As the XDG base directory specification has it, a relative
  /// `XDG_STATE_HOME` is passed over.
  ///
  /// - Throws: `.config` where none of these is set.
  package static func resolve(option: String?, environment: [String: String], isRoot: Bool) throws(Failure)
    -> String
  {
    if let option { return option }
    // Several directories are separated by colons (systemd.exec(5)); the first is the service's own.
    if let service = environment["STATE_DIRECTORY"]?.split(separator: ":").first, service.hasPrefix("/") {
      return "\(service)/\(fileName)"
    }
    if let home = environment["XDG_STATE_HOME"], home.hasPrefix("/") { return "\(home)/locwatch/\(fileName)" }
    if isRoot { return "/var/lib/locwatch/\(fileName)" }
    if let home = environment["HOME"], home.hasPrefix("/") {
      return "\(home)/.local/state/locwatch/\(fileName)"
    }
    throw Failure(.config, what: "HOME is not set", remedy: "name the state file with --state")
  }

  /// The path for this process.
  ///
  /// - Throws: `.config` where nothing says where.
  package static func resolve(option: String?) throws(Failure) -> String {
    var environment: [String: String] = [:]
    for name in ["STATE_DIRECTORY", "XDG_STATE_HOME", "HOME"] {
      environment[name] = unsafe getenv(name).map { unsafe String(cString: $0) }
    }
    return try resolve(option: option, environment: environment, isRoot: geteuid() == 0)
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

  /// Makes an empty file that only its owner can read, where there is none.
  ///
  /// - Throws: `.cantCreate`, `.noPermission`.
  static func makeFile(_ path: String) throws(Failure) {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
    let code = errno
    guard descriptor < 0 else {
      close(descriptor)
      return
    }
    throw Failure(
      code == EACCES || code == EPERM ? .noPermission : .cantCreate, file: path,
      what: "can't be created or written: \(SystemReason.text(code))",
      remedy: "name another file with --state")
  }
}

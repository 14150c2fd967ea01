import Glibc
package import LocationFormats

/// Finds programs as a shell does.
package enum CommandPath {
  /// The full path of a program that can be executed: one in PATH, or the path that was given, made absolute.
  ///
  /// A daemon has another PATH and another working directory than the terminal in which a rule is made.
  ///
  /// - Throws: code 66 where there is none, 77 where it may not be executed.
  package static func resolve(_ program: String) throws(Failure) -> String {
    if program.contains("/") {
      guard isThere(program) else {
        throw Failure(.noInput, file: program, what: "no such program", remedy: "check its path")
      }
      guard !isFolder(program) else {
        throw Failure(
          .noPermission, file: program, what: "is a folder, no program", remedy: "name a program in it")
      }
      guard isExecutable(program) else {
        throw Failure(
          .noPermission, file: program, what: "is no program that may be executed",
          remedy: "chmod +x \(CommandText.line([program]))")
      }
      return try checked(program)
    }
    let folders = (EnvironmentVariable.value("PATH") ?? "/usr/bin:/bin").split(separator: ":")
    for folder in folders {
      let path = "\(folder)/\(program)"
      if isExecutable(path) { return try checked(path) }
    }
    let remedy =
      isThere(program) ? "for the file here write ./\(program)" : "install it, or give its full path"
    throw Failure(.noInput, what: "no program \"\(program)\" in PATH", remedy: remedy)
  }

  private static func isThere(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  private static func isFolder(_ path: String) -> Bool { isKind(path, S_IFDIR) }

  private static func isExecutable(_ path: String) -> Bool {
    // A folder may be "executed" too.
    unsafe access(path, X_OK) == 0 && isKind(path, S_IFREG)
  }

  private static func isKind(_ path: String, _ kind: mode_t) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == kind
  }

  /// The full path of what may be executed, where what runs it is there as well.
  private static func checked(_ path: String) throws(Failure) -> String {
    if let objection = ScriptInterpreter.objection(to: path) {
      throw Failure(.noInput, file: path, what: objection, remedy: "change its first line, or its line ends")
    }
    return try absolute(path)
  }

  private static func absolute(_ path: String) throws(Failure) -> String {
    try StatePath.absolute(path.hasPrefix("./") ? String(path.dropFirst(2)) : path)
  }
}

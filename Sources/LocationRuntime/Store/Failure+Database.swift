import GRDB
import LocationFormats

extension Failure {
  /// What an error of SQLite means to a person.
  init(_ error: any Error, database path: String) {
    if let failure = error as? Failure {
      self = failure
      return
    }
    guard let error = error as? DatabaseError else {
      self.init(.software, file: path, what: "\(error)")
      return
    }
    let reason = error.message ?? "\(error.resultCode)"
    switch error.resultCode {
    case .SQLITE_NOTADB:
      self.init(.data, file: path, what: "not an SQLite database", remedy: "name another file with --state")
    case .SQLITE_CORRUPT, .SQLITE_FORMAT:
      self.init(
        .data, file: path, what: "the database is damaged (\(reason))",
        remedy: "move it away and import the regions again; sqlite3 FILE .recover may save the rest")
    case .SQLITE_FULL:
      self.init(
        .io, file: path, what: "the disk is full; nothing was changed", remedy: "make room and try again")
    case .SQLITE_IOERR:
      self.init(.io, file: path, what: "can't be read or written (\(reason))", remedy: "check the disk")
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      self.init(.tryAgain, file: path, what: "another program keeps it locked", remedy: "try again")
    case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
      self.init(
        .noPermission, file: path, what: "can't be written (\(reason))",
        remedy: "check the permissions of the file and its folder")
    case .SQLITE_CANTOPEN:
      self.init(
        .cantCreate, file: path, what: "can't be opened (\(reason))",
        remedy: "check the file and its folder, or name another file with --state")
    default:
      // Result codes are an open set.
      self.init(.software, file: path, what: "\(error.resultCode.rawValue): \(reason)")
    }
  }
}

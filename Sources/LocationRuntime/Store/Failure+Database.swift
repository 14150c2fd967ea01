import GRDB
import Glibc
import LocationCore
import LocationFormats

extension Failure {
  /// What an error of SQLite, or of reading what it stores, means to a person.
  ///
  /// - Parameter table: the table whose rows were read; nil where that is not known.
  init(_ error: any Error, database path: String, table: String? = nil) {
    if let failure = error as? Failure {
      self = failure
      return
    }
    if let row = error as? UnreadableRow {
      self = row.failure(path)
      return
    }
    guard let error = error as? DatabaseError else {
      let table = table.map { "its table \($0)" } ?? "one of its tables"
      self = StateDatabase.damage("\(table) can't be read: \(Self.reason(error))", path)
      return
    }
    let reason = error.message ?? "\(error.resultCode)"
    // SQLite calls it an I/O error where a full disk has no room for the file that its connections share.
    let isFull = error.extendedResultCode == .SQLITE_IOERR_SHMSIZE
    switch isFull ? .SQLITE_FULL : error.resultCode {
    case .SQLITE_NOTADB:
      self.init(.data, file: path, what: "not an SQLite database", remedy: "name another file with --state")
    case .SQLITE_CORRUPT, .SQLITE_FORMAT, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG:
      self = StateDatabase.damage("the database is damaged (\(reason))", path)
    case .SQLITE_ERROR where reason == "malformed JSON":
      let table = table.map { "a row of its table \($0)" } ?? "one of its rows"
      self = StateDatabase.damage("\(table) can't be read (\(reason))", path)
    case .SQLITE_ERROR:
      // Our statements are fixed: what is wrong is what they meet.
      self = StateDatabase.damage("its tables are not those of locwatch (\(reason))", path)
    case .SQLITE_FULL:
      self.init(.io, file: path, what: "the disk is full", remedy: "make room")
    case .SQLITE_IOERR:
      self.init(.io, file: path, what: "can't be read or written (\(reason))", remedy: "check the disk")
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      self.init(.tryAgain, file: path, what: "another program keeps it locked", remedy: "try again")
    case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
      self.init(
        .noPermission, file: path, what: "can't be written (\(Self.objection(toFolderOf: path) ?? reason))",
        remedy: "check the permissions of the file and its folder")
    case .SQLITE_CANTOPEN:
      self.init(
        .cantCreate, file: path, what: "can't be opened (\(Self.objection(toFolderOf: path) ?? reason))",
        remedy: "check the file and its folder, or name another file with --state")
    default:
      // Result codes are an open set.
      self.init(.software, file: path, what: "SQLite's error \(error.resultCode.rawValue): \(reason)")
    }
  }

  /// Why nothing can be written to the folder of a file, which SQLite does not tell; nil where something can.
  private static func objection(toFolderOf path: String) -> String? {
    let folder = path.split(separator: "/").dropLast().joined(separator: "/")
    let place = path.hasPrefix("/") ? "/\(folder)" : folder.isEmpty ? "." : folder
    return unsafe access(place, W_OK) == 0 ? nil : SystemReason.text(errno)
  }

  /// Why a row can't be read, in words.
  fileprivate static func reason(_ error: any Error) -> String {
    if let error = error as? JSONError { return error.what }
    guard let error = error as? DecodingError else { return "a value is of another type" }
    func text(_ context: DecodingError.Context) -> String {
      let path = context.codingPath.map(\.stringValue).joined(separator: ".")
      return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
    }
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      return text(context)
    case .keyNotFound(let key, _): return "\"\(key.stringValue)\" is missing"
    @unknown default: return "a value is of another type"
    }
  }
}

/// A row of the state file that can't be read. The user can remove it by its name.
struct UnreadableRow: Error {
  /// What it is a row of.
  enum Kind: String {
    case region, subscriber, outlet

    fileprivate var table: String { self == .outlet ? "outlet_settings" : "\(rawValue)s" }
  }

  let kind: Kind
  let name: String
  let reason: String

  init(_ kind: Kind, _ name: String, _ reason: String) {
    self.kind = kind
    self.name = name
    self.reason = reason
  }

  /// Reads a row; what goes wrong names it.
  static func guarding<Value>(_ kind: Kind, _ name: String, _ read: () throws -> Value) throws -> Value {
    do {
      return try read()
    } catch {
      throw UnreadableRow(kind, name, Failure.reason(error))
    }
  }

  /// For people.
  func failure(_ path: String) -> Failure {
    Failure(
      .data, file: path, what: "\(kind) \"\(name)\" in its table \(kind.table) can't be read: \(reason)",
      remedy: "locwatch \(kind)s remove \(CommandText.word(name)), and add it again")
  }
}

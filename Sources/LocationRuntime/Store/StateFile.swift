import Glibc
package import LocationFormats

/// A state file that may be made later, or be replaced by another of its name.
///
/// It is opened once for each file that has the name, because to close one starts Dispatch's threads, which wake the
/// process every second.
package struct StateFile: Sendable {
  private let path: String
  /// What was last opened; nil while there was no file.
  package private(set) var database: StateDatabase?
  /// Which file that was.
  private var file: FileNumber?

  /// Opens nothing yet.
  package init(path: String) { self.path = path }

  /// Opens the file that has the name now, unless it is open. Where there is none, or an empty one, the last stays open.
  ///
  /// - Returns: whether it is another one than before.
  /// - Throws: as ``StateDatabase/openToRead(path:)``.
  @discardableResult
  package mutating func open() throws(Failure) -> Bool {
    let now = FileNumber(path)
    guard database == nil || now != nil && now != file else { return false }
    guard let opened = try StateDatabase.openToRead(path: path) else { return false }
    let isOther = database != nil
    database = opened
    file = now
    return isOther
  }
}

import Glibc
import LocationCore
import LocationFormats

/// Where transfers lie until they are done: what they are, for the daemon alone, and what has come of each, for the
/// user of its program.
struct TransferSpool {
  private let state: String
  /// Beside the state file.
  private var root: String { state + ".transfers" }

  init(state: String) { self.state = state }

  /// What is stored of a transfer; nil where nothing is.
  func job(_ number: Int, of name: String) -> JSONTree? {
    guard StatePath.isOwnFolder(root), let bytes = try? FileBytes.read(path: jobPath(number, of: name)) else {
      return nil
    }
    return try? JSONTree(bytes)
  }

  /// Stores what a transfer is; when this returns it is on the disk.
  func store(_ job: String, _ number: Int, of name: String) throws(Failure) {
    let path = jobPath(number, of: name)
    try StatePath.makeOwnFolder(root)
    try StatePath.makeFolder(of: path)
    let new = path + ".new"
    let file = SystemCall.openFile(new, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { throw Self.failure(path) }
    let bytes = Array(job.utf8)
    let count = unsafe bytes.withUnsafeBytes { unsafe SystemCall.writeBytes(file, $0) }
    let isWritten = count == bytes.count && fsync(file) == 0
    if count >= 0, count < bytes.count { errno = ENOSPC }
    let failure = Self.failure(path)
    close(file)
    guard isWritten else {
      unsafe unlink(new)
      throw failure
    }
    guard unsafe rename(new, path) == 0, Self.syncFolders(of: path) else { throw Self.failure(path) }
  }

  /// Puts the name of a file, and that of its folder, on the disk; false, with `errno` set, where that fails.
  private static func syncFolders(of path: String) -> Bool {
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    return [1, 2].allSatisfy { count in
      let folder = Descriptor.open(names.dropLast(count).joined(separator: "/"), O_RDONLY | O_DIRECTORY)
      return folder.map { fsync($0.number) == 0 } ?? false
    }
  }

  /// Opens what the process of a program may write, for its user, who may have no way there: the folder of what has come
  /// so far, and the directory of the program.
  func folders(of subscriber: Subscriber) throws(Failure) -> TransferFolders {
    let parts = try Self.open(
      CgroupParent.fileName(of: subscriber.name), in: [root, root + "/parts"], for: subscriber)
    let directory = try directory(of: subscriber)
    return TransferFolders(
      parts: parts, files: directory.opened, directory: directory.path, confinement: subscriber.confinement)
  }

  /// The directory of a program: that of its manifest, or one beside the state file, open. That of the manifest its own
  /// user has to open: the way there may lead through folders where others can have it lead elsewhere.
  func directory(of subscriber: Subscriber) throws(Failure) -> (path: String, opened: Descriptor?) {
    if let directory = subscriber.directory { return (directory, nil) }
    let files = try Self.files(beside: state)
    let name = CgroupParent.fileName(of: subscriber.name)
    let opened = try Self.open(name, in: [files], for: subscriber)
    // Its program has to get there as well.
    if subscriber.confinement?.user != nil { unsafe chmod(files, 0o711) }
    return ("\(files)/\(name)", opened)
  }

  /// Below it are the directories of programs whose manifests name none.
  ///
  /// - Throws: `.noInput` where there is no working directory.
  static func files(beside state: String) throws(Failure) -> String {
    "\(try StatePath.absolute(state)).files"
  }

  /// Leaves nothing of a transfer.
  func erase(_ number: Int, of name: String) {
    guard StatePath.isOwnFolder(root) else { return }
    let part = "\(folder("parts", of: name))/\(number)"
    for path in [jobPath(number, of: name), part, part + ".state", part + ".done"] { unsafe unlink(path) }
  }

  /// Leaves nothing but these, by subscriber, as after a crash.
  func sweep(except numbers: [String: Set<Int>]) {
    // What is there would be erased, wherever another user has it lead.
    guard StatePath.isOwnFolder(root) else { return }
    let kept = Dictionary(
      numbers.map { (CgroupParent.fileName(of: $0), $1) }, uniquingKeysWith: { $0.union($1) })
    for kind in ["\(root)/jobs", "\(root)/parts"] {
      for name in KernelFile.names(in: kind, areDirectories: true) {
        let folder = "\(kind)/\(name)"
        for file in KernelFile.names(in: folder, areDirectories: false) {
          let number = Int(file.prefix { $0.isNumber }) ?? 0
          if kept[name]?.contains(number) != true { unsafe unlink("\(folder)/\(file)") }
        }
        // Of one that was removed.
        if kept[name] == nil { unsafe rmdir(folder) }
      }
    }
  }

  private func jobPath(_ number: Int, of name: String) -> String {
    "\(folder("jobs", of: name))/\(number).json"
  }

  private func folder(_ kind: String, of name: String) -> String {
    "\(root)/\(kind)/\(CgroupParent.fileName(of: name))"
  }

  /// Opens a folder that belongs to the user of a program, making it where it is not there.
  ///
  /// - Parameter parents: The folders above it, the uppermost first. They are ours alone, so nobody else can put a link in
  ///   its place.
  private static func open(
    _ name: String, in parents: [String], for subscriber: Subscriber
  ) throws(Failure) -> Descriptor {
    for parent in parents { try StatePath.makeOwnFolder(parent) }
    let folder = "\(parents.last ?? "")/\(name)"
    try StatePath.makeFolder(of: folder + "/x")
    // Not to read it, which root may not where it lacks that capability.
    guard let opened = Descriptor.open(folder, Descriptor.nameOnly | O_DIRECTORY | O_NOFOLLOW) else {
      throw failure(folder)
    }
    guard let user = subscriber.confinement?.user else { return opened }
    do throws(ProgramStart.Refusal) {
      let account = try ProgramAccount(user: user, group: subscriber.confinement?.group)
      guard unsafe lchown(folder, account.user, account.group) == 0 else { throw .unknownAccount("") }
    } catch {
      throw Failure(.noPermission, file: folder, what: "can't be given to \(user)")
    }
    return opened
  }

  private static func failure(_ path: String) -> Failure {
    let code = errno
    return Failure(.io, file: path, what: "can't be written: \(SystemReason.text(code))")
  }
}

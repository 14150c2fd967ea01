import Glibc
import LocationCore
import Synchronization

/// The user as whom a program runs, as the machine's user database knows it.
struct ProgramAccount: Hashable {
  var name: String
  var user: uid_t
  var group: gid_t
  var groups: [gid_t]
  /// What a login sets in the environment, as `KEY=VALUE`.
  private var login: [String]

  /// - Parameter group: instead of the user's own.
  /// - Throws: ``ProgramStart/Refusal`` where there is no such user or group.
  init(user: String, group: String?) throws(ProgramStart.Refusal) {
    guard let entry = Self.entry(ofUser: user) else {
      throw .unknownAccount("there is no user \"\(user)\"")
    }
    name = user
    self.user = entry.user
    login = ["HOME=\(entry.home)", "USER=\(user)", "LOGNAME=\(user)"]
    var own = entry.group
    if let group {
      guard let number = Self.number(ofGroup: group) else {
        throw .unknownAccount("there is no group \"\(group)\"")
      }
      own = number
    }
    self.group = own
    var count: Int32 = 1_024
    var list = [gid_t](repeating: 0, count: Int(count))
    // A user in more groups than that gets none but the first.
    groups = unsafe getgrouplist(user, own, &list, &count) < 0 ? [own] : Array(list.prefix(Int(count)))
  }

  /// Guards getpwnam(3) and getgrnam(3): each call overwrites the result of the last, and two threads call them.
  private static let lookup = Mutex(())

  private static func entry(ofUser name: String) -> (user: uid_t, group: gid_t, home: String)? {
    lookup.withLock { _ in
      guard let entry = unsafe getpwnam(name), let home = unsafe entry.pointee.pw_dir else { return nil }
      return unsafe (entry.pointee.pw_uid, entry.pointee.pw_gid, String(cString: home))
    }
  }

  private static func number(ofGroup name: String) -> gid_t? {
    lookup.withLock { _ in unsafe getgrnam(name).map { unsafe $0.pointee.gr_gid } }
  }

  /// Whether it may connect to a socket that its owner and group may open; true where there is none.
  func mayUse(_ socket: String) -> Bool {
    guard let status = StatePath.status(socket), user != 0 else { return true }
    return status.st_uid == user || groups.contains(status.st_gid)
  }

  /// The daemon's environment with this user's login in place of the daemon's own. Of two entries of one key programs
  /// heed the first or the last, so there is one.
  func environment(from daemon: [String]) -> [String] {
    daemon.filter { entry in !Self.ofLogin.contains(where: entry.hasPrefix) } + login
  }

  /// How entries begin that belong to a login and its session.
  private static let ofLogin = [
    "HOME=", "USER=", "LOGNAME=", "SHELL=", "MAIL=", "XDG_", "DBUS_SESSION_BUS_ADDRESS=",
  ]
}

import Glibc
import LocationCore

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
    guard let entry = unsafe getpwnam(user), let home = unsafe entry.pointee.pw_dir else {
      throw .unknownAccount("there is no user \"\(user)\"")
    }
    name = user
    self.user = unsafe entry.pointee.pw_uid
    login = unsafe ["HOME=\(String(cString: home))", "USER=\(user)", "LOGNAME=\(user)"]
    var own = unsafe entry.pointee.pw_gid
    if let group {
      guard let entry = unsafe getgrnam(group) else {
        throw .unknownAccount("there is no group \"\(group)\"")
      }
      own = unsafe entry.pointee.gr_gid
    }
    self.group = own
    var count: Int32 = 1_024
    var list = [gid_t](repeating: 0, count: Int(count))
    // A user in more groups than that gets none but the first.
    groups = unsafe getgrouplist(user, own, &list, &count) < 0 ? [own] : Array(list.prefix(Int(count)))
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

import Glibc
import LocationFormats

/// How a program can be kept from running (rule A3).
enum SuspensionProbe {
  static func look() -> [Capability] {
    let own = try? CgroupParent.ownPath()
    let freezer = freezer(of: own)
    // POSIX; works for a process group of our own without any right.
    let stop = Capability("stop-signal", .yes, "SIGSTOP of a program's process group")
    let suspension =
      freezer.state == .yes
      ? Capability("suspension", .yes, "real, by the cgroup freezer: a program's whole tree stops")
      : Capability(
        "suspension", .partly, "by SIGSTOP: a child that leaves the process group runs on",
        remedy: freezer.remedy)
    return [suspension, freezer, stop, precedence(below: own)]
  }

  /// Whether a program in the foreground can be put before those in the background (rule A12): the kernel must offer the
  /// controllers to cgroups below ours.
  static func precedence(below folder: String?) -> Capability {
    let offered = folder.map { KernelFile.words(in: $0 + "/cgroup.controllers") } ?? []
    let have = ["cpu", "io"].filter(offered.contains)
    guard !have.isEmpty else {
      return Capability(
        "precedence", .no, "the controllers cpu and io are not offered to our cgroup",
        remedy: "Delegate=yes in the unit, on a machine with cgroup v2 alone")
    }
    let text =
      "\(have.joined(separator: ", ")): weight \(Cgroup.foregroundWeight) in the foreground, "
      + "\(Cgroup.backgroundWeight) in the background"
    return Capability("precedence", have.count == 2 ? .yes : .partly, text)
  }

  /// Whether a cgroup of ours can be frozen: it is tried, because who may is spread over modes, owners and mounts.
  static func freezer(of folder: String?) -> Capability {
    guard let folder else {
      return Capability(
        "freezer", .no, "no cgroup v2 is mounted", remedy: "mount it: mount -t cgroup2 none /sys/fs/cgroup")
    }
    let probe = "\(folder)/locwatch-probe-\(getpid())"
    guard unsafe mkdir(probe, 0o755) == 0 else {
      return Capability(
        "freezer", .no, "\(folder): no cgroup can be made there: \(SystemReason.text(errno))",
        remedy: "run as a service with Delegate=yes, or as root")
    }
    defer { unsafe rmdir(probe) }
    guard unsafe access("\(probe)/cgroup.freeze", W_OK) == 0 else {
      return Capability(
        "freezer", .no, "\(probe)/cgroup.freeze: \(SystemReason.text(errno))",
        remedy: "a kernel from 5.2 on")
    }
    return Capability("freezer", .yes, "\(folder): cgroups can be made and frozen")
  }
}

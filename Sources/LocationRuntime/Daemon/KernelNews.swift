import Glibc
import LocationFormats

/// A netlink socket that becomes readable when the kernel has news of a kind. What the news is nobody reads: whoever
/// waits looks at the files of the kernel instead.
struct KernelNews {
  /// What the kernel tells of.
  enum Kind {
    /// Links and routes (rtnetlink(7)).
    case network
    /// Devices, and among them power supplies (`NETLINK_KOBJECT_UEVENT` of netlink(7)).
    case devices

    fileprivate var protocolNumber: Int32 {
      switch self {
      case .network: 0
      case .devices: 15
      }
    }

    fileprivate var groups: UInt32 {
      switch self {
      // RTMGRP_LINK, RTMGRP_IPV4_ROUTE and RTMGRP_IPV6_ROUTE.
      case .network: 0x1 | 0x40 | 0x400
      // The group of the kernel itself.
      case .devices: 1
      }
    }
  }

  private let socket: Descriptor

  /// Nil where the kernel does not tell.
  init?(_ kind: Kind) {
    let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let number = SystemCall.openSocket(AF_NETLINK, type, kind.protocolNumber)
    guard number >= 0 else { return nil }
    socket = Descriptor(number)
    // struct sockaddr_nl: family, padding, the port (0: the kernel's choice), groups.
    let address: [UInt32] = [UInt32(AF_NETLINK), 0, kind.groups]
    let length = socklen_t(address.count * MemoryLayout<UInt32>.size)
    let isBound = unsafe address.withUnsafeBytes { bytes in
      guard let start = unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress else { return false }
      return unsafe bind(number, start, length) == 0
    }
    guard isBound else { return nil }
  }

  /// For `poll`.
  var readable: Int32 { socket.number }

  /// Passes over everything that has come.
  func drain() { socket.drain() }
}

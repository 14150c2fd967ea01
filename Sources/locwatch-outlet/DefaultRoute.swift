import LocationFormats

/// Whether this machine has a way to other networks: without one there is no attempt to count.
enum DefaultRoute {
  /// As the kernel's tables have it (proc(5)).
  static var isThere: Bool {
    // IPv4: interface, destination, gateway, flags, …; the default route's destination and mask are zero.
    let has4 = rows(of: "/proc/net/route").contains { row in
      row.count > 7 && row[1] == "00000000" && row[7] == "00000000"
    }
    if has4 { return true }
    // IPv6: destination, its prefix length, …, interface. The loopback has a default route that rejects.
    return rows(of: "/proc/net/ipv6_route").contains { row in
      row.count > 9 && row[0].allSatisfy { $0 == "0" } && row[1] == "00" && row[9] != "lo"
    }
  }

  private static func rows(of path: String) -> [[Substring]] {
    guard let bytes = try? FileBytes.read(path: path) else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
      .map { $0.count == 1 ? $0[0].split(separator: "\t") : $0 }
  }
}

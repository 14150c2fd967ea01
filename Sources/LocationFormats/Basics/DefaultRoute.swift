/// Whether this machine has a way to other networks.
package enum DefaultRoute {
  /// As the kernel's tables have it (proc(5)).
  ///
  /// - Parameter root: where `/proc` is.
  package static func isThere(under root: String = "") -> Bool {
    func text(_ name: String) -> String {
      (try? FileBytes.read(path: "\(root)/proc/net/\(name)")).map { String(decoding: $0, as: UTF8.self) }
        ?? ""
    }
    return isThere(text("route"), text("ipv6_route"))
  }

  /// - Parameters:
  ///   - routes: `/proc/net/route`: interface, destination, gateway, flags, ..., mask as the eighth.
  ///   - routes6: `/proc/net/ipv6_route`: destination, its length, ..., flags as the ninth, interface. The loopback has
  ///     a default route that rejects.
  package static func isThere(_ routes: String, _ routes6: String) -> Bool {
    let isUp: UInt32 = 0x1
    let rejects: UInt32 = 0x200
    func leads(_ flags: Substring) -> Bool {
      UInt32(flags, radix: 16).map { $0 & isUp != 0 && $0 & rejects == 0 } ?? false
    }
    let has4 = routes.split(separator: "\n").dropFirst().contains { line in
      let words = line.split(whereSeparator: { $0 == "\t" || $0 == " " })
      return words.count >= 8 && words[1] == "00000000" && words[7] == "00000000" && leads(words[3])
    }
    return has4
      || routes6.split(separator: "\n").contains { line in
        let words = line.split(separator: " ")
        return words.count >= 10 && words[1] == "00" && words[0].allSatisfy { $0 == "0" } && words[9] != "lo"
          && leads(words[8])
      }
  }
}

import Glibc

/// A socket of TCP at which somebody listens: while it is suspended who connects waits for nothing (rule K6).
struct ListeningSocket: Hashable {
  /// The number of its file, by which descriptors name it.
  var fileNumber: UInt64
  var port: Int

  /// The ports at which somebody listens by these descriptors of one program, sorted.
  ///
  /// - Parameter others: numbers of sockets that are watched, so that who connects wakes.
  static func ports(of descriptors: [OpenDescriptor], except others: Set<UInt64>) -> [Int] {
    guard let first = descriptors.first?.pid else { return [] }
    // Of the network that the program sees. The kernel begins with those that listen (tcp_seek_last_pos).
    let all = ["tcp", "tcp6"].flatMap { name -> [ListeningSocket] in
      listening(KernelFile.read("/proc/\(first)/net/\(name)", atMost: tableBytes) ?? "")
    }
    let ports = Dictionary(all.map { ($0.fileNumber, $0.port) }, uniquingKeysWith: { first, _ in first })
    guard !ports.isEmpty else { return [] }
    var found: Set<Int> = []
    for descriptor in descriptors {
      guard descriptor.target.hasPrefix("socket:["),
        let number = UInt64(descriptor.target.dropFirst("socket:[".utf8.count).dropLast()),
        !others.contains(number), let port = ports[number]
      else { continue }
      found.insert(port)
    }
    return found.sorted()
  }

  /// Those of a table of the kernel that listen (`/proc/net/tcp`, proc_pid_net(5)); a line that is cut off is none.
  static func listening(_ table: String) -> [ListeningSocket] {
    table.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count > 10, words[3] == "0A", let port = words[1].split(separator: ":").last,
        let port = Int(port, radix: 16), let number = UInt64(words[9])
      else { return nil }
      return ListeningSocket(fileNumber: number, port: port)
    }
  }

  /// Some 800 lines: a machine may have far more connections.
  private static let tableBytes = 131_072
}

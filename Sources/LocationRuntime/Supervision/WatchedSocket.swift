import Glibc
import LocationFormats

/// A duplicate of a program's socket, and what can be told of it without reading.
struct WatchedSocket {
  let descriptor: Descriptor
  /// Whether it is one of datagrams, of which the kernel drops what finds no room.
  private let isOfDatagrams: Bool
  /// Datagrams that had been dropped before it was passed.
  private let lostBefore: UInt32
  /// Whether it is watched now.
  var isWatched = false
  /// Until when it is not looked at: its program was woken for what is there, and left all of it.
  private(set) var quietUntil: Int64?
  /// Whether its peer has hung up, its program was told, and nothing is left to read: it wakes nobody any more.
  private var hasEnded = false
  /// How long it is not looked at then: longer each time its program is told.
  private var quietMilliseconds: Int64 = 0
  /// What it held when its program was woken for it; nil before, and once something of that was read.
  private var heldThen: Int?
  /// What TCP had received when its program was last told of it.
  private var receivedThen: Int64 = 0
  /// What its program had read when it was last watched, as ``read`` measures it.
  private var readThen: Int64 = 0

  init(_ descriptor: Descriptor) {
    self.descriptor = descriptor
    isOfDatagrams = Self.option(descriptor, SO_TYPE) == Self.datagram
    lostBefore = isOfDatagrams ? Self.memory(descriptor)?.dropped ?? 0 : 0
  }

  /// Whether it is a socket of those that rule E4 names: of a stream, connected or listening, or of datagrams.
  static func canWatch(_ descriptor: Descriptor) -> Bool {
    let type = option(descriptor, SO_TYPE)
    return type == stream || type == datagram
  }

  /// Its program is suspended from now on. What the program was woken for and left unread does not wake it again at
  /// once, but after 1, 2, 4 to 300 s.
  mutating func watch(at now: Int64) {
    // Only TCP tells. Of another socket as many bytes may have come as were read.
    let hasRead = receivedBytes != nil && read > readThen
    isWatched = true
    readThen = read
    quietUntil = nil
    hasEnded = false
    guard let heldThen, isReadable, held >= heldThen, !hasRead else {
      self.heldThen = nil
      quietMilliseconds = 0
      return
    }
    hasEnded = heldThen == 0 && held == 0 && isHungUp
    if !hasEnded { quietUntil = now + quietMilliseconds }
  }

  /// Whether `poll` is to wait for it.
  func isDue(at now: Int64) -> Bool { isWatched && !hasEnded && quietUntil.map { $0 <= now } ?? true }

  /// Its program is told of what is there.
  mutating func note() {
    isWatched = false
    quietMilliseconds = min(max(1_000, 2 * quietMilliseconds), Self.longestQuietMilliseconds)
    heldThen = held
    receivedThen = receivedBytes ?? 0
  }

  /// Whether its program has read something since it is watched: of TCP anything, of others something that was there
  /// then.
  var wasRead: Bool { isWatched && read > readThen }

  /// Bytes that wait to be read; nil where the kernel does not say, as of one that listens.
  var waitingBytes: Int? { descriptor.waitingBytes }

  /// Bytes that wait to be read and came since its program was last told; nil where the kernel does not say, as of one
  /// that listens.
  var newBytes: Int? {
    guard let waitingBytes else { return nil }
    if let receivedBytes { return max(0, min(waitingBytes, Int(receivedBytes - receivedThen))) }
    guard let heldThen else { return waitingBytes }
    // The kernel tells the length of the first datagram alone, and that one was left.
    return isOfDatagrams ? 0 : max(0, waitingBytes - heldThen)
  }

  /// Datagrams dropped since it was passed; nil where it is one of a stream.
  var lost: Int? {
    guard isOfDatagrams, let memory = Self.memory(descriptor) else { return nil }
    return Int(memory.dropped &- lostBefore)
  }

  /// A measure of what it holds that shrinks when something is read.
  private var held: Int {
    isOfDatagrams ? Int(Self.memory(descriptor)?.received ?? 0) : waitingBytes ?? 0
  }

  /// A measure that grows with each byte that the program reads. The waiting bytes are counted last, so bytes that
  /// arrive in between count as waiting; they wake the program anyway.
  private var read: Int64 {
    let received = receivedBytes ?? 0
    return received - Int64(held)
  }

  private var isReadable: Bool {
    PollSet.wait(for: HeldSockets.events, on: descriptor.number, atMost: 0) != 0
  }

  private var isHungUp: Bool {
    PollSet.wait(for: PollSet.endOfInput, on: descriptor.number, atMost: 0) != 0
  }

  private static let longestQuietMilliseconds: Int64 = 300_000

  private static let stream = Int32(SOCK_STREAM.rawValue)
  private static let datagram = Int32(SOCK_DGRAM.rawValue)

  /// A number of the socket; nil where it is none.
  private static func option(_ descriptor: Descriptor, _ name: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return unsafe getsockopt(descriptor.number, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }

  /// Bytes that have come, of a connection of TCP: `tcpi_bytes_received` (Linux 4.1; include/uapi/linux/tcp.h), the 128th
  /// byte of `TCP_INFO` and seven more. Nil where it is none.
  private var receivedBytes: Int64? {
    var info = [Int64](repeating: 0, count: 17)
    var length = socklen_t(17 * MemoryLayout<Int64>.size)
    let code = unsafe getsockopt(descriptor.number, Int32(IPPROTO_TCP), 11, &info, &length)
    guard code == 0, length == 136 else { return nil }
    // The kernel counts the end of what comes as a byte.
    return info[16] - (Self.endedStates.contains(UInt8(truncatingIfNeeded: info[0].littleEndian)) ? 1 : 0)
  }

  /// The states of TCP in which the peer has ended what it sends: `TCP_TIME_WAIT`, `TCP_CLOSE`, `TCP_CLOSE_WAIT`,
  /// `TCP_LAST_ACK` and `TCP_CLOSING` (include/net/tcp_states.h), as in the first byte of `TCP_INFO`.
  private static let endedStates: [UInt8] = [6, 7, 8, 9, 11]

  /// `SO_MEMINFO` (Linux 4.12; include/uapi/linux/sock_diag.h): nine numbers, the first of the memory that received
  /// data takes, the last of the datagrams that were dropped.
  private static func memory(_ descriptor: Descriptor) -> (received: UInt32, dropped: UInt32)? {
    var numbers = [UInt32](repeating: 0, count: 9)
    var length = socklen_t(9 * MemoryLayout<UInt32>.size)
    let code = unsafe getsockopt(descriptor.number, SOL_SOCKET, 55, &numbers, &length)
    return code == 0 && length == 36 ? (numbers[0], numbers[8]) : nil
  }
}

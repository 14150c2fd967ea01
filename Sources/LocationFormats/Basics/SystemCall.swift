package import Glibc

/// System calls whose own names methods of ours have, which hide them: the same calls by other names. Each returns as
/// the call does, with `errno` set.
package enum SystemCall {
  /// `open(2)`; a new file is for its owner alone.
  package static func openFile(_ path: String, _ flags: Int32) -> Int32 { unsafe open(path, flags, 0o600) }

  /// `read(2)`: how many bytes, 0 at the end, -1.
  package static func readBytes(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    unsafe read(descriptor, buffer.baseAddress, buffer.count)
  }

  /// `write(2)`: how many bytes, -1.
  package static func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe write(descriptor, bytes.baseAddress, bytes.count)
  }

  /// `send(2)` without a signal where nobody listens: how many bytes, -1.
  package static func sendBytes(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// `connect(2)`: 0, -1.
  package static func connectSocket(
    _ socket: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t
  ) -> Int32 { unsafe connect(socket, address, length) }

  /// `listen(2)`: 0, -1.
  package static func listenAtSocket(_ socket: Int32, waiting: Int32) -> Int32 { listen(socket, waiting) }

  /// `accept(2)`: the connection's descriptor, -1.
  package static func acceptConnection(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }

  /// `socket(2)`: its descriptor, -1.
  package static func openSocket(_ family: Int32, _ type: Int32, _ protocolNumber: Int32) -> Int32 {
    socket(family, type, protocolNumber)
  }

  /// `clock_gettime(2)` in microseconds. It fails only for clocks that do not exist, which then stand at 0.
  package static func microseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  /// `kill(2)`: 0, -1.
  package static func signalProcess(_ pid: pid_t, _ number: Int32) -> Int32 { kill(pid, number) }
}

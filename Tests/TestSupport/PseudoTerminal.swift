import Glibc
import Synchronization

/// A pair of a terminal and who sits before it: for programs that draw on a terminal, and for a gpsd whose receiver
/// is a serial line that the test plays.
package final class PseudoTerminal: Sendable {
  /// Why there is none.
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  /// The path that a program opens.
  package let path: String
  private let master: Mutex<Int32>
  private static let setLock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430
  private let shown: Mutex<[UInt8]> = Mutex([])

  package init(columns: Int = 80, rows: Int = 24) throws(Failure) {
    // As posix_openpt(3), unlockpt(3) and ptsname(3) do (ioctl_tty(2)), which Swift does not see.
    let master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    var lock: Int32 = 0
    var number: UInt32 = 0
    guard master >= 0, unsafe ioctl(master, Self.setLock, &lock) == 0,
      unsafe ioctl(master, Self.getNumber, &number) == 0
    else { throw Failure(description: unsafe "pty: \(String(cString: strerror(errno)))") }
    path = "/dev/pts/\(number)"
    self.master = Mutex(master)
    // gpsd gives up root's rights, and then has to be let in.
    _ = unsafe chmod(path, 0o666)
    resize(columns: columns, rows: rows)
  }

  deinit { hangUp() }

  /// Takes the terminal away, as when a cable is pulled.
  package func hangUp() {
    master.withLock { master in
      if master >= 0 { close(master) }
      master = -1
    }
  }

  /// Strikes keys, or says what a receiver says; false where nobody has it open any more.
  @discardableResult
  package func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return master.withLock { master in
      unsafe bytes.withUnsafeBytes { unsafe write(master, $0.baseAddress, $0.count) } == bytes.count
    }
  }

  /// Gives it another size, which its programs are told of.
  package func resize(columns: Int, rows: Int) {
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = master.withLock { unsafe ioctl($0, UInt(TIOCSWINSZ), &size) }
  }

  /// How it is set: modes, and the characters that mean something.
  package var settings: [UInt32] {
    var settings = termios()
    _ = master.withLock { unsafe tcgetattr($0, &settings) }
    return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag]
  }

  /// All that was written on it so far. A program that writes more than some kilobytes between two looks waits.
  package var text: String {
    var piece = [UInt8](repeating: 0, count: 4_096)
    let bytes = shown.withLock { shown in
      while true {
        let count = master.withLock { unsafe read($0, &piece, piece.count) }
        guard count > 0 else { return shown }
        shown += piece[..<count]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Waits until what was written is as it should be; false where it is not in time.
  package func wait(seconds: Double = TestPatience.seconds, until isEnough: (String) -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while !isEnough(text), ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(5)) }
    return isEnough(text)
  }
}

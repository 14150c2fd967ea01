import Glibc
import LocationCore
import LocationFormats

/// A device of an accessory, opened as rule J1 has it: raw, at its speed, for one program alone.
package enum SerialLine {
  /// Whether a speed is one that every serial driver knows.
  package static func knows(baud: Int) -> Bool { speed(baud) != nil }

  /// Opens a device.
  ///
  /// - Throws: Why it can't be had now; nothing is wrong where it is not there.
  static func open(_ terms: AccessoryTerms) throws(Obstacle) -> Descriptor {
    guard let descriptor = Descriptor.open(terms.device, O_RDWR | O_NOCTTY | O_NONBLOCK) else {
      throw [ENOENT, ENXIO, ENODEV].contains(errno) ? .notThere : .notOpened(errno: errno)
    }
    // Nothing but a device: a program can't have a file opened by another name.
    guard let status = descriptor.status, status.st_mode & S_IFMT == S_IFCHR else { throw .otherKind }
    if terms.kind == .serial, !prepare(descriptor, baud: terms.baud) { throw .otherKind }
    return descriptor
  }

  /// Why a device can't be had now.
  enum Obstacle: Error, Hashable {
    /// It is not there, or not plugged in.
    case notThere
    /// It is there, and the kernel does not open it.
    case notOpened(errno: Int32)
    /// It is no device, or no serial line.
    case otherKind

    /// What is wrong, and what helps; nil where nothing is.
    var reason: String? {
      switch self {
      case .notThere: nil
      case .notOpened(EACCES): "the daemon's user may not open it; the group that may is dialout on Debian"
      case .notOpened(let errno): SystemReason.text(errno)
      case .otherKind: "it is no device of that kind"
      }
    }
  }

  private static func prepare(_ descriptor: Descriptor, baud: Int) -> Bool {
    guard let speed = speed(baud), setRaw(descriptor.number, speed: speed) else { return false }
    // Where it can't be kept to one program, it still works.
    _ = ioctl(descriptor.number, UInt(TIOCEXCL))
    return true
  }

  /// Bytes as they come, without echo, signals and line discipline; false for what is no terminal, which stays as it is.
  ///
  /// - Parameter speed: nil leaves it as it is.
  @discardableResult
  static func setRaw(_ line: Int32, speed: speed_t?) -> Bool {
    var settings = termios()
    guard unsafe tcgetattr(line, &settings) == 0 else { return false }
    unsafe cfmakeraw(&settings)
    // Neither a modem's lines nor its carrier decide whether bytes flow.
    settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
    if let speed, unsafe cfsetspeed(&settings, speed) != 0 { return false }
    return unsafe tcsetattr(line, TCSANOW, &settings) == 0
  }

  /// Bytes that the hardware or its driver lost for want of room since it was opened; nil where nobody counts, as of
  /// a pseudo-terminal.
  static func lostBytes(_ descriptor: Descriptor) -> Int? {
    // `serial_icounter_struct` (linux/serial.h): 20 numbers, of which the 8th and the 11th are overruns.
    var counters = [Int32](repeating: 0, count: 20)
    guard unsafe ioctl(descriptor.number, readCounters, &counters) == 0 else { return nil }
    return Int(counters[7]) + Int(counters[10])
  }

  /// `TIOCGICOUNT` (asm-generic/ioctls.h), which not every C library shows.
  private static var readCounters: UInt { 0x545D }

  private static func speed(_ baud: Int) -> speed_t? {
    let speed: Int32? =
      switch baud {
      case 1200: B1200
      case 2400: B2400
      case 4800: B4800
      case 9600: B9600
      case 19200: B19200
      case 38400: B38400
      case 57600: B57600
      case 115_200: B115200
      case 230_400: B230400
      case 460_800: B460800
      case 500_000: B500000
      case 921_600: B921600
      case 1_000_000: B1000000
      case _: nil
      }
    return speed.map { speed_t($0) }
  }
}

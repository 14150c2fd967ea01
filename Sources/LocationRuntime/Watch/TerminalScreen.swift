import Glibc
import LocationFormats

/// A terminal that is drawn upon, and left as it was when this goes out of scope, whatever happened.
///
/// The control sequences are those of ECMA-48 and xterm, which every terminal of Linux knows.
struct TerminalScreen: ~Copyable {
  private let input: Int32
  private let output: Int32
  /// How the terminal was, where it could be asked.
  private let before: termios?
  private var isShown = false

  /// Columns and rows where the terminal does not say.
  static let usualSize = (columns: 80, rows: 24)

  /// - Parameters:
  ///   - input: where keys come from; need not be a terminal.
  ///   - output: where it is drawn.
  init(input: Int32 = 0, output: Int32 = 1) {
    self.input = input
    self.output = output
    var settings = termios()
    before = unsafe tcgetattr(input, &settings) == 0 ? settings : nil
  }

  deinit { if isShown { Self.leave(input, output, before) } }

  /// Whether keys can be read one by one.
  var hasKeys: Bool { before != nil }

  /// Takes the terminal: keys come one by one and are not shown, and what was on it is kept aside.
  mutating func enter() {
    if var settings = before {
      settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
      _ = unsafe tcsetattr(input, TCSADRAIN, &settings)
    }
    Self.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J", to: output)
    isShown = true
  }

  /// Gives the terminal back.
  mutating func leave() {
    if isShown { Self.leave(input, output, before) }
    isShown = false
  }

  /// How large it is now.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard unsafe ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return Self.usualSize
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Draws lines from the top over what is there, and clears the rest.
  func draw(_ lines: [String]) {
    var text = "\u{1B}[H"
    for (index, line) in lines.enumerated() { text += (index == 0 ? "" : "\r\n") + line + "\u{1B}[K" }
    Self.write(text + "\u{1B}[J", to: output)
  }

  /// The keys that were struck.
  func keys() -> [UInt8] {
    unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      let count = unsafe read(input, buffer.baseAddress, buffer.count)
      return count > 0 ? unsafe Array(buffer[..<count]) : []
    }
  }

  private static func leave(_ input: Int32, _ output: Int32, _ before: termios?) {
    write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l", to: output)
    if var settings = before { _ = unsafe tcsetattr(input, TCSADRAIN, &settings) }
  }

  private static func write(_ text: String, to output: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe SystemCall.writeBytes(output, $0) }
      if count < 0, errno == EINTR { continue }
      // A terminal that is gone is noticed by its signal.
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }
}

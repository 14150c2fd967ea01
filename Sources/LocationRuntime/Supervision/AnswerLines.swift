#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Cuts what a program says into lines, in bounded memory whatever it says.
///
/// A line longer than ``SupervisorLimits/lineBytes`` is passed over up to its end, however far that is.
struct AnswerLines {
  /// What was found.
  enum Item: Equatable {
    /// A line without its end.
    case line([UInt8])
    /// A line that was too long; told once, when it has become so.
    case tooLong
  }

  /// What has come of an unfinished line.
  private var begun: [UInt8] = []
  private var isPassingOver = false

  /// Bytes that are kept.
  var heldBytes: Int { begun.count }

  /// Adds a piece and hands on what it ends.
  mutating func append(_ piece: ArraySlice<UInt8>, each: (Item) -> Void) {
    var rest = piece
    while let end = Self.lineFeed(in: rest) {
      add(rest[..<end], each)
      if !isPassingOver { each(.line(begun)) }
      begun.removeAll(keepingCapacity: true)
      isPassingOver = false
      rest = rest[(end + 1)...]
    }
    add(rest, each)
  }

  private static func lineFeed(in bytes: ArraySlice<UInt8>) -> Int? {
    unsafe bytes.withUnsafeBytes { bytes -> Int? in
      guard let start = bytes.baseAddress,
        let found = unsafe memchr(start, Int32(UInt8(ascii: "\n")), bytes.count)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - start
    }.map { bytes.startIndex + $0 }
  }

  private mutating func add(_ part: ArraySlice<UInt8>, _ each: (Item) -> Void) {
    guard !isPassingOver else { return }
    if begun.count + part.count > SupervisorLimits.lineBytes {
      isPassingOver = true
      begun = []
      each(.tooLong)
    } else {
      begun += part
    }
  }
}

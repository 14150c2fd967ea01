/// A place in a ``ScanPiece``, moved on by what is read from there.
///
/// It is not checked against the end of the text. Behind it stand ``ScanPiece/paddingBytes`` zero bytes, and
/// whoever moves the cursor has seen that the bytes it moves over are other than zero; so it never moves
/// beyond the first of them.
@safe struct ScanCursor {
  private(set) var place: UnsafePointer<UInt8>
  /// Line feeds that were passed.
  private(set) var lines = 0

  /// - Parameter place: a place in the text of a piece, or its end.
  @unsafe @inline(__always)
  init(at place: UnsafePointer<UInt8>) { unsafe self.place = place }

  /// The byte at hand.
  @inline(__always)
  var byte: UInt8 { unsafe place.pointee }

  /// The byte after it.
  @inline(__always)
  var nextByte: UInt8 { unsafe place[1] }

  /// Eight bytes, the one at hand lowest.
  @inline(__always)
  var word: UInt64 { unsafe load(UInt64.self, at: 0) }

  /// Eight bytes at a small distance ahead.
  @inline(__always)
  func word(at offset: Int) -> UInt64 { unsafe load(UInt64.self, at: offset) }

  @unsafe @inline(__always)
  private func load<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) -> T {
    T(littleEndian: unsafe UnsafeRawPointer(place).loadUnaligned(fromByteOffset: offset, as: type))
  }

  /// Moves over so many bytes, none of which is zero.
  @inline(__always)
  mutating func skip(_ count: Int) { unsafe place += count }

  /// What `body` makes of the text from here to a later place.
  @inline(__always)
  func text<R>(to end: ScanCursor, _ body: (Span<UInt8>) -> R) -> R {
    let bytes = unsafe UnsafeBufferPointer(start: place, count: end.place - place)
    return unsafe body(bytes.span)
  }

  /// How many bytes it is from an earlier place.
  @inline(__always)
  func distance(from start: ScanCursor) -> Int { unsafe place - start.place }

  /// How many bytes stand between the line feed before this place and this place; at most `limit`.
  func bytesOnLine(limit: Int) -> Int {
    var count = 0
    while count < limit, unsafe place[-1 - count] != 0x0A { count += 1 }
    return count
  }
}

extension ScanPiece {
  /// What `body` makes of a cursor at a place in the text, or at its end.
  @inline(__always)
  func withCursor<R>(at offset: Int, _ body: (ScanCursor) -> R) -> R? {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      unsafe buffer.baseAddress.map { body(unsafe ScanCursor(at: $0 + min(max(0, offset), count))) }
    }
  }
}

// MARK: - Words and white space

extension ScanCursor {
  /// Moves over a short ASCII literal without zero bytes, if it is next.
  @inline(__always)
  mutating func take(_ literal: StaticString) -> Bool {
    guard has(literal) else { return false }
    skip(literal.utf8CodeUnitCount)
    return true
  }

  /// Moves over text without zero bytes, if it is next.
  @inline(__always)
  mutating func take(_ text: [UInt8]) -> Bool {
    var end = self
    for byte in text {
      guard end.byte == byte else { return false }
      end.skip(1)
    }
    self = end
    return true
  }

  /// Whether an ASCII literal is next: a few wide comparisons, because the compiler knows the literal.
  @inline(__always)
  func has(_ literal: StaticString) -> Bool {
    let count = literal.utf8CodeUnitCount
    let wanted = unsafe UnsafeRawPointer(literal.utf8Start)
    var offset = 0
    while offset + 8 <= count {
      guard unsafe equals(wanted, UInt64.self, at: offset) else { return false }
      offset += 8
    }
    if count & 4 != 0 {
      guard unsafe equals(wanted, UInt32.self, at: offset) else { return false }
      offset += 4
    }
    if count & 2 != 0 {
      guard unsafe equals(wanted, UInt16.self, at: offset) else { return false }
      offset += 2
    }
    if count & 1 != 0 {
      guard unsafe equals(wanted, UInt8.self, at: offset) else { return false }
    }
    return true
  }

  @unsafe @inline(__always)
  private func equals<T: FixedWidthInteger>(_ wanted: UnsafeRawPointer, _ type: T.Type, at offset: Int)
    -> Bool
  {
    unsafe load(type, at: offset)
      == T(littleEndian: wanted.loadUnaligned(fromByteOffset: offset, as: type))
  }

  /// Moves over white space, counting lines; false at a carriage return without its line feed.
  @inline(__always)
  mutating func skipSpace() -> Bool {
    while byte <= 0x20 {
      switch byte {
      case 0x20:
        // Indentation, eight spaces at a time.
        skip((word ^ 0x2020_2020_2020_2020).trailingZeroBitCount >> 3)
      case 0x0A:
        lines &+= 1
        skip(1)
      case 0x09:
        skip(1)
      case 0x0D where nextByte == 0x0A:
        lines &+= 1
        skip(2)
      default:
        // What else there is below a space is no text; whoever comes next meets it.
        return byte != 0x0D
      }
    }
    return true
  }
}

/// A start tag without attributes, with what its name means.
struct GPXTag {
  /// Longer tags are left to the parser.
  static let maximumBytes = 32

  /// Up to ``maximumBytes``, as four words that are compared at once.
  struct Text: Equatable {
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    init() {}

    /// So many bytes at a cursor; the cursor's reach covers them even behind `</`.
    @inline(__always)
    init(_ cursor: ScanCursor, count: Int) {
      words = (
        cursor.word & Self.mask(count), cursor.word(at: 8) & Self.mask(count &- 8),
        cursor.word(at: 16) & Self.mask(count &- 16), cursor.word(at: 24) & Self.mask(count &- 24)
      )
    }

    @inline(__always)
    static func == (one: Self, other: Self) -> Bool { one.words == other.words }

    /// The lowest bytes of a word, as many as are asked for.
    @inline(__always)
    private static func mask(_ count: Int) -> UInt64 {
      .max >> UInt64(64 &- 8 &* min(8, max(0, count)))
    }
  }

  /// What stands between the angle brackets, and its length.
  var text = Text()
  var count = 0
  /// The name with its prefix, and its length.
  var name = Text()
  var nameCount = 0
  /// The length of the prefix with its colon; 0 where there is none.
  var prefixCount = 0
  /// Whether it ends the element too.
  var isEmpty = false
  /// What the local name means in a point, where its prefix is GPX.
  var field: GPXPoint.Field?
  /// What the local name means in extensions.
  var fieldOfExtension: GPXPoint.Field?
  /// Whether the local name is that of the element that holds extensions.
  var isExtensions = false

  /// A tag that no document has.
  init() {}

  /// Reads the tag whose text, of that length, begins at a cursor.
  ///
  /// Fails where it has attributes or spaces, or where its name is no name of ASCII with at most one colon
  /// inside (XML 1.0, section 2.3).
  init?(_ cursor: ScanCursor, count: Int) {
    var end = cursor
    var colon: ScanCursor?
    var isStart = true
    while end.distance(from: cursor) < count {
      let byte = end.byte
      if byte == UInt8(ascii: "/"), end.nextByte == UInt8(ascii: ">") { break }
      if byte == UInt8(ascii: ":"), colon == nil, !isStart {
        colon = end
        isStart = true
      } else {
        guard isStart ? byte.startsName : byte.continuesName else { return nil }
        isStart = false
      }
      end.skip(1)
    }
    guard !isStart else { return nil }
    self.count = count
    nameCount = end.distance(from: cursor)
    isEmpty = nameCount < count
    text = Text(cursor, count: count)
    name = Text(cursor, count: nameCount)
    var local = cursor
    if var colon {
      colon.skip(1)
      prefixCount = colon.distance(from: cursor)
      local = colon
    }
    (field, fieldOfExtension, isExtensions) = local.text(to: end) { name in
      (GPXPoint.field(named: name), GPXPoint.fieldOfExtension(named: name), name.equals("extensions"))
    }
  }
}

extension UInt8 {
  fileprivate var startsName: Bool {
    let letter = self | 0x20
    return (letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z")) || self == UInt8(ascii: "_")
  }

  fileprivate var continuesName: Bool {
    startsName || decimalDigit != nil || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
  }
}

/// The start tags met last: a track repeats the same few for every point.
struct GPXTagMemory {
  private var tags = [GPXTag](repeating: GPXTag(), count: Self.slots)
  private static let slots = 32

  /// The tag whose text, of that length, begins at a cursor; nil where it is not plain.
  @inline(__always)
  mutating func tag(_ cursor: ScanCursor, count: Int) -> GPXTag? {
    // The golden ratio's bits spread the first letters and the length over the highest five bits (Knuth 6.4).
    let slot = Int(truncatingIfNeeded: ((cursor.word ^ UInt64(count)) &* 0x9E37_79B9_7F4A_7C15) >> 59)
    // Without its length a text that ends in zeros would be that of a shorter tag, or of an empty slot.
    if tags[slot].count == count, tags[slot].text == GPXTag.Text(cursor, count: count) { return tags[slot] }
    return remember(cursor, count: count, slot: slot)
  }

  @inline(never)
  private mutating func remember(_ cursor: ScanCursor, count: Int, slot: Int) -> GPXTag? {
    guard let tag = GPXTag(cursor, count: count) else { return nil }
    tags[slot] = tag
    return tag
  }
}

/// Reads whole track points where they are written plainly, many times faster than an XML parser.
///
/// It stands beside an XML parser that reads the same document. Wherever the parser has read everything up to
/// some place and ``GPXAssembler/takesWholePoints``, the scanner may take the points that come next; the
/// parser never sees them, and reads on after them. That is sound because a whole element that is taken out
/// of an element's content leaves a document with the same errors, and because what the scanner takes is a
/// small part of XML that it checks in full:
///
/// - white space, and `trkpt` elements with no attributes but `lat` and `lon`;
/// - in them, elements without attributes, and text of ASCII without references.
///
/// At the first thing it does not know (comments, CDATA, references, letters beyond ASCII, attributes,
/// anything that is not well formed, the end of the piece) it stops in front of that point.
package struct GPXScanner {
  /// Where the scanner stopped.
  package struct Stop {
    /// The first byte of the piece that was not taken.
    package var offset: Int
    /// Line feeds in what was taken.
    package var lines: Int
    /// Bytes of what was taken that stand on its last line.
    package var column: Int
  }

  /// Elements nested deeper than this in a point are left to the parser.
  private static let maximumDepth = 8
  /// Longer texts are left to the parser.
  private static let maximumTextBytes = 1024

  private var times = PlainTime()
  private var tags = GPXTagMemory()
  /// The prefix last met with its colon, as a word of its bytes, and what it means. A prefix means the same in
  /// all points that are taken in one go.
  private var prefix: UInt64 = 0
  private var prefixIsGPX = false

  package init() {}

  /// Takes the points that come next, and the white space around them.
  ///
  /// - Parameter offset: a place in the piece; the parser has read everything before it, and nothing after.
  package mutating func takePoints(
    of piece: borrowing ScanPiece, from offset: Int, into assembler: inout GPXAssembler
  ) -> Stop {
    let stop = piece.withCursor(at: offset) { start in
      prefix = 0
      var stop = start
      while true {
        var cursor = stop
        let isPlain = cursor.skipSpace()
        stop = cursor
        guard isPlain, cursor.take("<trkpt") else { break }
        var point = GPXPoint()
        guard let end = readPoint(cursor, &point, &assembler) else { break }
        assembler.take(point)
        stop = end
      }
      let count = stop.distance(from: start)
      return Stop(
        offset: offset + count, lines: stop.lines,
        column: stop.lines > 0 ? stop.bytesOnLine(limit: count) : count)
    }
    return stop ?? Stop(offset: offset, lines: 0, column: 0)
  }

  // Every function below takes the place from which it reads, and returns the place behind what it read; nil
  // where that is not plain.

  /// The rest of a point whose name was read.
  private mutating func readPoint(
    _ start: ScanCursor, _ point: inout GPXPoint, _ assembler: inout GPXAssembler
  ) -> ScanCursor? {
    var cursor = start
    var hasLatitude = false
    var hasLongitude = false
    while cursor.byte.isXMLSpace {
      guard cursor.skipSpace() else { return nil }
      if cursor.take("lat=") {
        guard !hasLatitude, let number = readAttribute(cursor) else { return nil }
        hasLatitude = true
        point.latitude = number.value
        cursor.skip(number.count)
      } else if cursor.take("lon=") {
        guard !hasLongitude, let number = readAttribute(cursor) else { return nil }
        hasLongitude = true
        point.longitude = number.value
        cursor.skip(number.count)
      } else {
        break
      }
    }
    if cursor.take("/>") { return cursor }
    return cursor.take(">") ? readContent(cursor, &point, &assembler) : nil
  }

  /// A quoted decimal, NaN where it is none, with the length of all that.
  @inline(__always)
  private func readAttribute(_ start: ScanCursor) -> ScanCursor.Decimal? {
    var cursor = start
    let quote = cursor.byte
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
    cursor.skip(1)
    let number = cursor.decimal()
    cursor.skip(number.count)
    guard number.count > 0, cursor.byte == quote else { return readOddAttribute(start) }
    return ScanCursor.Decimal(value: number.value, count: number.count &+ 2)
  }

  @inline(never)
  private func readOddAttribute(_ start: ScanCursor) -> ScanCursor.Decimal? {
    var cursor = start
    cursor.skip(1)
    guard var end = cursor.endOfText(before: start.byte), end.lines == start.lines else { return nil }
    let value = cursor.text(to: end) { Double(xsdDecimal: $0) ?? .nan }
    end.skip(1)
    return ScanCursor.Decimal(value: value, count: end.distance(from: start))
  }

  /// What stands in a point, and its end tag.
  private mutating func readContent(
    _ start: ScanCursor, _ point: inout GPXPoint, _ assembler: inout GPXAssembler
  ) -> ScanCursor? {
    var cursor = start
    while cursor.skipSpace(), cursor.take("<") {
      let next: ScanCursor?
      switch cursor.byte {
      case UInt8(ascii: "/"): return cursor.take("/trkpt>") ? cursor : nil
      case UInt8(ascii: "t"): next = readTime(cursor, &point)
      case UInt8(ascii: "e"): next = readNumber(.elevation, "ele>", "</ele>", cursor, &point)
      case UInt8(ascii: "h"): next = readNumber(.hdop, "hdop>", "</hdop>", cursor, &point)
      default: next = nil
      }
      guard let next = next ?? readElement(cursor, .point, depth: 1, &point, &assembler) else { return nil }
      cursor = next
    }
    return nil
  }

  /// A time as an element whose `<` was read.
  @inline(__always)
  private mutating func readTime(_ start: ScanCursor, _ point: inout GPXPoint) -> ScanCursor? {
    var cursor = start
    guard cursor.take("time>") else { return nil }
    let reading = times.read(cursor)
    cursor.skip(reading.count)
    guard reading.count > 0, cursor.take("</time>") else { return nil }
    point.setTime(reading.time)
    return cursor
  }

  /// A number as an element whose `<` was read.
  @inline(__always)
  private func readNumber(
    _ field: GPXPoint.Field, _ tag: StaticString, _ endTag: StaticString,
    _ start: ScanCursor, _ point: inout GPXPoint
  ) -> ScanCursor? {
    var cursor = start
    guard cursor.take(tag) else { return nil }
    let number = cursor.decimal()
    cursor.skip(number.count)
    guard number.count > 0, cursor.take(endTag) else { return nil }
    point.set(field, to: number.value)
    return cursor
  }
}

// MARK: - Any element

extension GPXScanner {
  /// What elements mean depends on what they are in.
  private enum Place {
    case point, extensions
    /// An element that means nothing here.
    case nothing
  }

  /// Any element whose `<` was read.
  private mutating func readElement(
    _ start: ScanCursor, _ place: Place, depth: Int, _ point: inout GPXPoint, _ assembler: inout GPXAssembler
  ) -> ScanCursor? {
    guard depth <= Self.maximumDepth, let length = start.lengthOfTag, let tag = tags.tag(start, count: length)
    else { return nil }
    var cursor = start
    cursor.skip(length &+ 1)
    let isGPX = tag.prefixCount == 0 || isGPX(start, tag.prefixCount, &assembler)
    let field: GPXPoint.Field?
    let inside: Place
    switch place {
    case .point:
      (field, inside) =
        isGPX
        ? (tag.field, tag.isExtensions ? .extensions : .nothing)
        : (tag.fieldOfExtension, .extensions)
    case .extensions: (field, inside) = (tag.fieldOfExtension, .extensions)
    case .nothing: (field, inside) = (nil, .nothing)
    }
    if let field { return readField(field, tag, cursor, &point) }
    if tag.isEmpty { return cursor }
    while let next = cursor.endOfText(before: UInt8(ascii: "<")) {
      cursor = next
      if cursor.takeEndTag(of: tag) { return cursor }
      cursor.skip(1)
      guard let end = readElement(cursor, inside, depth: depth &+ 1, &point, &assembler) else { return nil }
      cursor = end
    }
    return nil
  }

  /// The text of a field and its end tag.
  @inline(__always)
  private func readField(
    _ field: GPXPoint.Field, _ tag: GPXTag, _ start: ScanCursor, _ point: inout GPXPoint
  ) -> ScanCursor? {
    guard !tag.isEmpty, !field.isWords else { return readText(field, tag, start, &point) }
    var cursor = start
    let number = cursor.decimal()
    cursor.skip(number.count)
    guard number.count > 0, cursor.takeEndTag(of: tag) else { return readText(field, tag, start, &point) }
    point.set(field, to: number.value)
    return cursor
  }

  @inline(never)
  private func readText(
    _ field: GPXPoint.Field, _ tag: GPXTag, _ start: ScanCursor, _ point: inout GPXPoint
  ) -> ScanCursor? {
    guard !tag.isEmpty else {
      point.set(field, to: Span<UInt8>())
      return start
    }
    guard var end = start.endOfText(before: UInt8(ascii: "<")),
      end.distance(from: start) <= Self.maximumTextBytes
    else { return nil }
    start.text(to: end) { point.set(field, to: $0) }
    return end.takeEndTag(of: tag) ? end : nil
  }

  /// Whether a prefix, whose length with its colon is given, means GPX.
  private mutating func isGPX(_ name: ScanCursor, _ count: Int, _ assembler: inout GPXAssembler) -> Bool {
    let word = count <= 8 ? name.word << UInt64(64 &- 8 &* count) : 0
    if word != 0, word == prefix { return prefixIsGPX }
    var colon = name
    colon.skip(count &- 1)
    prefixIsGPX = name.text(to: colon) { assembler.isGPX($0) }
    prefix = word
    return prefixIsGPX
  }
}

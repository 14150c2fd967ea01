import LocationFormats

/// Records as a stream of Apache Arrow: batches of columns, which Spark, pandas, DuckDB and others take without parsing.
///
/// https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format: a message with the schema, one for each batch
/// of rows, and an end. The columns are those of Docs/Wire.md; `json` is the line that NDJSON has.
struct ArrowStream {
  /// The columns that are members of a record, as the stream has them, and after them `json`.
  private static let members: [(key: StaticString, kind: ArrowColumn.Kind)] = [
    ("track", .text), ("id", .integer), ("type", .text), ("time", .text), ("region", .text), ("lat", .number),
    ("lon", .number), ("acc_m", .number),
  ]

  private var columns = members.map { ArrowColumn($0.kind) }
  private var json = ArrowColumn(.text)
  private var rows = 0

  /// A batch has so many bytes of lines.
  private static let batchBytes = 1 << 20
  /// Metadata of version 5.
  private static let version = FlatValue.short(4)

  /// What the stream begins with.
  static var header: [UInt8] {
    func field(_ name: StaticString, _ kind: ArrowColumn.Kind) -> [FlatValue] {
      [.text(name.description), .byte(1), .byte(kind.id), .table(kind.fields), .absent, .tables([])]
    }
    let fields = members.map { field($0.key, $0.kind) } + [field("json", .text)]
    return message([version, .byte(1), .table([.absent, .tables(fields)])])
  }

  /// What the stream ends with.
  static let footer = mark + [0, 0, 0, 0]
  private static let mark: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]

  /// Whether there are rows enough for a batch.
  var isFull: Bool { json.data.count >= Self.batchBytes }

  /// Appends a row.
  ///
  /// - Parameter line: a record as NDJSON has it.
  mutating func append(_ line: [UInt8]) {
    var members = JSONMembers(line)
    while let member = members.next() {
      guard let index = Self.members.firstIndex(where: { line.has($0.key, at: member.key) }) else { continue }
      columns[index].append(line, member.value)
    }
    json.append(line, 0..<line.count)
    rows += 1
    for index in columns.indices { columns[index].end(row: rows) }
    json.end(row: rows)
  }

  /// The rows since the last batch as a message, of which there are none then; nothing where there are none.
  mutating func takeBatch() -> [UInt8] {
    guard rows > 0 else { return [] }
    var body: [UInt8] = []
    body.reserveCapacity(json.data.count * 2)
    var nodes: [Int64] = []
    var buffers: [Int64] = []
    for index in columns.indices { columns[index].take(rows, into: &body, &nodes, &buffers) }
    json.take(rows, into: &body, &nodes, &buffers)
    let batch: [FlatValue] = [.long(Int64(rows)), .pairs(nodes), .pairs(buffers)]
    rows = 0
    return Self.message([Self.version, .byte(3), .table(batch), .long(Int64(body.count))]) + body
  }

  private static func message(_ fields: [FlatValue]) -> [UInt8] {
    let metadata = FlatBuffer(root: fields).bytes
    var bytes = mark
    bytes.append(littleEndian: Int32(metadata.count))
    return bytes + metadata
  }
}

/// A column of a batch.
struct ArrowColumn {
  /// What its values are.
  enum Kind {
    case text
    case integer
    case number

    /// Its number among Arrow's types.
    var id: UInt8 {
      switch self {
      case .integer: 2
      case .number: 3
      case .text: 5
      }
    }

    /// The fields of its type: 64 bits with a sign; double precision.
    var fields: [FlatValue] {
      switch self {
      case .integer: [.int(64), .byte(1)]
      case .number: [.short(2)]
      case .text: []
      }
    }
  }

  let kind: Kind
  /// The values, one after the other.
  private(set) var data: [UInt8] = []
  /// Where each text ends.
  private var ends: [UInt8] = []
  /// A bit for each row that has a value.
  private var validity: [UInt8] = []
  private var nullCount = 0
  private var hasValue = false

  init(_ kind: Kind) {
    self.kind = kind
    start()
  }

  private mutating func start() {
    data.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    validity.removeAll(keepingCapacity: true)
    if kind == .text { ends.append(littleEndian: Int32(0)) }
    nullCount = 0
  }

  /// Gives the row that is being made a value: the JSON of a member, or the whole of a line.
  mutating func append(_ line: [UInt8], _ range: Range<Int>) {
    guard !hasValue else { return }
    hasValue = true
    switch kind {
    case .text where line[range.lowerBound] == UInt8(ascii: "\""):
      let text = range.lowerBound + 1..<range.upperBound - 1
      if line[text].contains(UInt8(ascii: "\\")) {
        data += Array(((try? JSONTree(Array(line[range])))?.string ?? "").utf8)
      } else {
        data += line[text]
      }
    case .text: data += line[range]
    case .integer: data.append(littleEndian: Int64(Self.decimal(line[range]).digits))
    case .number:
      let (digits, decimals) = Self.decimal(line[range])
      data.append(littleEndian: (Double(digits) / Self.powers[decimals]).bitPattern)
    }
  }

  /// A number as records have it, exactly: a division of whole numbers below 2^53 rounds as reading the text would.
  private static func decimal(_ text: ArraySlice<UInt8>) -> (digits: Int64, decimals: Int) {
    var digits: Int64 = 0
    var decimals = 0
    var isFraction = false
    for byte in text {
      switch byte {
      case UInt8(ascii: "."): isFraction = true
      case 48..<58:
        digits = digits &* 10 &+ Int64(byte - 48)
        if isFraction { decimals += 1 }
      default: break
      }
    }
    return (text.first == UInt8(ascii: "-") ? -digits : digits, min(decimals, powers.count - 1))
  }

  private static let powers: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10]

  /// Ends a row, which has no value where none was given.
  ///
  /// - Parameter row: its number in the batch, from 1.
  mutating func end(row: Int) {
    if row & 7 == 1 { validity.append(0) }
    if hasValue {
      validity[validity.count - 1] |= 1 << UInt8((row - 1) & 7)
    } else {
      nullCount += 1
      if kind != .text { data.append(littleEndian: Int64(0)) }
    }
    if kind == .text { ends.append(littleEndian: Int32(data.count)) }
    hasValue = false
  }

  /// Appends its buffers to the body of a message, and what the message says of them; starts over.
  mutating func take(_ rows: Int, into body: inout [UInt8], _ nodes: inout [Int64], _ buffers: inout [Int64])
  {
    nodes += [Int64(rows), Int64(nullCount)]
    func append(_ buffer: [UInt8]) {
      buffers += [Int64(body.count), Int64(buffer.count)]
      body += buffer
      while body.count & 7 != 0 { body.append(0) }
    }
    append(nullCount > 0 ? validity : [])
    if kind == .text { append(ends) }
    append(data)
    start()
  }
}

/// The members of an object on one line, without white space: what a record is.
private struct JSONMembers {
  private let line: [UInt8]
  private var place = 1

  init(_ line: [UInt8]) { self.line = line }

  /// Where the next key, without its quotes, and its value stand.
  mutating func next() -> (key: Range<Int>, value: Range<Int>)? {
    guard place < line.count, line[place] == UInt8(ascii: "\"") else { return nil }
    let key = place + 1..<endOfString(place) - 1
    let start = key.upperBound + 2
    place = endOfValue(start)
    defer { place += 1 }
    return (key, start..<place)
  }

  private func endOfString(_ start: Int) -> Int {
    var place = start + 1
    while line[place] != UInt8(ascii: "\"") { place += line[place] == UInt8(ascii: "\\") ? 2 : 1 }
    return place + 1
  }

  private func endOfValue(_ start: Int) -> Int {
    var place = start
    var depth = 0
    while true {
      switch line[place] {
      case UInt8(ascii: "\""):
        place = endOfString(place)
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return place }
        depth -= 1
      case UInt8(ascii: ",") where depth == 0: return place
      default: break
      }
      place += 1
    }
  }
}

extension [UInt8] {
  /// Whether a text stands at a place.
  fileprivate func has(_ text: StaticString, at range: Range<Int>) -> Bool {
    guard text.utf8CodeUnitCount == range.count else { return false }
    return text.withUTF8Buffer { unsafe $0.elementsEqual(self[range]) }
  }
}

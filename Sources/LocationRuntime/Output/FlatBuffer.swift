/// A value of a FlatBuffer (https://flatbuffers.dev/internals/), the form in which Arrow tells what its messages hold.
indirect enum FlatValue {
  case absent
  case byte(UInt8)
  case short(Int16)
  case int(Int32)
  case long(Int64)
  case text(String)
  /// Its fields by their numbers.
  case table([FlatValue])
  case tables([[FlatValue]])
  /// Structs of two numbers each, one after the other.
  case pairs([Int64])

  /// How many bytes it takes within its table.
  fileprivate var inlineBytes: Int {
    switch self {
    case .absent: 0
    case .byte: 1
    case .short: 2
    case .int, .text, .table, .tables, .pairs: 4
    case .long: 8
    }
  }
}

/// Writes a FlatBuffer front to back: each table before what it refers to.
struct FlatBuffer {
  private(set) var bytes: [UInt8] = []

  /// - Parameter root: the fields of the outermost table.
  init(root: [FlatValue]) {
    append(Int32(0))
    refer(from: 0, to: append(table: root))
    pad(to: 8, after: 0)
  }

  /// Appends a table; where it begins.
  private mutating func append(table fields: [FlatValue]) -> Int {
    // Where each field stands after the beginning of the table, which is that of a multiple of 8.
    var places: [Int] = []
    var end = 4
    for field in fields {
      let size = field.inlineBytes
      if size > 0 { end = (end + size - 1) / size * size }
      places.append(size > 0 ? end : 0)
      end += size
    }
    let tableBytes = end
    let head = 4 + 2 * fields.count
    pad(to: 8, after: head)
    append(Int16(head))
    append(Int16(tableBytes))
    for place in places { append(Int16(place)) }
    let start = bytes.count
    append(Int32(head))
    bytes += [UInt8](repeating: 0, count: tableBytes - 4)
    for (field, place) in zip(fields, places) { write(field, at: start + place) }
    return start
  }

  /// Writes a field into its place, and appends what it refers to.
  private mutating func write(_ field: FlatValue, at place: Int) {
    switch field {
    case .absent: break
    case .byte(let value): bytes[place] = value
    case .short(let value): put(value, at: place)
    case .int(let value): put(value, at: place)
    case .long(let value): put(value, at: place)
    case .text(let text):
      pad(to: 4, after: 0)
      refer(from: place, to: bytes.count)
      append(Int32(text.utf8.count))
      bytes += Array(text.utf8) + [0]
    case .table(let fields): refer(from: place, to: append(table: fields))
    case .tables(let tables):
      pad(to: 4, after: 0)
      let start = bytes.count
      refer(from: place, to: start)
      append(Int32(tables.count))
      bytes += [UInt8](repeating: 0, count: 4 * tables.count)
      for (index, fields) in tables.enumerated() {
        refer(from: start + 4 + 4 * index, to: append(table: fields))
      }
    case .pairs(let numbers):
      pad(to: 8, after: 4)
      refer(from: place, to: bytes.count)
      append(Int32(numbers.count / 2))
      for number in numbers { append(number) }
    }
  }

  /// Pads so that what comes after so many more bytes stands at a multiple.
  private mutating func pad(to multiple: Int, after count: Int) {
    while (bytes.count + count) % multiple != 0 { bytes.append(0) }
  }

  private mutating func refer(from place: Int, to target: Int) { put(Int32(target - place), at: place) }

  private mutating func append(_ value: some FixedWidthInteger) { bytes.append(littleEndian: value) }

  private mutating func put<Value: FixedWidthInteger>(_ value: Value, at place: Int) {
    for index in 0..<(Value.bitWidth / 8) {
      bytes[place + index] = UInt8(truncatingIfNeeded: value >> (8 * index))
    }
  }
}

extension [UInt8] {
  /// Appends a number, its lowest byte first.
  mutating func append<Value: FixedWidthInteger>(littleEndian value: Value) {
    for index in 0..<(Value.bitWidth / 8) { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }
}

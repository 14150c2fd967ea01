/// Why JSON text could not be read, and where.
package struct JSONError: Error, Equatable, Sendable {
  /// How far the text can be trusted.
  package enum Kind: Sendable {
    /// The text is not JSON; what follows can't be relied on.
    case syntax
    /// The text is JSON, and does not say what it should.
    case content
  }

  /// How far the text can be trusted.
  package var kind: Kind
  /// The byte at which it was noticed, from the start of the text.
  package var offset: Int
  /// What is wrong, without a full stop.
  package var what: String
  /// What to do about it.
  package var remedy: String?

  /// The text is not JSON.
  package static func syntax(at offset: Int, _ what: String) -> JSONError {
    JSONError(kind: .syntax, offset: offset, what: what, remedy: nil)
  }

  /// The text is JSON, and does not say what it should.
  package static func content(at offset: Int, _ what: String, _ remedy: String? = nil) -> JSONError {
    JSONError(kind: .content, offset: offset, what: what, remedy: remedy)
  }

  /// The line on which the error stands, from 1.
  ///
  /// - Complexity: O(n) in the offset.
  package func line(in bytes: [UInt8]) -> Int {
    var line = 1
    for index in 0..<min(offset, bytes.count) where bytes[index] == UInt8(ascii: "\n") { line += 1 }
    return line
  }
}

extension JSONReader.Kind {
  /// For a message.
  package var words: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .number: "a number"
    case .boolean: "true or false"
    case .null: "null"
    }
  }
}

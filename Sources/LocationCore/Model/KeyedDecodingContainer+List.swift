extension KeyedDecodingContainer {
  /// A list with one element for each case of an enumeration. One of another length is refused, so that a case can be
  /// looked up by its place.
  func list<Element: Decodable, Case: CaseIterable>(for cases: Case.Type, forKey key: Key) throws -> [Element]
  {
    let list = try decode([Element].self, forKey: key)
    guard list.count == cases.allCases.count else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "\(list.count) elements instead of \(cases.allCases.count)")
    }
    return list
  }
}

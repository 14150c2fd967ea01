package import LocationCore

extension ScanPiece {
  /// A piece that holds this text.
  package init(_ text: Span<UInt8>) {
    self.init(capacity: text.count)
    fill { bytes, _ in
      for index in 0..<text.count { bytes[index] = text[index] }
      return text.count
    }
  }
}

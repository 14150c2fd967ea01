/// FNV-1a with 64 bits (Fowler, Noll and Vo, draft-eastlake-fnv, section 2): the same number for the same bytes on any
/// machine.
package enum FNV1a {
  /// The hash of some bytes.
  package static func hash(_ bytes: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3 }
    return hash
  }
}

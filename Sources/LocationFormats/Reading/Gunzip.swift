import CZlib

/// Unpacks gzip, member after member, in constant memory (RFC 1952). The only file that imports zlib.
///
/// It is a class because it owns a stream that must be ended once, and because it is kept in an optional.
@safe final class Gunzip {
  /// Why data can't be unpacked.
  enum Trouble: Error {
    case corrupt, endsEarly, noMemory
  }

  /// What became of a piece.
  struct Step {
    /// Packed bytes that were used up.
    var consumed: Int
    /// Unpacked bytes that were written.
    var produced: Int
  }

  /// The two bytes that every gzip file begins with.
  static let magic: (UInt8, UInt8) = (0x1F, 0x8B)

  private let stream: UnsafeMutablePointer<z_stream>
  private var isBetweenMembers = true
  private var hasMember = false
  /// Something other than another member or zeros follows the last member; it is left alone, as gzip does.
  private(set) var hasTrailingGarbage = false

  init() throws(Trouble) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    guard unsafe locwatch_inflate_init_gzip(stream) == Z_OK else {
      unsafe stream.deallocate()
      throw .noMemory
    }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Unpacks from the start of `packed` into `unpacked` from `offset` to `end`, at most as much as fits.
  ///
  /// Consumes or produces something whenever both have bytes, so a caller can't loop for ever.
  func step(
    _ packed: Span<UInt8>, into unpacked: inout [UInt8], from offset: Int, to end: Int
  ) throws(Trouble) -> Step {
    guard !packed.isEmpty else { return Step(consumed: 0, produced: 0) }
    if isBetweenMembers, hasMember {
      if hasTrailingGarbage || packed[0] == 0 { return Step(consumed: 1, produced: 0) }
      if packed[0] != Self.magic.0 {
        hasTrailingGarbage = true
        return Step(consumed: packed.count, produced: 0)
      }
      guard unsafe inflateReset(stream) == Z_OK else { throw .corrupt }
    }
    isBetweenMembers = false
    hasMember = true
    let status = unsafe packed.withUnsafeBufferPointer { input in
      unsafe unpacked.withUnsafeMutableBufferPointer { output in
        // zlib does not write to its input; the pointer lacks const for old compilers' sake.
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        unsafe stream.pointee.avail_in = UInt32(input.count)
        unsafe stream.pointee.next_out = output.baseAddress.map { unsafe $0 + offset }
        unsafe stream.pointee.avail_out = UInt32(end - offset)
        return unsafe inflate(stream, Z_NO_FLUSH)
      }
    }
    let step = unsafe Step(
      consumed: packed.count - Int(stream.pointee.avail_in),
      produced: end - offset - Int(stream.pointee.avail_out))
    switch status {
    case Z_STREAM_END: isBetweenMembers = true
    case Z_OK, Z_BUF_ERROR: break
    case Z_MEM_ERROR: throw .noMemory
    default:
      // What came out before the corrupt part is good; the next call meets the trouble again.
      if step.produced == 0 { throw .corrupt }
    }
    return step
  }

  /// All of some packed bytes.
  ///
  /// - Parameter limit: the most that may come of them, bytes.
  /// - Throws: `.noMemory` where it is more.
  static func unpack(_ packed: [UInt8], limit: Int) throws(Trouble) -> [UInt8] {
    let gunzip = try Gunzip()
    var unpacked = [UInt8](repeating: 0, count: min(limit, max(4096, packed.count * 4)))
    var (place, filled) = (0, 0)
    while place < packed.count {
      if filled == unpacked.count {
        guard filled < limit else { throw .noMemory }
        unpacked.append(contentsOf: repeatElement(0, count: min(limit - filled, unpacked.count)))
      }
      let step = try gunzip.step(
        packed.span.extracting(place...), into: &unpacked, from: filled, to: unpacked.count)
      place += step.consumed
      filled += step.produced
    }
    try gunzip.finish()
    unpacked.removeLast(unpacked.count - filled)
    return unpacked
  }

  /// To be called when no packed bytes are left.
  func finish() throws(Trouble) {
    if !isBetweenMembers { throw .endsEarly }
  }
}

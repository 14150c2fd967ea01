import Glibc

/// The constants of the program.
///
/// Swift's compiler marks them as writable, so the linker puts them beside the variables, where ``CodePages`` can't give
/// them back. Protected they are a mapping of their own, and what writes there by mistake ends the program.
enum ProgramConstants {
  /// Protects them in a program that is linked at a fixed address, as the package's are.
  static func protect() {
    guard let file = Descriptor.open("/proc/self/exe", O_RDONLY),
      let range = writable({ offset, count in
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
          unsafe filled = max(0, pread(file.number, buffer.baseAddress, count, off_t(offset)))
        }
      })
    else { return }
    let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
    let (first, end) = ((range.lowerBound + page - 1) / page * page, range.upperBound / page * page)
    guard first < end, let start = unsafe UnsafeMutableRawPointer(bitPattern: first) else { return }
    _ = unsafe mprotect(start, Int(end - first), PROT_READ)
  }

  /// The addresses of the section `.rodata` where it is mapped as writable; nil where it is not, and in a program that
  /// may be loaded anywhere.
  ///
  /// - Parameter read: the bytes of the program from an offset, of the layout in elf(5) for 64 bits, the least byte
  ///   first; fewer than asked for at its end.
  static func writable(_ read: (_ offset: Int, _ count: Int) -> [UInt8]) -> Range<UInt>? {
    let header = read(0, 64)
    let rowBytes = 64
    guard header.count == 64, header.starts(with: [0x7f, 0x45, 0x4c, 0x46, 2, 1]),
      number(header, 16, bytes: 2) == 2, number(header, 58, bytes: 2) == UInt(rowBytes),
      let table = Int(exactly: number(header, 40))
    else { return nil }
    let rows = read(table, Int(number(header, 60, bytes: 2)) * rowBytes)
    let sections = stride(from: 0, to: rows.count - rowBytes + 1, by: rowBytes)
    let namesRow = Int(number(header, 62, bytes: 2)) * rowBytes
    guard sections.contains(namesRow) else { return nil }
    let (names, wanted) = (number(rows, namesRow + 24), Array(".rodata\0".utf8))
    for section in sections where number(rows, section + 8) & 1 != 0 {
      guard let name = Int(exactly: names &+ number(rows, section, bytes: 4)),
        read(name, wanted.count) == wanted
      else { continue }
      let (start, count) = (number(rows, section + 16), number(rows, section + 32))
      let (end, isTooLong) = start.addingReportingOverflow(count)
      return isTooLong ? nil : start..<end
    }
    return nil
  }

  private static func number(_ bytes: [UInt8], _ offset: Int, bytes count: Int = 8) -> UInt {
    bytes[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | UInt($1) }
  }
}

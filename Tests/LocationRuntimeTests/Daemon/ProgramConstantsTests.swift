import Testing

@testable import LocationRuntime

/// Where the constants of a program are that the linker put beside its variables.
@Suite struct ProgramConstantsTests {
  private static func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(value >> (8 * UInt64($0)) & 255) }
  }

  /// A program with the sections: none, `.rodata` and the names.
  private static func program(isFixed: Bool = true, flags: UInt64 = 3, count: UInt64 = 0x2000) -> [UInt8] {
    let names = Array("\0.data\0.rodata\0".utf8)
    let header =
      [0x7f, 0x45, 0x4c, 0x46, 2, 1] + [UInt8](repeating: 0, count: 10) + bytes(isFixed ? 2 : 3, 2)
      + [UInt8](repeating: 0, count: 22) + bytes(UInt64(64 + names.count), 8)
      + [UInt8](repeating: 0, count: 10)
      + bytes(64, 2) + bytes(3, 2) + bytes(2, 2)
    func row(name: UInt64, flags: UInt64, address: UInt64, offset: UInt64, size: UInt64) -> [UInt8] {
      bytes(name, 4) + bytes(1, 4) + bytes(flags, 8) + bytes(address, 8) + bytes(offset, 8) + bytes(size, 8)
        + [UInt8](repeating: 0, count: 24)
    }
    return header + names + [UInt8](repeating: 0, count: 64)
      + row(name: 7, flags: flags, address: 0x40_1000, offset: 0, size: count)
      + row(name: 0, flags: 0, address: 0, offset: 64, size: UInt64(names.count))
  }

  private static func writable(_ program: [UInt8]) -> Range<UInt>? {
    ProgramConstants.writable { offset, count in Array(program.dropFirst(offset).prefix(count)) }
  }

  @Test func `constants beside variables are found`() {
    #expect(Self.writable(Self.program()) == 0x40_1000..<0x40_3000)
  }

  @Test func `what is read-only, loaded anywhere or no program is left alone`() {
    #expect(Self.writable(Self.program(flags: 2)) == nil)
    #expect(Self.writable(Self.program(isFixed: false)) == nil)
    #expect(Self.writable(Self.program(count: .max)) == nil)
    #expect(Self.writable([]) == nil)
  }

  @Test func `a program that is cut off or damaged is refused or read, without a crash`() {
    let program = Self.program()
    for count in program.indices {
      #expect(Self.writable(Array(program[..<count])) == nil || count > 64 + 16)
    }
    for index in program.indices {
      for value: UInt8 in [0, 1, 0x7f, 0xff] {
        var damaged = program
        damaged[index] = value
        _ = Self.writable(damaged)
      }
    }
  }
}

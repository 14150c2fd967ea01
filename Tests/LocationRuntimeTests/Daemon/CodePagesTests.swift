import LocationCore
import Testing

@testable import LocationRuntime

/// The pages of code that the daemon gives back.
@Suite struct CodePagesTests {
  private static func mapping(_ head: String, anonymousKilobytes: Int) -> String {
    "\(head)\nSize: 8 kB\nRss: 8 kB\nAnonymous: \(anonymousKilobytes) kB\nVmFlags: rd mr\n"
  }

  @Test func `only files that nobody can have written are given back`() {
    let text = [
      Self.mapping("1000-2000 r-xp 00000000 fe:00 12      /usr/bin/locwatch", anonymousKilobytes: 0),
      // The linker wrote it before it was protected.
      Self.mapping("3000-4000 r--p 00001000 fe:00 12      /usr/bin/locwatch", anonymousKilobytes: 4),
      Self.mapping("4000-5000 rw-p 00002000 fe:00 12      /usr/bin/locwatch", anonymousKilobytes: 0),
      Self.mapping("5000-6000 r--s 00000000 fe:00 13      /var/lib/locwatch/s.db-shm", anonymousKilobytes: 0),
      Self.mapping("6000-7000 r--p 00000000 fe:00 14      /usr/lib/a library.so", anonymousKilobytes: 0),
      Self.mapping("7000-8000 r--p 00000000 00:00 0", anonymousKilobytes: 0),
      Self.mapping("8000-9000 r-xp 00000000 00:00 0       [vdso]", anonymousKilobytes: 0),
    ].joined()
    #expect(CodePages.unwritten(in: text) == [0x1000..<0x2000, 0x6000..<0x7000])
  }

  @Test func `what is no such text gives nothing back`() {
    for text in ["", "Anonymous: 0 kB\n", "2000-1000 r-xp 0 0 0 /a\nAnonymous: 0 kB\n", "x-y r-xp 0 0 0 /a"] {
      #expect(CodePages.unwritten(in: text).isEmpty)
    }
  }

  @Test func `a process that has given pages back goes on`() {
    var pages = CodePages()
    pages.giveBack(at: .distantPast)
    #expect(KernelFile.read("/proc/self/status")?.contains("VmRSS") == true)
  }
}

import CFuzzer
import Foundation

/// A text of one kind is read, or refused with one line for a person; the variable `KIND` says which.
@main
struct FuzzTexts {
  private static let kind = TextKind(rawValue: ProcessInfo.processInfo.environment["KIND"] ?? "")
  /// In memory.
  private static let path = "/dev/shm/locwatch-fuzz-\(ProcessInfo.processInfo.processIdentifier)"

  static func main() {
    guard kind != nil else {
      fatalError("KIND is one of " + TextKind.allCases.map(\.rawValue).joined(separator: ", "))
    }
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
    _ = unsafe LLVMFuzzerRunDriver(&count, &arguments) { unsafe FuzzTexts.check($0, $1) }
  }

  private static func check(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let kind else { return 0 }
    var bytes: [UInt8] = []
    if let start = unsafe start { bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count)) }
    do {
      try kind.check(bytes, path: path)
    } catch {
      fatalError("\(error)")
    }
    return 0
  }
}

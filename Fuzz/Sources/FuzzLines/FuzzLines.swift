import CFuzzer
import LocationCore
import LocationFormats

/// The scanner and the general reader give the same of any JSON lines, in whatever pieces they come.
///
/// The last byte of the input says how: in one piece where it is even, else in pieces of so many bytes.
@main
struct FuzzLines {
  static func main() {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
    _ = unsafe LLVMFuzzerRunDriver(&count, &arguments) { unsafe FuzzLines.check($0, $1) }
  }

  private static func check(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 0, let start = unsafe start else { return 0 }
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    let last = Int(input[count - 1])
    let size = last % 2 == 0 ? count : last
    let scanned = Transcript(lines: input, pieces: [size], scans: true)
    let parsed = Transcript(lines: input, pieces: [size], scans: false)
    guard scanned == parsed else { fatalError("scanner: \(scanned); general reader: \(parsed)") }
    return 0
  }
}

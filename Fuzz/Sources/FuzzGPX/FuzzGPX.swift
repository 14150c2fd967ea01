import CFuzzer
import LocationCore
import LocationFormats

/// The scanner and the parser give the same of any GPX document, in whatever pieces it comes.
///
/// The last byte of the input says how: in one piece where it is even, else in pieces of so many bytes.
@main
struct FuzzGPX {
  static func main() {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
    _ = unsafe LLVMFuzzerRunDriver(&count, &arguments) { unsafe FuzzGPX.check($0, $1) }
  }

  private static func check(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 0, let start = unsafe start else { return 0 }
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    let last = Int(input[count - 1])
    let size = last % 2 == 0 ? count : last
    do {
      let scanned = try Transcript(gpx: input, pieces: [size], scans: true)
      let parsed = try Transcript(gpx: input, pieces: [size], scans: false)
      guard scanned == parsed else { fatalError("scanner: \(scanned); parser: \(parsed)") }
    } catch {
      return 0  // No memory for a parser.
    }
    return 0
  }
}

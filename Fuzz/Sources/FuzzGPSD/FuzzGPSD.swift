import CFuzzer
import LocationCore
import LocationFormats

/// Our scan and libgps together: any lines come back, what reaches libgps is within its grammar, and a position that
/// comes out is the one that the scan has read.
///
/// The watchdog is libFuzzer's: a call of more than ten seconds is a finding: two were too few on a machine with other work.
@main
struct FuzzGPSD {
  static func main() {
    var arguments = unsafe (0..<Int(CommandLine.argc)).map { unsafe CommandLine.unsafeArgv[$0] }
    unsafe arguments.insert(strdup("-timeout=10"), at: min(1, arguments.count))
    unsafe arguments.append(nil)
    var count = CInt(arguments.count - 1)
    unsafe arguments.withUnsafeMutableBufferPointer { buffer in
      var start = unsafe buffer.baseAddress
      _ = unsafe LLVMFuzzerRunDriver(&count, &start) { unsafe FuzzGPSD.check($0, $1) }
    }
  }

  private static func check(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 0, let start = unsafe start else { return 0 }
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let decoder = try? GPSDDecoder(assumeAccuracyMeters: nil) else { return 0 }
    for line in input.split(separator: UInt8(ascii: "\n")).map(Array.init) {
      guard case .gpsd(let scan) = FixLine(line.span, assumeAccuracyMeters: nil) else { continue }
      checkText(of: line)
      var items: [TrackItem] = []
      decoder.read(line.span, scan, into: &items)
      decoder.flush(into: &items)
      precondition(decoder.deviceCount <= GPSDTrack.maximumDevices + 1)
      for case .fix(let fix) in items where !fix.latitude.isNaN {
        precondition(fix.latitude.isFinite && fix.longitude.isFinite)
        precondition(scan.kind != .tpv || scan.hasPosition, "a position that the scan has not seen")
      }
    }
    return 0
  }

  private static func checkText(of line: [UInt8]) {
    var text = LibgpsText()
    text.composeReport(from: line.span)
    precondition(text.characters.count < LibgpsText.maximumBytes && text.characters.last == 0)
    precondition(!text.characters.dropLast().contains(0))
    text.composeDeviations(from: line.span)
    precondition(text.characters.count < LibgpsText.maximumBytes)
  }
}

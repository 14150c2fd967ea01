import Glibc
import LocationCore
import LocationFormats

/// Measures how loud one stream is: `pw-record` hands over its samples for about a second (rule F3).
struct StreamMeter {
  /// The stream.
  let serial: Int
  /// When it ends, whatever has come by then.
  let end: EngineInstant
  private let program: ProgramStart
  private var peak = 0
  private var samples = 0
  /// A byte of a sample whose other byte has not come.
  private var half: UInt8?
  /// Bytes that are passed over: some versions write a header first.
  private var skipped = 1024

  /// Nil where it can't be started.
  init?(_ stream: PipeWireGraph.Stream, environment: [String], at now: EngineInstant) {
    let command = [
      "pw-record", "--target", "\(stream.serial)", "--rate", "\(Self.rate)", "--channels", "1", "--format",
      "s16",
      "-",
    ]
    guard
      let program = try? ProgramStart(
        command: command, environment: environment, hasOutput: true, hasError: true)
    else { return nil }
    serial = stream.serial
    self.program = program
    end = now.advanced(bySeconds: Self.patienceSeconds)
  }

  /// Samples a second: what most sound has, as a lower rate would hear less of it.
  private static let rate = 48_000
  /// Seconds for one second of samples.
  private static let patienceSeconds = 3.0

  var readable: Int32 { program.output?.number ?? -1 }

  /// Takes what has come; true where that is enough, or all there is.
  mutating func take() -> Bool {
    guard let output = program.output else { return true }
    let hasEnded = output.readAll { piece in
      for byte in piece { take(byte) }
      return samples < Self.rate
    }
    return hasEnded || samples >= Self.rate
  }

  private mutating func take(_ byte: UInt8) {
    guard skipped == 0 else {
      skipped -= 1
      return
    }
    guard let low = half else {
      half = byte
      return
    }
    half = nil
    samples += 1
    let sample = Int16(bitPattern: UInt16(low) | UInt16(byte) << 8)
    peak = max(peak, Int(sample.magnitude))
  }

  /// Ends it; the peak relative to full scale, decibels. Nil where nothing was heard of it, not even silence.
  func finish() -> Double? {
    program.end()
    guard samples > 0 else { return nil }
    return peak == 0 ? AudioWatch.silence : 20 * log10(Double(peak) / 32_768)
  }
}

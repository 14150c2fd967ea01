import LocationCore
import LocationFormats

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The process that carries the files of one subscriber, `locwatch-transfer`, as its user. There is one only while
/// there is something to carry; in no cgroup of the subscriber's, so that it goes on while that is suspended.
struct TransferProcess {
  private var program: ProgramStart?
  private var queue = WriteQueue()
  private var answers = LineBuffer(limit: 65_536)
  /// Those that it was told to carry.
  private(set) var carried: Set<Int> = []
  /// Those that were told to end, until they have.
  private var ending: [Descriptor] = []
  /// When it is started again after it has ended by itself.
  private(set) var retryAt: EngineInstant?
  private var failures = 0

  /// The program: beside this one.
  static let path = SiblingProgram.path("locwatch-transfer") ?? "locwatch-transfer"

  /// Whether it can be started.
  static var isThere: Bool { unsafe access(path, X_OK) == 0 }

  var readable: Int32 { program?.output?.number ?? ending.first?.number ?? -1 }
  var writable: Int32 { queue.isEmpty ? -1 : program?.input.number ?? -1 }

  /// Has it carry a file. It is started where it does not run.
  mutating func start(
    _ number: Int, _ line: String, for subscriber: Subscriber, environment: [String]
  ) throws(Failure) {
    if program == nil {
      do throws(ProgramStart.Refusal) {
        program = try ProgramStart(
          command: [Self.path], environment: environment, hasOutput: true,
          confinement: subscriber.confinement.map { full in
            // Its limits are those of the subscriber's own process.
            var own = Subscriber.Confinement()
            own.user = full.user
            own.group = full.group
            return own
          }, cgroup: nil, noting: { _ in })
      } catch {
        throw Failure(
          .unavailable, file: Self.path, what: "can't be started: \(error.text)",
          remedy: "install it beside locwatch")
      }
      queue = WriteQueue()
      answers = LineBuffer(limit: 65_536)
    }
    carried.insert(number)
    say(line)
  }

  /// Has it stop; with nothing left to do it ends.
  mutating func stop(_ number: Int, erasing: Bool) {
    guard carried.remove(number) != nil else { return }
    say(erasing ? "{\"cancel\":\(number)}" : "{\"pause\":\(number)}")
    restIfIdle()
  }

  /// What it has said: its lines, and those that it carried where it has ended by itself.
  mutating func take(at instant: EngineInstant) -> (lines: [JSONTree], lost: Set<Int>) {
    ending.removeAll { ProgramStart.reap($0) != nil }
    guard let program else { return ([], []) }
    queue.send(to: program.input)
    var lines: [JSONTree] = []
    var hasEnded = false
    var piece = [UInt8](repeating: 0, count: 4096)
    while let output = program.output {
      let count = unsafe piece.withUnsafeMutableBytes { unsafe SystemCall.readBytes(output.number, $0) }
      if count < 0, errno == EINTR { continue }
      if count <= 0 {
        hasEnded = count == 0 || errno != EAGAIN
        break
      }
      answers.append(piece.span.extracting(0..<count))
      while case .line(let range) = answers.next() {
        var reader = JSONReader(Array(answers.bytes[range]))
        if let line = try? JSONTree(&reader) { lines.append(line) }
      }
    }
    for line in lines {
      if let number = line["done"]?.integer ?? line["failed"]?.integer ?? line["asks"]?.integer {
        carried.remove(number)
        failures = 0
      }
    }
    guard hasEnded else {
      restIfIdle()
      return (lines, [])
    }
    let lost = carried
    end()
    failures += 1
    retryAt = instant.advanced(bySeconds: Double(1 << min(failures - 1, 8)))
    return (lines, lost)
  }

  /// The wait after it has ended by itself is over.
  mutating func takeRetry(at instant: EngineInstant) -> Bool {
    guard let retryAt, retryAt <= instant else { return false }
    self.retryAt = nil
    return true
  }

  /// Ends it; what has come by then is gone on with.
  mutating func end() {
    // It ends when its input does.
    if let program { ending.append(program.pidfd) }
    program = nil
    carried = []
    queue = WriteQueue()
  }

  private mutating func restIfIdle() {
    guard carried.isEmpty, queue.isEmpty, program != nil else { return }
    end()
  }

  private mutating func say(_ line: String) {
    _ = queue.append(Array((line + "\n").utf8))
    if let program { queue.send(to: program.input) }
  }
}

import Glibc
import LocationCore
import LocationFormats

/// The process that carries the files of one subscriber, `locwatch-transfer`, as its user. There is one only while
/// there is something to carry; in no cgroup of the subscriber's, so that it goes on while that is suspended.
struct TransferProcess {
  private var process: SiblingProcess?
  /// What it may write.
  private var folders: TransferFolders?
  /// Those that it was told to carry, with the line that said so.
  private var carried: [Int: String] = [:]
  /// How many requests in a row failed, of those that wait to be tried again.
  private(set) var failedRequests: [Int: Int] = [:]
  /// Those that were told to end, until they have.
  private var ending: [Descriptor] = []
  /// When it is started again after it has ended by itself.
  private(set) var retryAt: EngineInstant?
  private var failures = 0

  /// The longest line that it says, bytes.
  private static let lineBytes = 65_536

  /// The program: beside this one.
  static let path = SiblingProgram.path("locwatch-transfer") ?? "locwatch-transfer"
  /// Whether it is there.
  static var isThere: Bool { unsafe access(path, X_OK) == 0 }

  var readable: Int32 { process?.readable ?? ending.first?.number ?? -1 }
  var writable: Int32 { process?.writable ?? -1 }

  /// Whether it was told to carry that one.
  func carries(_ number: Int) -> Bool { carried[number] != nil }

  /// Has it carry a file. It is started where it does not run, and anew where it is another user's or has other folders.
  mutating func start(
    _ number: Int, _ line: String, in folders: TransferFolders, for subscriber: Subscriber,
    environment: [String]
  ) throws(Failure) {
    if process == nil || self.folders != folders {
      do throws(ProgramStart.Refusal) {
        // Its limits are those of the subscriber's own process.
        let next = try SiblingProcess(
          Self.path, environment: environment, as: subscriber.confinement, lineBytes: Self.lineBytes,
          folders: folders.descriptors)
        // It ends when its input does.
        if let process { ending.append(process.pidfd) }
        process = next
        self.folders = folders
        process?.say(carried.sorted { $0.key < $1.key }.map(\.value))
      } catch {
        throw Failure(
          .unavailable, file: Self.path, what: "can't be started: \(error.text)",
          remedy: "install it beside locwatch")
      }
    }
    carried[number] = line
    process?.say(line)
  }

  /// Has it stop; with nothing left to do it ends.
  mutating func stop(_ number: Int, erasing: Bool) {
    failedRequests[number] = nil
    guard carried.removeValue(forKey: number) != nil else { return }
    process?.say(erasing ? "{\"cancel\":\(number)}" : "{\"pause\":\(number)}")
    restIfIdle()
  }

  /// What it has said: its lines, and those that it carried where it has ended by itself.
  mutating func take(at instant: EngineInstant) -> (lines: [JSONTree], lost: Set<Int>) {
    ending.removeAll { ProgramStart.reap($0) != nil }
    process?.send()
    guard let (lines, hasEnded) = process?.take() else { return ([], []) }
    for line in lines {
      let waiting = line["waits"]?.integer
      if let number = waiting ?? line["done"]?.integer ?? line["failed"]?.integer ?? line["asks"]?.integer {
        carried[number] = nil
        failedRequests[number] = waiting == nil ? nil : line["failures"]?.integer
        failures = 0
      }
    }
    guard hasEnded else {
      restIfIdle()
      return (lines, [])
    }
    let lost = Set(carried.keys)
    end()
    failures += 1
    retryAt = instant.advanced(bySeconds: 1.0.doubled(failures - 1, atMost: 256))
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
    if let process { ending.append(process.pidfd) }
    process = nil
    folders = nil
    carried = [:]
  }

  private mutating func restIfIdle() {
    guard carried.isEmpty, process?.hasTakenAll == true else { return }
    end()
  }
}

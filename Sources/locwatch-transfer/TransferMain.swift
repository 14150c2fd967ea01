import Glibc
import LocationCore
import LocationFormats

/// `locwatch-transfer`: carries the files of one subscriber. The daemon starts it, and nobody else has to.
///
/// It reads lines: `{"start":N,…}`, `{"pause":N}`, `{"cancel":N}`. It says `{"done":N,"bytes":B}`,
/// `{"failed":N,"reason":CODE}`, with `bytes` where it was begun, `{"asks":N}` or, where it is to be started again after a
/// while, `{"waits":N,"seconds":S,"failures":F}`. It ends with its input; what has come by then is gone on with.
@main enum TransferProgram {
  static func main() {
    _ = signal(SIGPIPE, SIG_IGN)
    InheritedSignals.failWritesBeyondLimits()
    if CommandLine.arguments.count > 1 || isatty(STDIN_FILENO) == 1 {
      print("locwatch-transfer is started by locwatch run; see: locwatch transfers --help")
      exit(CommandLine.arguments.contains("--help") ? 0 : Failure.Code.usage.rawValue)
    }
    // It runs as the user of a program, and outside that one's cgroup: the program is not to trace it, or to take its
    // descriptors (ptrace(2), PTRACE_MODE_READ).
    guard CurlFiles.keepUntraced(), let files = CurlFiles() else { exit(Failure.Code.software.rawValue) }
    var loop = TransferLoop(files)
    loop.run()
  }
}

/// The transfers of one subscriber, until the input ends.
struct TransferLoop {
  /// One that is to be carried.
  private struct Transfer {
    var job: TransferJob
    /// The request that runs; nil where the next is to go.
    var file: CurlFile?
    /// Requests in a row that failed.
    var failures: Int
    /// Redirections that were followed.
    var redirects = 0
    /// Bytes that were on the disk when that was last noted; nil where nothing is noted of this answer.
    var notedBytes: Int?
  }

  private let files: CurlFiles
  private var transfers: [Int: Transfer] = [:]
  private var lines = LineBuffer(limit: 1 << 20)
  private var hasEnded = false

  /// Redirections that are followed at most.
  private static let redirectLimit = 10
  private static let longestWaitMilliseconds: Int32 = 3_600_000
  /// Bytes after which what has come is synchronised.
  private static let noteBytes = 8 << 20

  init(_ files: CurlFiles) { self.files = files }

  mutating func run() {
    while true {
      takeLines()
      startNext()
      files.perform()
      noteProgress()
      while let (file, end) = files.takeEnded(of: transfers.values.compactMap(\.file)) { take(file, end) }
      guard !hasEnded else { return }
      let hasNext = transfers.values.contains { $0.file == nil }
      files.wait(for: STDIN_FILENO, milliseconds: hasNext ? 0 : Self.longestWaitMilliseconds)
      readInput()
    }
  }

  // MARK: - What the daemon says

  private mutating func readInput() {
    guard PollSet.wait(on: STDIN_FILENO, atMost: 0) != 0 else { return }
    guard let piece = DaemonPipes.read() else {
      hasEnded = true
      return
    }
    lines.append(piece.span)
  }

  private mutating func takeLines() {
    var said: [JSONTree] = []
    lines.each { if let line = try? JSONTree(Array($0)) { said.append(line) } }
    for line in said { take(line) }
  }

  private mutating func take(_ line: JSONTree) {
    if let number = line["pause"]?.integer ?? line["cancel"]?.integer {
      stop(number)
      if line["cancel"] != nil { transfers[number]?.job.erase() }
      transfers[number] = nil
      return
    }
    guard let number = line["start"]?.integer, transfers[number] == nil else { return }
    do throws(TransferTrouble) {
      let job = try TransferJob(line)
      transfers[number] = Transfer(job: job, failures: job.failures)
    } catch {
      fail(number, error)
    }
  }

  // MARK: - Requests

  private mutating func startNext() {
    for (number, transfer) in transfers where transfer.file == nil {
      do throws(TransferTrouble) {
        try start(number, transfer.job)
      } catch {
        fail(number, error)
      }
    }
  }

  private mutating func start(_ number: Int, _ job: TransferJob) throws(TransferTrouble) {
    guard let descriptor = job.isUpload ? try job.file.open() : try job.part.open() else {
      return finish(number, bytes: job.part.deliveredBytes ?? 0)
    }
    let room: Int
    do throws(TransferTrouble) {
      room = job.isUpload ? .max : try job.file.prepare(for: descriptor, copiedAs: job.part.copyName)
    } catch {
      close(descriptor)
      throw error
    }
    let standing = job.isUpload ? nil : job.part.standing(of: descriptor)
    guard let file = CurlFile(job, descriptor, from: standing, roomBytes: room) else {
      throw TransferTrouble(.file)
    }
    transfers[number]?.file = file
    transfers[number]?.notedBytes = nil
    files.start(file)
  }

  private mutating func stop(_ number: Int) {
    guard let file = transfers[number]?.file else { return }
    files.stop(file)
    transfers[number]?.file = nil
  }

  /// Notes of what comes how far it is safe, and by which validator it can be gone on with.
  private mutating func noteProgress() {
    for (number, transfer) in transfers {
      guard !transfer.job.isUpload, let file = transfer.file, file.hasBegun else { continue }
      let validator = file.validator
      guard !validator.isEmpty, transfer.notedBytes.map({ file.count - $0 >= Self.noteBytes }) ?? true else {
        continue
      }
      // What fails here is told when the file is whole.
      try? transfer.job.part.note(
        validator, bytes: file.count, total: file.total < 0 ? nil : file.total, of: file.descriptor)
      transfers[number]?.notedBytes = file.count
    }
  }

  /// A request has ended: so has the transfer, or there is a further one.
  private mutating func take(_ file: CurlFile, _ end: CurlFiles.End) {
    guard let (number, transfer) = transfers.first(where: { $0.value.file === file }) else { return }
    transfers[number]?.file = nil
    // Progress is no failure in a row.
    if !transfer.job.isUpload, file.hasProgressed { transfers[number]?.failures = 0 }
    do throws(TransferTrouble) {
      try conclude(number, transfer.job, file, end)
    } catch {
      fail(number, error, bytes: file.count)
    }
  }

  private mutating func conclude(
    _ number: Int, _ job: TransferJob, _ file: CurlFile, _ end: CurlFiles.End
  ) throws(TransferTrouble) {
    if file.error == EFBIG { throw TransferTrouble(.tooLarge) }
    // Other bytes than those that were asked for: it begins anew.
    if file.error == EPROTO { job.part.erase() }
    if file.error != 0, file.error != EPROTO { throw TransferTrouble(code: file.error) }
    switch end {
    case .notTrusted: throw TransferTrouble(.certificate)
    case .noAddress: throw TransferTrouble(.address)
    case .broken: return retry(number, after: 0)
    case .whole: break
    }
    if job.isUpload, (200...204).contains(file.status) { return try finish(number, job, file) }
    switch file.status {
    case 200, 206:
      // A part may be less than what was asked for. Where nobody says how long the whole is, the end of it has none.
      if file.status == 206, file.count != file.total { return retry(number, after: 0) }
      try finish(number, job, file)
    case 301, 302, 303, 307, 308: try follow(number, job, file)
    case 401, 407:
      transfers[number] = nil
      say("\"asks\":\(number)")
    case 416 where !job.isUpload:
      // Whole already, or another file by now.
      if file.isWhole(Int(lseek(file.descriptor, 0, SEEK_END))) {
        try finish(number, job, file)
      } else {
        job.part.erase()
        retry(number, after: 0)
      }
    case 408, 425, 429, 500...599: retry(number, after: file.retryAfterSeconds)
    case let status: throw TransferTrouble(.status, status: status)
    }
  }

  private mutating func follow(_ number: Int, _ job: TransferJob, _ file: CurlFile) throws(TransferTrouble) {
    let keepsMethod = file.status == 307 || file.status == 308
    guard let location = file.redirection(of: job), !job.isUpload || keepsMethod,
      transfers[number]?.redirects ?? 0 < Self.redirectLimit
    else { throw TransferTrouble(.status, status: file.status) }
    var job = job
    try job.follow(location)
    transfers[number]?.job = job
    transfers[number]?.redirects += 1
  }

  private mutating func finish(_ number: Int, _ job: TransferJob, _ file: CurlFile) throws(TransferTrouble) {
    var bytes = file.count
    if !job.isUpload {
      // An empty file has no piece that would have said where it begins.
      if file.status == 200, !file.hasBegun, ftruncate(file.descriptor, 0) != 0 {
        throw TransferTrouble(code: errno)
      }
      bytes = Int(lseek(file.descriptor, 0, SEEK_END))
      try job.part.deliver(to: job.file, bytes: bytes, file.descriptor)
    }
    finish(number, bytes: bytes)
  }

  /// What is noted of it stays until the daemon, which may end before it hears this, has stored that it is done.
  private mutating func finish(_ number: Int, bytes: Int) {
    transfers[number] = nil
    say("\"done\":\(number),\"bytes\":\(bytes)")
  }

  /// Has the transfer wait, longer each time, until the daemon starts it again.
  private mutating func retry(_ number: Int, after seconds: Int) {
    guard let transfer = transfers[number] else { return }
    let job = transfer.job
    let wait = job.retrySeconds.doubled(transfer.failures, atMost: job.longestRetrySeconds)
    // Many that failed at once do not all come back at once.
    let spread = Double.random(in: 0.75...1)
    transfers[number] = nil
    let asked = max(wait * spread, Double(min(seconds, 3600)))
    say("\"waits\":\(number),\"seconds\":\(Wording.number(asked, 3)),\"failures\":\(transfer.failures + 1)")
  }

  /// - Parameter bytes: Those of the file that came or were sent; nil where it could not be begun.
  private mutating func fail(_ number: Int, _ trouble: TransferTrouble, bytes: Int? = nil) {
    transfers[number]?.job.erase()
    transfers[number] = nil
    let status = trouble.status.map { ",\"status\":\($0)" } ?? ""
    let carried = bytes.map { ",\"bytes\":\($0)" } ?? ""
    say("\"failed\":\(number),\"reason\":\"\(trouble.reason.rawValue)\"\(status)\(carried)")
  }

  private func say(_ members: String) {
    var rest = Array("{\(members)}\n".utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe SystemCall.writeBytes(STDOUT_FILENO, $0) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}

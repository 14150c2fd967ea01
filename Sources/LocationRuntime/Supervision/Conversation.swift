import Glibc
import LocationCore
import LocationFormats

/// The lines exchanged with a program, over its standard streams or a socket. Used by the supervisor's thread alone.
final class Conversation {
  private(set) var input: Descriptor?
  private(set) var output: Descriptor?
  private(set) var queue = WriteQueue()
  private var lines = LineBuffer(limit: SupervisorLimits.lineBytes)
  /// Whether there may be lines that nobody has looked at.
  private(set) var hasLines = false
  /// What is read may bring descriptors along; called with each (rule E4). Nil where it can bring none.
  private let takeDescriptor: ((Descriptor) -> Void)?
  /// Events it was handed and has not acknowledged, in order. What is acknowledged in another way, as by the answer to a
  /// push, or waits no longer stays here: only the engine knows of it.
  private var handed: [Int] = []
  /// Who it said it is.
  private var registration: Registration?
  private var notUnderstood = 0
  private var tooLong = 0
  /// What it may still say in the present second.
  private var saidBytes = 0
  private var saidLines = 0
  private var saidAnswers = 0
  private var secondEnds: Int64 = 0
  /// Answers that it may give in the present second.
  private var mostAnswers = SupervisorLimits.answersPerSecond

  /// - Parameters:
  ///   - input: what is told is written to it.
  ///   - output: what it says is read from it; nil for a program that says nothing.
  ///   - takeDescriptor: takes the sockets that it passes, where `output` is a socket that may bring some.
  init(input: Descriptor?, output: Descriptor?, takeDescriptor: ((Descriptor) -> Void)? = nil) {
    self.takeDescriptor = takeDescriptor
    self.input = input
    self.output = output
  }

  /// From now on it answers as a subscriber: a line may be as long as one by which it has a text kept. What it has said
  /// before is not heard. Who has not said who it is takes no more memory than other lines need.
  func beginAnswers() {
    lines = LineBuffer(limit: SupervisorLimits.preservationLineBytes)
    hasLines = false
  }

  // MARK: Telling it

  /// Queues a line, and writes at once what goes; a note where it can't be told.
  func tell(_ line: [UInt8]) -> SupervisorNote? {
    let wasOpen = !queue.isClosed && !queue.isBroken
    let isTaken = queue.append(line)
    if let note = send() { return note }
    return !isTaken && wasOpen ? .queueFull : nil
  }

  /// Notes that it is handed an event, in the next line.
  func noteHanded(_ event: Int) {
    guard !handed.contains(event) else { return }
    handed.append(event)
    if handed.count > SupervisorLimits.handedEvents { handed.removeFirst() }
  }

  /// Writes what goes without waiting; a note where it has closed its input.
  func send() -> SupervisorNote? {
    guard let input, !queue.isBroken else { return nil }
    queue.send(to: input)
    guard queue.isBroken else { return nil }
    self.input = nil
    return .closedInput
  }

  /// Whether something that it was told waits to be read: here, or in its pipe. Where it has closed its input, nothing
  /// does.
  var hasUnread: Bool {
    guard let input else { return false }
    return !queue.isEmpty || (input.waitingBytes ?? 0) > 0
  }

  /// Closes its input once everything is written: a oneshot reads to the end.
  func closeInputWhenSent() { if queue.isEmpty { input = nil } }

  // MARK: Hearing it

  /// Whether it may be read now: it has not said more than its share of this second.
  func mayRead(at now: Int64) -> Bool {
    if now >= secondEnds { return true }
    return saidBytes < SupervisorLimits.bytesPerSecond && saidLines < SupervisorLimits.linesPerSecond
      && saidAnswers < mostAnswers
  }

  /// When it may be heard again; nil where its descriptor tells, or never.
  func nextReading(at now: Int64) -> Int64? {
    if mayRead(at: now) { return hasLines ? now : nil }
    return output == nil && !hasLines ? nil : secondEnds
  }

  /// Takes the last answers of a program that has ended, which can't say more.
  func allowLastAnswers() {
    mostAnswers = SupervisorLimits.lastAnswers
    saidLines = 0
    saidBytes = 0
  }

  /// Reads one piece by way of `buffer`, unless lines are left of the last one; false where nothing is left to read for
  /// now.
  private func read(
    at now: Int64, by buffer: inout [UInt8], each: (SubscriberAnswer) -> Void, note: (SupervisorNote) -> Void
  ) -> Bool {
    if now >= secondEnds {
      secondEnds = now + 1_000
      saidBytes = 0
      saidLines = 0
      saidAnswers = 0
    }
    if hasLines {
      takeLines(each: each, note: note)
      return mayRead(at: now)
    }
    guard let output else { return false }
    let count = unsafe buffer.withUnsafeMutableBytes { buffer in
      guard let takeDescriptor else { return unsafe SystemCall.readBytes(output.number, buffer) }
      let (count, passed) = unsafe PassedDescriptor.receive(from: output, into: buffer)
      if let passed { takeDescriptor(passed) }
      return count
    }
    if count < 0, errno == EINTR { return true }
    if count < 0, errno == EAGAIN { return false }
    guard count > 0 else {
      self.output = nil
      return false
    }
    saidBytes += count
    lines.append(buffer.span.extracting(0..<count))
    takeLines(each: each, note: note)
    return true
  }

  /// Takes the lines that have come, as many as it may say in this second.
  private func takeLines(each: (SubscriberAnswer) -> Void, note: (SupervisorNote) -> Void) {
    hasLines = true
    while saidLines < SupervisorLimits.linesPerSecond, saidAnswers < mostAnswers {
      switch lines.next() {
      case .none:
        hasLines = false
        return
      case .tooLong:
        lines.skipTooLong()
        noteTooLong(note)
      case .line(let range):
        let line = lines.bytes[range]
        let answer = SubscriberAnswer(line: Array(line))
        if range.count > SupervisorLimits.lineBytes, answer?.isPreservation != true {
          noteTooLong(note)
        } else {
          take(answer, line, each: each, note: note)
        }
      }
      saidLines += 1
    }
  }

  /// Takes what a line says. Of lines that are no answers few are told, and refused: somebody may write a log there.
  private func take(
    _ answer: SubscriberAnswer?, _ line: ArraySlice<UInt8>, each: (SubscriberAnswer) -> Void,
    note: (SupervisorNote) -> Void
  ) {
    switch answer {
    case .unknown(let word)?:
      if noteNotUnderstood(line, note) { each(.request(.invalid(word))) }
    case let answer?:
      saidAnswers += 1
      each(answer)
    case nil: _ = noteNotUnderstood(line, note)
    }
  }

  /// Counts a line that is no answer; whether it is told.
  private func noteNotUnderstood(_ line: ArraySlice<UInt8>, _ note: (SupervisorNote) -> Void) -> Bool {
    notUnderstood += 1
    guard Self.isPowerOfTwo(notUnderstood) else { return false }
    // What is nearly an answer may hold a password.
    let isObject = line.first == UInt8(ascii: "{")
    let beginning =
      isObject ? "{" : String(decoding: line.prefix(SupervisorLimits.sampleBytes), as: UTF8.self)
    note(.notUnderstood(lines: notUnderstood, last: TextTable.cell(beginning)))
    return true
  }

  private func noteTooLong(_ note: (SupervisorNote) -> Void) {
    tooLong += 1
    if Self.isPowerOfTwo(tooLong) { note(.lineTooLong(lines: tooLong)) }
  }

  /// Reads one piece of what it says, and makes reports of it; false where nothing is left to read for now.
  ///
  /// - Parameters:
  ///   - tagged: takes the name of a socket that it has passed.
  ///   - mistagged: hears that it has named one by what is no name.
  ///   - coreSeconds: the processor time to be put down to an acknowledgment.
  func hear(
    of name: String, at now: Int64, by buffer: inout [UInt8], into reports: inout [SupervisorReport],
    tagged: ((String) -> SupervisorReport)? = nil, mistagged: () -> Void = {}, coreSeconds: () -> Double
  ) -> Bool {
    read(at: now, by: &buffer) { answer in
      switch answer {
      case .acknowledge(let event):
        reports.append(
          acknowledge(event)
            ? .acknowledged(subscriber: name, event: event, coreSeconds: coreSeconds())
            : .event(subscriber: name, .acknowledged(event: event, coreSeconds: coreSeconds())))
      case .done:
        for event in acknowledgeAll() {
          reports.append(.acknowledged(subscriber: name, event: event, coreSeconds: coreSeconds()))
        }
        reports.append(.event(subscriber: name, .done))
      case .preserve(let text): reports.append(.event(subscriber: name, .preserve(text: text)))
      case .locate(let seconds): reports.append(.event(subscriber: name, .locate(seconds: seconds)))
      case .beginTask(let task): reports.append(.event(subscriber: name, .beginTask(name: task)))
      case .endTask(let token): reports.append(.event(subscriber: name, .endTask(token: token)))
      case .tag(let tag): reports.append(tagged?(tag) ?? .request(subscriber: name, .invalid("tag")))
      case .mode(.fetched(let result, let bytes, _)):
        let event = ModeEvent.fetched(result, bytes: bytes, coreSeconds: coreSeconds())
        reports.append(.event(subscriber: name, .mode(event)))
      case .mode(let event): reports.append(.event(subscriber: name, .mode(event)))
      case .request(let request):
        if request == .invalid("tag") { mistagged() }
        reports.append(.request(subscriber: name, request))
      case .unknown(let word): reports.append(.request(subscriber: name, .invalid(word)))
      case .register(let registration): self.registration = registration
      }
    } note: {
      reports.append(.note(subscriber: name, $0))
    }
  }

  /// Who it said it is, once.
  func takeRegistration() -> Registration? {
    defer { registration = nil }
    return registration
  }

  /// An acknowledgment of an event has come; whether it was handed that event and has not acknowledged it.
  private func acknowledge(_ event: Int) -> Bool {
    guard let index = handed.firstIndex(of: event) else { return false }
    handed.remove(at: index)
    return true
  }

  /// The same for everything it was handed; the events.
  private func acknowledgeAll() -> [Int] {
    defer { handed = [] }
    return handed
  }

  private static func isPowerOfTwo(_ number: Int) -> Bool { number & (number - 1) == 0 }
}

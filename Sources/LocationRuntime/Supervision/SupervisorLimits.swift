import LocationCore

/// Every bound of the supervision, in one place. What meets one is told in a ``SupervisorNote``.
package enum SupervisorLimits {
  /// The longest line a program may say, except to have a text kept. Sixteen pages: every other answer fits in one.
  package static let lineBytes = 65_536
  /// The longest line by which it has a text kept (rule A11): each byte of the text may stand there as an escape of six,
  /// as `\u0041` (RFC 8259, section 7). 1,024 bytes are left for what else is in the line.
  package static let preservationLineBytes = 6 * Limits.preservedBytes + 1_024
  /// How much is read of one program before the others have their turn: what a pipe holds (pipe(7)).
  package static let pieceBytes = 65_536
  /// What may wait to be read by one program: as many records as its outbox holds, of 800 bytes.
  package static let queueBytes = 8_000_000
  /// Reports that may wait for the engine before programs are no longer read.
  package static let reports = 4_096
  /// What is read of one program in a second; one that says more waits in its own writes.
  package static let bytesPerSecond = 16_777_216
  /// What is read of one program's standard error in a second, all of which goes to the log; beyond, it waits as well.
  package static let errorBytesPerSecond = 262_144
  /// Lines that are looked at of one program in a second; beyond, it waits as well.
  package static let linesPerSecond = 16_384
  /// Answers that are taken of one program in a second, more than events can come; beyond, it waits as well.
  package static let answersPerSecond = 128
  /// Sockets that are taken of one program in a second; beyond, it waits as well.
  package static let socketsPerSecond = 16
  /// The longest message with which a program passes a socket.
  package static let tagBytes = 2_048
  /// Events that are known to have been handed to a program that acknowledges none: ten times as many as may be handed
  /// to it at once (`Policy.Configuration.handedLimit`). Of more, the oldest were answered in another way.
  static let handedEvents = 1_000
  /// Answers that are still taken of a program that has ended.
  package static let lastAnswers = 1_024
  /// Answers of one subscriber that are refused with a record in a minute. Beyond, what would be refused does not reach
  /// the engine, so that a program can't fill the history.
  package static let refusalsPerMinute = 10
  /// Refusals, and requests that were tried after ``refusalsPerMinute``, beyond which nothing that it asks for is tried any
  /// more in that minute: a trial takes a snapshot.
  package static let triesPerMinute = 100
  /// Milliseconds between two measurements of the processor time of a program that acknowledges: in a process
  /// group each reads all of /proc.
  package static let measureMilliseconds: Int64 = 1_000
  /// How much of a line that is no answer the log shows, bytes.
  static let sampleBytes = 60
  /// The longest name or id in an answer.
  package static let nameBytes = 1_024
  /// What is still read of a program that has ended, so that its last answers count: what a pipe may hold at most
  /// (/proc/sys/fs/pipe-max-size).
  package static let lastBytes = 1_048_576
  /// Milliseconds until connections are accepted again after there were no descriptors for them.
  package static let pauseMilliseconds: Int64 = 1_000
  /// Milliseconds between two looks at the end of a program that a debugger has to take note of first.
  static let reapMilliseconds: Int64 = 1_000
  /// Milliseconds from SIGTERM to SIGKILL.
  package static let graceMilliseconds: Int64 = 5_000
  /// Milliseconds between two looks whether a program that is to be suspended has read what it was told: our choice,
  /// seldom enough that one that does not read costs 50 looks.
  package static let suspensionLookMilliseconds: Int64 = 20
  /// Milliseconds that it then still runs, to act on what it has read: our choice, for a file that is closed or a few
  /// lines that are said, not for work. For that there are tasks.
  package static let suspensionMomentMilliseconds: Int64 = 50
  /// Milliseconds from the order to suspend to the suspension of a program that does not read: our choice, long enough
  /// for a busy machine, and a fifth of the grace that the user's turning away gives.
  package static let suspensionMilliseconds: Int64 = 1_000
  /// Descriptors of a program, with its children, that are looked at when it is suspended (rules K3 and K6): our choice.
  /// At 20 µs for each, all others wait for less than 0.1 s.
  static let descriptors = 4_096
  /// Milliseconds that a program may run on after closing its standard output before that is told.
  package static let closedMilliseconds: Int64 = 1_000
  /// Programs that may be connected to the socket.
  package static let connections = 256
  /// Programs that may wait for their connection to be taken: as many as the kernel keeps by itself (listen(2)).
  package static let waitingConnections: Int32 = 128
  /// Milliseconds that a program has to say its name once it has connected.
  package static let registerMilliseconds: Int64 = 10_000
  /// Milliseconds from the start of a command to the connection of the program that it is to bring.
  package static let connectMilliseconds: Int64 = 15_000
  /// Milliseconds in which a program that starts itself and has just left may come back: half of the least time of a wake.
  package static let returnMilliseconds: Int64 = 5_000
  /// Milliseconds for the programs of a supervisor before to end, once killed.
  package static let reclaimMilliseconds: Int64 = 5_000
}

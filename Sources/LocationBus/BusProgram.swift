import Glibc

/// The main part of a program that speaks to a bus for the daemon.
package enum BusProgram {
  /// Serves the bus until the input ends, and ends the program where there is no bus.
  ///
  /// - Parameters:
  ///   - name: of the program.
  ///   - command: whose help says what the program is for.
  ///   - kind: Which bus.
  ///   - confidant: The one service of the machine's bus that may send signals to this program alone.
  ///   - tell: Says why there is no bus.
  ///   - serve: Answers the bus and the daemon.
  package static func run(
    _ name: String, see command: String, on kind: MessageBus.Kind, confidant: String = "",
    tell: (MessageBus.Failure) -> Void = { _ in },
    serve: (consuming MessageBus) throws(MessageBus.Failure) -> Void
  ) {
    StartByHand.endProgram(name, see: command)
    _ = signal(SIGPIPE, SIG_IGN)
    do throws(MessageBus.Failure) {
      try serve(MessageBus(kind, confidant: confidant))
    } catch {
      tell(error)
      exit(EX_UNAVAILABLE)
    }
  }
}

import Glibc

/// What a program that has connected to the subscribers' socket says first: `{"register":"NAME","signal":"USR1"}`.
package struct Registration: Hashable, Sendable {
  /// A signal that wakes a program which does not wait for its socket.
  package enum Signal: String, Hashable, Sendable, CaseIterable {
    case usr1 = "USR1"
    case usr2 = "USR2"
    case hup = "HUP"
    case cont = "CONT"

    /// Its number here.
    var number: Int32 {
      switch self {
      case .usr1: SIGUSR1
      case .usr2: SIGUSR2
      case .hup: SIGHUP
      case .cont: SIGCONT
      }
    }
  }

  /// The subscriber it is.
  package var name: String
  /// Sent to it on a wake; nil for none.
  package var signal: Signal?
}

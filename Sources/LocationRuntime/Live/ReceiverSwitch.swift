package import LocationFormats
import Synchronization

/// Whether a link is to keep its connection to gpsd, said from another thread.
package final class ReceiverSwitch: Sendable {
  private let state: Mutex<Bool>
  private let bell: WakePipe

  /// - Throws: ``Failure`` where the machine has no descriptors left.
  package init(isOn: Bool = true) throws(Failure) {
    state = Mutex(isOn)
    bell = try WakePipe()
  }

  /// Becomes readable when it is switched; for `poll`.
  package var readable: Int32 { bell.readEnd }

  /// Whether it is on.
  package var isOn: Bool { state.withLock { $0 } }

  /// Switches it.
  package func turn(on isOn: Bool) {
    state.withLock { $0 = isOn }
    bell.ring()
  }

  /// The bell has been heard; whether it is on.
  package func take() -> Bool {
    bell.silence()
    return isOn
  }
}

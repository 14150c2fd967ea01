import Glibc
import LocationBus

/// Shows one notification on the desktop: `locwatch run` starts it where the settings name no command of their own. It
/// reads one line of JSON from standard input, asks the service of the Desktop Notifications Specification, and waits
/// until the user has opened or closed it. Once the service has it, it writes a line.
///
/// It is a program of its own so that the daemon needs no bus.
@main struct NotifyMain {
  /// The user opened it.
  private static let openedStatus: Int32 = 100
  /// Seconds for which it waits for the user.
  private static let patienceSeconds: UInt64 = 86_400

  static func main() {
    StartByHand.endProgram("locwatch-notify", see: "locwatch notifications")
    guard let line = readLine(), let notification = DesktopNotification(line: line) else { exit(EX_DATAERR) }
    do throws(MessageBus.Failure) {
      let bus = try MessageBus(.session)
      let isOpened = try notification.show(on: bus, within: patienceSeconds) {
        print("shown")
        fflush(nil)
      }
      exit(isOpened ? openedStatus : 0)
    } catch {
      exit(EX_UNAVAILABLE)
    }
  }
}

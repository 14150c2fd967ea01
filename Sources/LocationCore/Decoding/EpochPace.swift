/// Tells when an epoch's last report has come, without waiting for the next epoch where that can be known.
///
/// gpsd sends one report an epoch where it knows a receiver's cycle, else several, of which the last is the most
/// complete (gpsd 3.22, `gpsd.c`, `all_reports`). How many they are hardly changes: once ``agreement`` epochs in a row
/// had the same number, the next epoch is taken to be over with as many reports. Until then, and whenever an epoch
/// turns out otherwise, ``maximumWaitSeconds`` pass before it is over.
package struct EpochPace: Hashable, Sendable {
  /// How long an epoch of which nothing is known stays open: two sentences of 80 characters take 0.17 s at 9600 baud.
  package static let maximumWaitSeconds = 0.2
  /// Epochs of one length after which the next is expected to be as long.
  static let agreement = 3

  private var epoch: UTCTime?
  private var reports = 0
  private var usual = 0
  private var agreeing = 0

  package init() {}

  /// Takes a report of an epoch; whether the epoch is complete with it.
  package mutating func isComplete(with time: UTCTime) -> Bool {
    if time == epoch {
      reports += 1
    } else {
      close()
      epoch = time
      reports = 1
    }
    return agreeing >= Self.agreement && reports == usual
  }

  /// Counts the epoch that another one follows.
  private mutating func close() {
    guard epoch != nil else { return }
    agreeing = reports == usual ? min(agreeing + 1, Self.agreement) : 1
    usual = reports
  }
}

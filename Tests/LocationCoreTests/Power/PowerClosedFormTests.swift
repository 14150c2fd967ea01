import TestSupport
import Testing

@testable import LocationCore

private typealias Fixture = PowerFixture

/// Level V0: what the state machines come to is what a pencil does.
@Suite struct PowerClosedFormTests {
  /// Nordic nRF91: one fix every 120 s takes 2.5 mA on average, one 44.3 mA while it searches; at 3.7 V.
  private static let nRF91Volts = 3.7
  private static let nRF91SearchMilliamperes = 44.3
  private static let nRF91AverageMilliamperes = 2.5
  private static let nRF91PeriodSeconds = 120.0

  @Test func nRF91DutyCycleIsTheSheetsAverageAndItsFixes1Point11Joules() {
    // The sheet does not say how long a search takes: what its average leaves, 6.8 s.
    let search = Self.nRF91AverageMilliamperes / Self.nRF91SearchMilliamperes * Self.nRF91PeriodSeconds
    let profile = Fixture.profile([
      .receiverAcquire: Self.nRF91SearchMilliamperes * Self.nRF91Volts, .hotWindow: 4,
    ])
    var ledger = Fixture.ledger(profile)
    let fixes = 300
    for fix in 0..<fixes {
      let start = Double(fix) * Self.nRF91PeriodSeconds
      ledger.setReceiver(.acquiring, at: Fixture.at(start))
      ledger.setReceiver(.tracking, at: Fixture.at(start + search))
      ledger.setReceiver(.off, at: Fixture.at(start + search))
    }
    let seconds = Double(fixes) * Self.nRF91PeriodSeconds
    ledger.settle(at: Fixture.at(seconds))
    let milliamperes = ledger.joules / seconds / Self.nRF91Volts * 1000
    // Instants are whole microseconds, of which a search of 6.8 s has seven digits.
    #expect(abs(milliamperes / Self.nRF91AverageMilliamperes - 1) < 1e-7)
    #expect(abs(ledger.joules / Double(fixes) - 1.11) < 1.11e-6)
  }

  @Test func m8PowerSaveModeIsTheSheets9Point5Milliamperes() {
    var ledger = Fixture.ledger(.rpi4UbloxM8)
    ledger.setReceiver(.powerSaving, at: Fixture.at(0))
    ledger.settle(at: Fixture.at(3600))
    #expect(abs(ledger.joules / 3600 / 3.0 * 1000 - 9.5) < 9.5e-9)
    #expect(ledger.entries.map(\.component).contains(.receiverPowerSave))
  }

  @Test(
    arguments: [
      (PowerProfile.rpi4UbloxM8, 2.496, 29.0), (.rpiZero2M10, 0.8136, 29.0),
    ]
  )
  func aColdFixCostsWhatTheSheetSaysAndPaysOffAfterHalfAMinute(
    _ profile: PowerProfile, _ joules: Double, _ breakEven: Double
  ) {
    var ledger = Fixture.ledger(profile)
    let seconds = ledger.timeToFixSeconds(at: Fixture.at(0))
    #expect(seconds == profile[.timeToFixCold].value)
    ledger.setReceiver(.acquiring, at: Fixture.at(0))
    ledger.settle(at: Fixture.at(seconds))
    let spent = ledger.entries.filter { $0.component == .receiverAcquiring }.reduce(0) { $0 + $1.joules }
    #expect(abs(spent - joules) < 1e-9)
    let saved = (profile[.receiverTrackStrong].value - profile[.receiverBackup].value) * 1e-3
    #expect(abs(spent / saved - breakEven) < 1)
  }

  @Test func anIsolatedSendIsPromotionAndWholeTail() {
    for (profile, joules) in [
      (PowerProfile.iphoneClass, 6.0), (.androidPixel, 6), (.pinephone, 8), (.rpi4UbloxM8, 0.3),
      (.rpiZero2M10, 0.3), (.vehicleTracker, 5),
    ] {
      var ledger = Fixture.ledger(profile, [])
      ledger.addTransfer("a", kilobytes: 0, rule: .regions, at: Fixture.at(0))
      ledger.settle(at: Fixture.at(60))
      let spent = ledger.entries.filter { $0.component != .receiverBackup }.reduce(0) { $0 + $1.joules }
      #expect(abs(spent / joules - 1) < 0.01, "\(profile.name)")
    }
  }

  @Test func tailsAreUnions() {
    let profile = Fixture.profile([
      .radioPromotion: 1, .radioTail: 1000, .radioTailTime: 10, .radioKilobyte: 0.5,
    ])
    var ledger = Fixture.ledger(profile, [])
    // Sends at 0, 4 and 8 s: one promotion, connected from 0 to 18 s. One at 30 s stands alone.
    for seconds in [0.0, 4, 8, 30] {
      ledger.addTransfer("a", kilobytes: 2, rule: .regions, at: Fixture.at(seconds))
    }
    ledger.settle(at: Fixture.at(100))
    #expect(ledger.seconds(.radioTail) == 28)
    #expect(ledger.use[.radioPromotion] == 2)
    #expect(abs(ledger.joules - (2 * 1 + 28 * 1 + 4 * 2 * 0.5)) < 1e-9)
  }

  @Test func theReceiverLingersOnceForAllAndTheMachineDoesNotWaitForIt() {
    let profile = Fixture.profile([
      .receiverTrackStrong: 100, .receiverTrackWeak: 100, .receiverLinger: 6, .awake: 200, .wake: 0.5,
    ])
    var ledger = Fixture.ledger(profile)
    for start in [0.0, 3, 60] {
      ledger.setReceiver(.tracking, at: Fixture.at(start))
      ledger.setReceiver(.off, at: Fixture.at(start + 1))
    }
    ledger.settle(at: Fixture.at(100))
    #expect(ledger.seconds(.receiverTracking) == 3)
    // From 1 to 3 s, cut short by the next, from 4 to 10 s and from 61 to 67 s.
    #expect(ledger.seconds(.receiverLinger) == 14)
    #expect(ledger.seconds(.machineAwake) == 3)
    #expect(ledger.use[.wake] == 3)
    #expect(ledger.receiverOnSeconds == 17)
  }

  @Test func aMachineThatWakesSlowlyIsAwakeForLess() {
    let profile = Fixture.profile([.awake: 1000, .wake: 3, .wakeTime: 2.5])
    var ledger = Fixture.ledger(profile, [])
    ledger.setRunning([Fixture.user("a")], at: Fixture.at(10))
    ledger.setRunning([], at: Fixture.at(20))
    ledger.setRunning([Fixture.user("a")], at: Fixture.at(30))
    ledger.setRunning([], at: Fixture.at(31))
    ledger.settle(at: Fixture.at(40))
    #expect(ledger.seconds(.machineAwake) == 7.5)
    #expect(abs(ledger.joules - (2 * 3 + 7.5)) < 1e-9)
  }

  @Test func continuousUseIsPowerTimesTime() {
    var ledger = Fixture.ledger(.iphoneClass)
    ledger.setReceiver(.tracking, at: Fixture.at(0))
    ledger.settle(at: Fixture.at(86_400))
    // 100 mW and 150 mW for a day, less the 0.3 s of the one wake, which costs 0.3 J.
    #expect(abs(ledger.joules - (0.1 * 86_400 + 0.15 * (86_400 - 0.3) + 0.3)) < 1e-9)
    #expect(abs(ledger.deviceJoules(overSeconds: 86_400) - ledger.joules - 0.053 * 86_400) < 1e-9)
  }

  @Test func networkLocationIsOnFromAFixOfItsOwnUntilTheReceiverHasOne() {
    let profile = Fixture.profile([
      .networkLocation: 74, .receiverTrackStrong: 100, .receiverTrackWeak: 100, .receiverAcquire: 200,
    ])
    var ledger = Fixture.ledger(profile)
    // A receiver that had no fix is off: only the service is paid for.
    ledger.noteNetworkFix(at: Fixture.at(0))
    ledger.noteNetworkFix(at: Fixture.at(60))
    ledger.setReceiver(.tracking, at: Fixture.at(100))
    // One that had a fix searches beside the service.
    ledger.noteNetworkFix(at: Fixture.at(200))
    ledger.setReceiver(.off, at: Fixture.at(230))
    ledger.settle(at: Fixture.at(1000))
    #expect(ledger.seconds(.networkLocation) == 130)
    #expect(ledger.seconds(.receiverTracking) == 100)
    #expect(ledger.seconds(.receiverAcquiring) == 30)
    #expect(ledger.use[.wifiScan] == 0)
    #expect(abs(ledger.joules - (130 * 0.074 + 100 * 0.1 + 30 * 0.2)) < 1e-9)
    #expect(abs(ledger.joules(of: "a") - ledger.joules) < 1e-9)
  }

  @Test func withoutAPowerOfTheServiceEachNetworkFixIsAScanAndAReading() {
    var ledger = Fixture.ledger(Fixture.profile([.wifiScan: 0.5, .cellRead: 0.1]), ["a", "b"])
    for seconds in [0.0, 20, 40] { ledger.noteNetworkFix(at: Fixture.at(seconds)) }
    ledger.settle(at: Fixture.at(100))
    #expect(ledger.use[.wifiScan] == 3)
    #expect(ledger.use[.cellRead] == 3)
    #expect(ledger.seconds(.networkLocation) == 0)
    #expect(abs(ledger.joules - 3 * 0.6) < 1e-9)
    #expect(abs(ledger.joules(of: "b") - 0.9) < 1e-9)
  }

  @Test func whatNobodyAskedForIsSharedByNobody() {
    var ledger = Fixture.ledger(Fixture.profile([.networkLocation: 50]), [])
    ledger.noteNetworkFix(at: Fixture.at(0))
    ledger.settle(at: Fixture.at(10))
    #expect(abs(ledger.joules(of: PowerLedger.shared) - 0.5) < 1e-9)
  }
}

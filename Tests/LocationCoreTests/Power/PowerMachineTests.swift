import Testing

@testable import LocationCore

private typealias Fixture = PowerFixture

/// The state machines, each alone.
@Suite struct PowerMachineTests {
  private static let profile = PowerFixture.profile([
    .hotWindow: 4, .receiverLinger: 6, .wakeTime: 2.5, .radioPromotionTime: 0.5, .radioTailTime: 10,
  ])

  /// A receiver that had fixes from `from` to `to`, and is off.
  private static func receiver(from: Double, to: Double) -> ReceiverMachine {
    var receiver = ReceiverMachine()
    receiver.ask(.acquiring, at: Fixture.at(0), profile)
    receiver.ask(.tracking(.strong), at: Fixture.at(from), profile)
    receiver.ask(.off, at: Fixture.at(to), profile)
    receiver.fire(at: Fixture.at(to + 6))
    return receiver
  }

  @Test func aReceiverThatKnowsNothingStartsCold() {
    var receiver = ReceiverMachine()
    receiver.ask(.acquiring, at: Fixture.at(0), Self.profile)
    #expect(receiver.state == .acquiring(.cold))
    receiver.isAided = true
    receiver.ask(.off, at: Fixture.at(5), Self.profile)
    receiver.ask(.acquiring, at: Fixture.at(6), Self.profile)
    #expect(receiver.state == .acquiring(.aided))
  }

  @Test(
    arguments: [
      (hours: 0.5, ReceiverStart.hot), (3.9, .hot), (4.1, .warm), (24 * 20, .warm), (24 * 31, .cold),
    ]
  )
  func howItStartsFollowsFromTheAgeOfWhatItKnows(_ hours: Double, _ start: ReceiverStart) {
    let receiver = Self.receiver(from: 30, to: 100)
    #expect(receiver.startKind(at: Fixture.at(100 + hours * 3600), Self.profile) == start)
  }

  @Test func fixesOfAFewSecondsEachNeverRenewTheOrbits() {
    var brief = Self.receiver(from: 30, to: 100)
    var long = brief
    for hour in stride(from: 1.0, through: 4, by: 1) {
      for (seconds, isBrief) in [(10.0, true), (40, false)] {
        let start = hour * 3600
        var receiver = isBrief ? brief : long
        receiver.ask(.acquiring, at: Fixture.at(start), Self.profile)
        receiver.ask(.tracking(.strong), at: Fixture.at(start + 2), Self.profile)
        receiver.ask(.off, at: Fixture.at(start + 2 + seconds), Self.profile)
        receiver.fire(at: Fixture.at(start + 100))
        if isBrief { brief = receiver } else { long = receiver }
      }
    }
    let later = Fixture.at(4.2 * 3600)
    #expect(brief.startKind(at: later, Self.profile) == .warm)
    #expect(long.startKind(at: later, Self.profile) == .hot)
  }

  @Test func aReceiverLingersAfterFixesAndNotAfterASearch() {
    var receiver = ReceiverMachine()
    receiver.ask(.acquiring, at: Fixture.at(0), Self.profile)
    receiver.ask(.off, at: Fixture.at(3), Self.profile)
    #expect(receiver.state == .off)
    receiver.ask(.tracking(.weak), at: Fixture.at(4), Self.profile)
    receiver.ask(.off, at: Fixture.at(10), Self.profile)
    #expect(receiver.state == .lingering)
    #expect(receiver.deadline == Fixture.at(16))
    receiver.fire(at: Fixture.at(15.9))
    #expect(receiver.state == .lingering)
    receiver.fire(at: Fixture.at(16))
    #expect(receiver.state == .off)
    #expect(receiver.deadline == nil)
  }

  @Test func aReceiverAskedForAgainWhileItLingersGoesOn() {
    var receiver = ReceiverMachine()
    receiver.ask(.tracking(.strong), at: Fixture.at(0), Self.profile)
    receiver.ask(.off, at: Fixture.at(10), Self.profile)
    receiver.ask(.tracking(.strong), at: Fixture.at(12), Self.profile)
    #expect(receiver.state == .tracking(.strong))
    #expect(receiver.deadline == nil)
  }

  @Test func aMachineWakesOnceHoweverManyNeedItAndSleepsWhenNobodyDoes() {
    var host = HostMachine()
    #expect(host.term == nil)
    let wakes = host.need(true, at: Fixture.at(0), Self.profile)
    #expect(wakes)
    #expect(host.state == .waking)
    #expect(host.term == nil)
    let wakesAgain = host.need(true, at: Fixture.at(1), Self.profile)
    #expect(!wakesAgain)
    host.fire(at: Fixture.at(2.5))
    #expect(host.state == .awake)
    #expect(host.term == .awake)
    _ = host.need(false, at: Fixture.at(9), Self.profile)
    #expect(host.state == .suspended)
  }

  @Test func aWakeThatNobodyNeedsAnyMoreRunsItsCourse() {
    var host = HostMachine()
    _ = host.need(true, at: Fixture.at(0), Self.profile)
    _ = host.need(false, at: Fixture.at(1), Self.profile)
    #expect(host.state == .waking)
    _ = host.need(true, at: Fixture.at(2), Self.profile)
    _ = host.need(false, at: Fixture.at(2.2), Self.profile)
    host.fire(at: Fixture.at(2.5))
    #expect(host.state == .suspended)
  }

  @Test func aTransferPromotesAnIdleRadioAndProlongsATail() {
    var radio = RadioMachine()
    let first = radio.transfer(seconds: 2, at: Fixture.at(0), Self.profile)
    #expect(first)
    #expect(radio.state == .promoting)
    radio.fire(at: Fixture.at(0.5), Self.profile)
    #expect(radio.state == .active)
    #expect(radio.deadline == Fixture.at(2.5))
    radio.fire(at: Fixture.at(3), Self.profile)
    #expect(radio.state == .tail)
    #expect(radio.deadline == Fixture.at(12.5))
    let inTail = radio.transfer(seconds: 1, at: Fixture.at(12), Self.profile)
    #expect(!inTail)
    #expect(radio.state == .active)
    radio.fire(at: Fixture.at(13), Self.profile)
    #expect(radio.deadline == Fixture.at(23))
    radio.fire(at: Fixture.at(30), Self.profile)
    #expect(radio.state == .idle)
    let anew = radio.transfer(seconds: 0, at: Fixture.at(31), Self.profile)
    #expect(anew)
  }
}

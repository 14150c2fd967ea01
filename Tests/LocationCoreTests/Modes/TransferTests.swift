import TestSupport
import Testing

@testable import LocationCore

/// Section I: when a transfer runs, what is told of it, and what ends it.
@Suite struct TransferTests {
  private static func stage(_ state: SubscriberState = .active) -> Stage {
    var stage = Stage()
    // No mode is needed, nor any right to know the position.
    stage.add(Subscriber(name: "a", services: [], authorization: .denied), state, at: 0)
    return stage
  }

  private static func transfer(
    _ session: String = "maps", discretionary: Bool = false, launches: Bool = true, metered: Bool = false
  ) -> SubscriberEvent {
    var terms = TransferTerms(session: session)
    terms.isDiscretionary = discretionary
    terms.launchesEvents = launches
    terms.metered = metered
    return .mode(.transfer(terms))
  }

  private static func done(_ number: Int, bytes: Int = 1000) -> SubscriberEvent {
    .mode(.transferEnded(number: number, .done, bytes: bytes))
  }

  // MARK: I1

  @Test func `I1 four run at once, and the next when one has ended`() {
    var stage = Self.stage()
    for _ in 1...6 { stage.say(1, Self.transfer()) }
    #expect(stage.transferOrders == ["start 1", "start 2", "start 3", "start 4"])
    stage.say(2, Self.done(2))
    #expect(stage.transferOrders.last == "start 5")
    #expect(stage.transferRecords.last == "transfer.start 5")
    #expect(stage.engine.transfers(of: "a").map(\.number) == [1, 3, 4, 5, 6])
  }

  @Test func `I1 one that waits to be tried again gives up its place, and is told of once`() {
    var stage = Self.stage()
    for _ in 1...6 { stage.say(1, Self.transfer()) }
    for number in 1...4 { stage.say(2, .mode(.transferBroke(number: number, retrySeconds: 10))) }
    #expect(stage.transferOrders.suffix(2) == ["start 5", "start 6"])
    #expect(stage.engine.transfers(of: "a").map(\.isRunning) == [false, false, false, false, true, true])
    stage.wait(until: 11)
    #expect(stage.transferOrders.last == "start 6")
    // Four places, the oldest first.
    stage.wait(until: 12)
    #expect(stage.transferOrders.suffix(2) == ["start 1", "start 2"])
    stage.say(13, Self.done(5))
    #expect(stage.transferOrders.last == "start 3")
    let begun = stage.transferRecords.filter { $0.hasPrefix("transfer.start") }
    #expect(begun == (1...6).map { "transfer.start \($0)" })
  }

  @Test func `I1 one that waits to be tried again begins when what it met is over, and ends in time`() {
    var stage = Self.stage()
    stage.say(1, Self.transfer())
    stage.say(1, Self.transfer())
    stage.say(2, .mode(.transferBroke(number: 1, retrySeconds: 3600)))
    stage.take(3, .machine(.network(.unreachable)))
    #expect(stage.transferRecords.suffix(2) == (1...2).map { "transfer.wait \($0) waits_for_network" })
    // It was paused.
    stage.say(3, .mode(.transferBroke(number: 2, retrySeconds: 3600)))
    stage.take(4, .machine(.network(.free)))
    #expect(stage.transferOrders.suffix(2) == ["start 1", "start 2"])
    stage.wait(until: 604_800)
    stage.say(604_800, .mode(.transferBroke(number: 1, retrySeconds: 3600)))
    stage.wait(until: 604_801)
    #expect(stage.transferOrders.suffix(2) == ["cancel 1", "cancel 2"])
    #expect(stage.transferRecords.suffix(2) == (1...2).map { "transfer.failed \($0) expired" })
  }

  @Test func `I1 I2 as many are open and run, and they wait as long, as is set`() {
    var stage = Stage {
      $0.policy.transfers.openLimit = 2
      $0.policy.transfers.runningLimit = 1
      $0.policy.transfers.expirySeconds = 1000
      $0.policy.transfers.answerSeconds = 60
    }
    stage.add(Subscriber(name: "a", services: [], authorization: .denied), .active, at: 0)
    for _ in 1...3 { stage.say(1, Self.transfer()) }
    #expect(stage.log() == ["refuse I1 active>active too_many_transfers"])
    #expect(stage.transferOrders == ["start 1"])
    stage.say(10, .mode(.transferAsks(number: 1)))
    stage.wait(until: 69)
    #expect(!stage.transferRecords.contains("transfer.failed 1 unanswered"))
    stage.wait(until: 70)
    #expect(stage.transferRecords.contains("transfer.failed 1 unanswered"))
    stage.wait(until: 1000)
    #expect(!stage.transferRecords.contains("transfer.failed 2 expired"))
    stage.wait(until: 1001)
    #expect(stage.transferRecords.last == "transfer.failed 2 expired")
  }

  @Test func `I1 the 1001st is refused, and so is one that is not there`() {
    var stage = Self.stage()
    for _ in 1...1000 { stage.say(1, Self.transfer()) }
    stage.say(2, Self.transfer())
    #expect(stage.log() == ["refuse I1 active>active too_many_transfers"])
    stage.say(3, .mode(.cancelTransfer(number: 2000)))
    #expect(stage.log().last == "refuse I1 active>active unknown_transfer")
    stage.say(4, .mode(.answerTransfer(number: 1)))
    #expect(stage.log().last == "refuse I2 active>active unknown_transfer")
  }

  @Test(arguments: [Subscriber.Style.resident, .socket])
  func `I1 a program that does not run asks for none, unless it has connected by itself`(
    style: Subscriber.Style
  ) {
    var stage = Stage()
    var subscriber = Subscriber(name: "a", services: [], authorization: .denied)
    subscriber.style = style
    stage.add(subscriber, .notRunning, at: 0)
    stage.say(1, Self.transfer())
    #expect(stage.log() == (style == .socket ? [] : ["refuse I1 notRunning>notRunning not_running"]))
    #expect(stage.transferOrders == (style == .socket ? ["start 1"] : []))
  }

  @Test func `I1 after seven days it has failed`() {
    var stage = Self.stage()
    stage.take(0, .machine(.network(.unreachable)))
    stage.say(1, Self.transfer())
    #expect(stage.transferRecords == ["transfer.wait 1 waits_for_network"])
    stage.wait(until: 604_800)
    #expect(stage.transferRecords.count == 1)
    stage.wait(until: 604_801)
    #expect(stage.transferRecords.last == "transfer.failed 1 expired")
    #expect(stage.engine.transfers(of: "a").isEmpty)
  }

  @Test(arguments: [true, false])
  func `I2 the last of a session that is cancelled lets the program hear of the others`(launches: Bool) {
    var stage = Self.stage()
    stage.say(1, Self.transfer(launches: launches))
    stage.say(1, Self.transfer(launches: launches))
    stage.say(2, .background)
    stage.say(20, Self.done(1))
    #expect(stage.log().last == "defer I1 suspended>suspended suspended")
    stage.say(50, .mode(.cancelTransfer(number: 2)))
    #expect(
      stage.log().suffix(2)
        == (launches
          ? [
            "drop I3 suspended>suspended cancelled", "wake I2 suspended>background transfers_done",
          ]
          : [
            "defer I1 suspended>suspended suspended", "drop I3 suspended>suspended cancelled",
          ]))
    stage.wait(until: 60)
    #expect(stage.engine.subscriber("a")?.waiting.count == (launches ? 0 : 1))
  }

  @Test func `I2 what a cancelled transfer asked for is dropped with it`() {
    var stage = Self.stage()
    stage.say(1, Self.transfer())
    stage.say(2, .background)
    stage.say(3, .backgroundDelivery(false))
    stage.say(20, .mode(.transferAsks(number: 1)))
    #expect(stage.log().last == "defer B8 suspended>suspended background_delivery_off")
    stage.say(30, .mode(.cancelTransfer(number: 1)))
    #expect(stage.log().suffix(2) == Array(repeating: "drop I3 suspended>suspended cancelled", count: 2))
    stage.say(40, .backgroundDelivery(true))
    #expect(stage.engine.subscriberState("a") == .suspended)
  }

  // MARK: I1a

  @Test(
    arguments: [
      (MachineEvent.network(.metered), MachineEvent.network(.free), "waits_for_network"),
      (.supply(PowerSupply(isOnBattery: true, percent: 90)), .supply(.mains), "waits_for_power"),
      (.lowPower(true), .lowPower(false), "low_power"),
      (.memoryPressure(.warning), .memoryPressure(.none), "pressure"),
    ] as [(MachineEvent, MachineEvent, String)])
  func `I1a a discretionary one is paused by what it has to wait for, and goes on`(
    begin: MachineEvent, end: MachineEvent, reason: String
  ) {
    var stage = Self.stage()
    stage.say(1, Self.transfer(discretionary: true))
    stage.say(1, Self.transfer(metered: true))
    #expect(stage.transferOrders == ["start 1", "start 2"])
    stage.take(2, .machine(begin))
    #expect(stage.transferOrders.last == "pause 1")
    #expect(stage.transferRecords.last == "transfer.wait 1 \(reason)")
    stage.take(3, .machine(end))
    #expect(stage.transferOrders.suffix(2) == ["pause 1", "start 1"])
    #expect(stage.transferRecords.count == 4)
  }

  @Test func `I1a what begins in the background is discretionary always`() {
    var stage = Self.stage()
    stage.take(0, .machine(.supply(PowerSupply(isOnBattery: true))))
    stage.say(1, Self.transfer())
    stage.say(2, .background)
    stage.say(3, Self.transfer())
    #expect(stage.transferOrders == ["start 1"])
    #expect(stage.engine.transfers(of: "a").map(\.obstacle) == [nil, .waitsForPower])
  }

  // MARK: I2

  @Test(arguments: [SubscriberState.suspended, .notRunning])
  func `I2 one wake or relaunch when the session has ended, with all results in order`(
    state: SubscriberState
  ) throws {
    var stage = Self.stage()
    for _ in 1...3 { stage.say(1, Self.transfer()) }
    stage.say(1, Self.transfer("other"))
    if state == .suspended { stage.say(2, .background) } else { stage.say(2, .exited(status: 1)) }
    stage.wait(until: 10)
    #expect(stage.state() == state)
    stage.say(11, Self.done(2))
    stage.say(12, Self.done(1))
    #expect(stage.launches().isEmpty)
    stage.say(13, .mode(.transferEnded(number: 3, .failed(.status, status: 404), bytes: 0)))
    let launches = stage.launches()
    #expect(launches.map(\.session) == ["maps"])
    #expect(launches.first?.kind == "transfer")
    #expect(launches.first?.cause == .transferSession)
    #expect(launches.first?.budgetSeconds == 30)
    #expect(stage.handed().count == 3)
    #expect(stage.handed() == stage.handed().sorted())
    let word = state == .suspended ? "wake" : "relaunch"
    #expect(stage.log().contains("\(word) I2 \(state)>background transfers_done"))
    stage.wait(until: 30)
    #expect(stage.state() == .suspended)
    // The other session has not ended.
    #expect(stage.engine.transfers(of: "a").map(\.number) == [4])
  }

  @Test func `I2 a running one is told each as it comes`() {
    var stage = Self.stage()
    for _ in 1...2 { stage.say(1, Self.transfer()) }
    stage.say(2, Self.done(1))
    #expect(stage.handed().count == 1)
    stage.say(3, Self.done(2))
    #expect(stage.handed().count == 2)
    #expect(stage.launches().isEmpty)
  }

  @Test func `I2 without launch events results are kept until it runs`() {
    var stage = Self.stage()
    stage.say(1, Self.transfer(launches: false))
    stage.say(2, .background)
    stage.wait(until: 10)
    stage.say(11, Self.done(1))
    stage.wait(until: 1000)
    #expect(stage.launches().isEmpty)
    stage.say(1001, .foreground)
    #expect(stage.handed().count == 1)
  }

  @Test(arguments: [true, false])
  func `I2 one that wants its program woken counts, whichever of the session ends last`(isCancelled: Bool) {
    var stage = Self.stage()
    stage.say(1, Self.transfer())
    stage.say(1, Self.transfer(launches: false))
    stage.say(2, .background)
    stage.wait(until: 10)
    stage.say(11, Self.done(1))
    #expect(stage.launches().isEmpty)
    stage.say(12, isCancelled ? .mode(.cancelTransfer(number: 2)) : Self.done(2))
    #expect(stage.log().contains("wake I2 suspended>background transfers_done"))
    #expect(stage.handed().count == (isCancelled ? 1 : 2))
    // The next session of that name wants nothing of it.
    stage.say(12.05, Self.transfer(launches: false))
    stage.wait(until: 20)
    stage.say(21, Self.done(3))
    #expect(stage.log().last == "defer I1 suspended>suspended suspended")
  }

  @Test func `I2 credentials are asked for, and an hour without an answer is a failure`() {
    var stage = Self.stage()
    stage.say(1, Self.transfer())
    stage.say(1, Self.transfer())
    stage.say(2, .background)
    stage.wait(until: 10)
    stage.say(11, .mode(.transferAsks(number: 1)))
    #expect(stage.log().contains("wake I2 suspended>background needs_answer"))
    #expect(stage.engine.transfers(of: "a").map(\.needsAnswer) == [true, false])
    stage.say(11.05, .mode(.answerTransfer(number: 1)))
    #expect(stage.transferOrders.last == "start 1")
    stage.wait(until: 20)
    stage.say(21, .mode(.transferAsks(number: 2)))
    stage.wait(until: 3620)
    #expect(!stage.transferRecords.contains("transfer.failed 2 unanswered"))
    stage.wait(until: 3621)
    #expect(stage.transferRecords.contains("transfer.failed 2 unanswered"))
  }

  @Test func `I1 I2 credentials that are refused again and again are tried after growing waits`() {
    var stage = Self.stage()
    stage.say(1, Self.transfer())
    var second = 2.0
    for wait in [0.0, 1, 2, 4, 8] {
      stage.say(second, .mode(.transferAsks(number: 1)))
      stage.say(second, .mode(.answerTransfer(number: 1)))
      let orders = stage.transferOrders.count
      if wait > 0 {
        stage.wait(until: second + wait - 0.01)
        #expect(stage.transferOrders.count == orders)
        stage.wait(until: second + wait)
        #expect(stage.transferOrders.count == orders + 1)
      }
      #expect(stage.transferOrders.last == "start 1")
      second += wait + 1
    }
  }

  // MARK: I3

  @Test func `I3 a force-quit cancels all, and nothing comes after it`() {
    var stage = Self.stage()
    for _ in 1...3 { stage.say(1, Self.transfer()) }
    stage.say(2, .quit)
    #expect(stage.log().filter { $0 == "drop I3 notRunning>notRunning cancelled" }.count == 3)
    #expect(stage.transferOrders.suffix(3) == ["cancel 1", "cancel 2", "cancel 3"])
    let count = stage.effects.records.count
    stage.say(3, Self.done(1))
    #expect(stage.effects.records.count == count)
    #expect(stage.engine.transfers(of: "a").isEmpty)
  }

  @Test func `I3 so does another user or directory, but nothing else in the manifest`() throws {
    var stage = Self.stage()
    stage.say(1, Self.transfer())
    var subscriber = try #require(stage.engine.subscriber("a")?.subscriber)
    subscriber.command = ["/bin/other"]
    subscriber.confinement = Subscriber.Confinement()
    subscriber.confinement?.memoryMaxBytes = 1 << 20
    stage.take(2, .addSubscriber(subscriber, .notRunning))
    #expect(stage.engine.transfers(of: "a").map(\.number) == [1])
    subscriber.confinement?.user = "nobody"
    stage.take(3, .addSubscriber(subscriber, .notRunning))
    #expect(stage.transferOrders.last == "cancel 1")
    #expect(stage.engine.transfers(of: "a").isEmpty)
    stage.say(3, .foreground)
    stage.say(4, Self.transfer())
    subscriber.directory = "/elsewhere"
    stage.take(5, .addSubscriber(subscriber, .notRunning))
    #expect(stage.transferOrders.last == "cancel 2")
  }

  @Test(arguments: ["/elsewhere", nil] as [String?])
  func `I2 I3 what had ended of a session is told when another directory cancels the rest`(
    directory: String?
  ) throws {
    var stage = Self.stage()
    for session in ["maps", "maps", "maps", "other"] { stage.say(1, Self.transfer(session)) }
    stage.say(2, .background)
    stage.wait(until: 10)
    stage.say(11, Self.done(2))
    var subscriber = try #require(stage.engine.subscriber("a")?.subscriber)
    subscriber.directory = directory
    stage.take(12, .addSubscriber(subscriber, .suspended))
    #expect(stage.launches().map(\.session) == (directory == nil ? [] : ["maps"]))
    #expect(stage.handed().count == (directory == nil ? 0 : 1))
  }

  @Test func `I3 a force-quit starts nothing for what had ended`() {
    var stage = Self.stage()
    for _ in 1...2 { stage.say(1, Self.transfer()) }
    stage.say(2, .background)
    stage.wait(until: 10)
    stage.say(11, Self.done(1))
    stage.say(12, .quit)
    #expect(stage.launches().isEmpty)
    #expect(stage.state() == .notRunning)
  }

  @Test func `I3 so does removing the subscriber, but no exit, crash or reboot`() {
    var stage = Self.stage()
    stage.say(1, Self.transfer())
    stage.say(2, .exited(status: 1))
    stage.take(3, .machine(.reboot))
    #expect(stage.engine.transfers(of: "a").map(\.isRunning) == [true])
    stage.take(4, .removeSubscriber(name: "a"))
    #expect(stage.transferOrders.last == "cancel 1")
    #expect(stage.log().last == "drop I3 notRunning>notRunning cancelled")
  }

  @Test func `I1 one that ended before anybody said what it carried has no bytes`() {
    var stage = Self.stage()
    for _ in 1...3 { stage.say(1, Self.transfer()) }
    stage.say(2, .mode(.transferEnded(number: 1, .failed(.tooLarge), bytes: 7)))
    stage.say(2, .mode(.transferEnded(number: 2, .failed(.address), bytes: nil)))
    stage.wait(until: 604_801)
    let failed = stage.effects.records.compactMap { record in
      if case .transfer(let transfer) = record.body, transfer.event == .failed { transfer } else { nil }
    }
    #expect(failed.map(\.reason) == [.tooLarge, .address, .expired])
    #expect(failed.map(\.bytes) == [7, nil, nil])
  }

  @Test
  func
    `I2 a result that was handed over is handed to the next process when the last of its session is cancelled`()
  {
    var stage = Self.stage()
    stage.hanging = ["a"]
    for _ in 1...2 { stage.say(1, Self.transfer()) }
    stage.say(11, Self.done(1))
    stage.say(12, .background)
    stage.say(20, .mode(.cancelTransfer(number: 2)))
    stage.wait(until: 42)
    #expect(stage.log().contains { $0.hasPrefix("terminate K2") })
    stage.hanging = []
    stage.wait(until: 60)
    #expect(stage.log().contains { $0.hasPrefix("relaunch ") })
  }

  @Test(arguments: [TransferOutcome.done, .failed(.tooLarge)])
  func `M6 what a transfer carried is booked under its rule`(outcome: TransferOutcome) {
    var stage = Self.stage()
    stage.say(1, Self.transfer())
    stage.say(5, .mode(.transferEnded(number: 1, outcome, bytes: 1_000_000)))
    stage.take(30, .end)
    let radio = Self.radio(stage)
    #expect(radio.first { $0.component == .radioActive }?.seconds == 4 - Self.promotionSeconds)
    #expect(radio.allSatisfy { $0.subscriber == "a" && $0.rule == .transfer })
  }

  @Test(
    arguments: [
      ("cancelled", .subscriber(name: "a", .mode(.cancelTransfer(number: 1))), 4),
      ("paused", .machine(.network(.unreachable)), 4),
      ("force-quit", .subscriber(name: "a", .quit), 4),
      ("without its daemon", .machine(.absent(true)), 4),
      ("open to the end", .subscriber(name: "a", .background), 29),
    ] as [(String, Event, Double)])
  func `M6 a transfer pays for the time for which it ran`(_ what: String, _ event: Event, seconds: Double) {
    var stage = Self.stage()
    stage.say(1, Self.transfer())
    stage.take(5, event)
    stage.take(30, .end)
    let active = Self.radio(stage).first { $0.component == .radioActive }
    #expect(active?.seconds == seconds - Self.promotionSeconds, "\(what)")
  }

  /// What the default profile takes for it, whose energy covers the time.
  private static let promotionSeconds = 0.1

  private static func radio(_ stage: borrowing Stage) -> [PowerEntry] {
    stage.effects.records.compactMap { record in
      if case .power(let entry) = record.body, entry.component.rawValue.hasPrefix("radio") {
        entry
      } else {
        nil
      }
    }
  }
}

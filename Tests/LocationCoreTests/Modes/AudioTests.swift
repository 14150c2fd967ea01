import Foundation
import TestSupport
import Testing

@testable import LocationCore

/// Section F: audio that goes on in the background.
@Suite struct AudioTests {
  private static func stage(_ modes: Subscriber.Modes = .audio, others: [String] = []) -> Stage {
    var stage = Stage()
    for name in ["a"] + others {
      stage.add(Subscriber(name: name, services: [.regions], modes: modes), .active, at: 0)
    }
    return stage
  }

  /// A program whose session has sounded since 1 s, and that is in the background from 2 s on.
  private static func inBackground() -> Stage {
    var stage = stage()
    stage.say(1, begin())
    stage.say(2, .background)
    return stage
  }

  private static func begin(_ kind: AudioKind = .play, mixes: Bool = false) -> SubscriberEvent {
    .mode(.audio(.begin(kind, mixes: mixes)))
  }

  private static func level(_ decibels: Double) -> SubscriberEvent {
    .mode(.audio(.level(decibels: decibels)))
  }

  // MARK: F1, F2

  @Test func `F1 a session that sounds holds off suspension without end, and its end is suspension at once`()
  {
    var stage = Self.inBackground()
    stage.wait(until: 7_200)
    #expect(stage.state() == .background)
    stage.say(7_200, .mode(.audio(.end(token: 1))))
    #expect(stage.state() == .suspended)
    #expect(
      stage.log() == ["hold F1 active>active audio_playing", "suspend A2 background>suspended audio_ended"])
    #expect(stage.audio() == [])
  }

  @Test func `F1 an end within the grace waits for it, and an unknown token changes nothing`() {
    var stage = Self.inBackground()
    stage.say(3, .mode(.audio(.end(token: 2))))
    #expect(stage.log().last == "refuse F1 background>background unknown_audio")
    stage.say(4, .mode(.audio(.end(token: 1))))
    stage.wait(until: 6.9)
    #expect(stage.state() == .background)
    stage.wait(until: 7)
    #expect(stage.state() == .suspended)
  }

  @Test func `F1 who runs no code can't begin`() {
    var stage = Self.stage()
    stage.say(1, .background)
    stage.wait(until: 10)
    stage.say(10, Self.begin())
    #expect(stage.log().last == "refuse F1 suspended>suspended suspended")
  }

  @Test func `F2 without the mode the move to the background ends it, and there it can't begin`() {
    var stage = Self.stage([])
    stage.say(1, Self.begin())
    stage.say(2, .background)
    #expect(stage.log().last == "refuse F2 background>background no_mode")
    #expect(stage.audio() == ["audio_ended 1"])
    stage.say(3, Self.begin())
    #expect(stage.log().last == "refuse F2 background>background no_mode")
    stage.wait(until: 7)
    #expect(stage.state() == .suspended)
  }

  // MARK: F3

  @Test func `F3 after 30 s of quiet it holds nothing off`() {
    var stage = Self.inBackground()
    stage.say(100, Self.level(-70))
    stage.say(120, Self.level(-20))
    stage.say(200, Self.level(-61))
    stage.say(220, Self.level(-80))
    stage.wait(until: 229.9)
    #expect(stage.state() == .background)
    stage.wait(until: 230)
    #expect(stage.audio() == ["audio_silent 1"])
    #expect(
      stage.log().suffix(2) == [
        "warn F3 background>background audio_silent", "suspend A2 background>suspended audio_silent",
      ])
  }

  @Test func `F3 F4 how quiet, for how long, and how long an interruption may be, is as set`() {
    func stage() -> Stage {
      var stage = Stage {
        $0.policy.audio.quietDecibels = -20
        $0.policy.audio.silenceSeconds = 3
        $0.policy.audio.interruptionSeconds = 8
      }
      for name in ["a", "b"] {
        stage.add(Subscriber(name: name, services: [.regions], modes: .audio), .active, at: 0)
      }
      stage.say(1, Self.begin())
      stage.say(2, .background)
      return stage
    }
    var quiet = stage()
    quiet.say(10, Self.level(-20))
    quiet.wait(until: 20)
    #expect(quiet.state() == .background)
    quiet.say(20, Self.level(-21))
    quiet.wait(until: 22.9)
    #expect(quiet.state() == .background)
    quiet.wait(until: 23)
    #expect(quiet.state() == .suspended)
    var interrupted = stage()
    interrupted.say(10, Self.begin(), of: "b")
    interrupted.wait(until: 17.9)
    #expect(interrupted.state() == .background)
    interrupted.wait(until: 18)
    #expect(interrupted.state() == .suspended)
  }

  @Test func `F3 sounding again while it still runs takes the assertion back`() {
    var stage = Self.stage()
    stage.say(1, Self.begin())
    stage.say(1, Self.level(-90))
    stage.say(30, .beginTask(name: "t"))
    stage.say(30, .background)
    stage.wait(until: 31)
    #expect(stage.audio() == ["audio_silent 1"])
    stage.say(40, Self.level(-10))
    stage.say(41, .endTask(token: 1))
    stage.wait(until: 1_000)
    #expect(stage.state() == .background)
    #expect(stage.log().contains("hold F3 background>background audio_playing"))
  }

  @Test
  func `F3 heard while suspended it takes the assertion back in the foreground: nothing interrupted it`() {
    var stage = Self.inBackground()
    stage.say(100, Self.level(-80))
    stage.wait(until: 131)
    #expect(stage.state() == .suspended)
    stage.say(200, Self.level(-10))
    stage.say(300, .foreground)
    #expect(stage.log().last == "hold F3 active>active audio_playing")
    #expect(stage.audio() == ["audio_silent 1"])
    stage.say(301, .background)
    stage.wait(until: 1_000)
    #expect(stage.state() == .background)
  }

  @Test func `F3 what begins after the program was said to be quiet is quiet until it is heard`() {
    var stage = Self.stage()
    stage.say(1, Self.level(-75))
    stage.say(2, Self.begin())
    stage.say(10, Self.begin())
    stage.say(12, .background)
    stage.wait(until: 39.9)
    #expect(stage.audio() == ["audio_silent 1"] && stage.state() == .background)
    stage.wait(until: 40)
    #expect(stage.audio() == ["audio_silent 1", "audio_silent 2"] && stage.state() == .suspended)
  }

  @Test func `F3 a new process is heard until it is said to be quiet`() {
    var stage = Self.stage()
    stage.say(1, Self.level(-75))
    stage.say(2, .exited(status: 0))
    stage.say(3, .foreground)
    stage.say(4, Self.begin())
    stage.say(5, .background)
    stage.wait(until: 500)
    #expect(stage.state() == .background)
  }

  @Test func `F3 F4 quiet that came while the program was suspended counts for what it is given back`() {
    var stage = Self.inBackground()
    stage.say(10, .interrupted(true))
    stage.say(60, Self.level(-75))
    #expect(stage.state() == .suspended)
    stage.say(70, .foreground)
    stage.say(80, .interrupted(false))
    stage.say(90, .background)
    stage.wait(until: 109.9)
    #expect(stage.state() == .background)
    stage.wait(until: 110)
    #expect(stage.audio() == ["audio_interrupted 1", "audio_resumed 1", "audio_silent 1"])
    #expect(stage.state() == .suspended)
  }

  @Test func `F3 F4 quiet during an interruption does not count`() {
    var stage = Self.inBackground()
    stage.say(20, .interrupted(true))
    stage.say(20, Self.level(-1000))
    stage.say(49.5, .interrupted(false))
    stage.say(50.5, Self.level(-10))
    stage.wait(until: 500)
    #expect(stage.state() == .background)
    stage.say(500, Self.level(-90))
    stage.say(510, .interrupted(true))
    stage.say(520, .interrupted(false))
    stage.wait(until: 549.9)
    #expect(stage.state() == .background)
    stage.wait(until: 550)
    #expect(stage.state() == .suspended)
    #expect(stage.audio().filter { $0 == "audio_silent 1" }.count == 1)
  }

  // MARK: F4

  @Test func `F4 in the background it may begin only where all mix`() {
    var stage = Self.stage(others: ["b"])
    stage.say(1, Self.begin(mixes: true), of: "b")
    stage.say(2, .background)
    stage.say(3, Self.begin())
    #expect(stage.log().last == "refuse F4 background>background audio_busy")
    stage.say(4, Self.begin(mixes: true))
    #expect(stage.log().last == "hold F1 background>background audio_playing")
    #expect(stage.audio(of: "b") == [])
  }

  @Test func `F4 the foreground interrupts what does not mix with it, for 30 s, and gives it back`() {
    var stage = Self.stage(others: ["b"])
    stage.say(1, Self.begin())
    stage.say(2, .background)
    stage.say(100, Self.begin(), of: "b")
    #expect(stage.audio() == ["audio_interrupted 1"])
    stage.say(120, .mode(.audio(.end(token: nil))), of: "b")
    #expect(stage.audio() == ["audio_interrupted 1", "audio_resumed 1"])
    stage.wait(until: 1_000)
    #expect(stage.state() == .background)
    stage.say(1_000, Self.begin(), of: "b")
    stage.wait(until: 1_029.9)
    #expect(stage.state() == .background)
    stage.wait(until: 1_030)
    #expect(stage.state() == .suspended)
    stage.say(1_100, .exited(status: 0), of: "b")
    #expect(stage.audio().count == 3, "nothing is told to one that runs no code")
  }

  @Test func `F4 what mixes interrupts nobody, and what does not is interrupted though others mix`() {
    var stage = Self.stage(others: ["b", "c"])
    stage.say(1, Self.begin(mixes: true))
    stage.say(2, Self.begin(mixes: true), of: "b")
    #expect(stage.audio() == [])
    stage.say(3, Self.begin(), of: "c")
    #expect(stage.audio() == ["audio_interrupted 1"] && stage.audio(of: "b") == ["audio_interrupted 1"])
  }

  @Test func `F4 an interruption that is set to hold off nothing suspends at once`() {
    for isCall in [true, false] {
      var stage = Stage { $0.policy.audio.interruptionSeconds = 0 }
      for name in ["a", "b"] {
        stage.add(Subscriber(name: name, services: [.regions], modes: .audio), .active, at: 0)
      }
      stage.say(1, Self.begin())
      stage.say(2, .background)
      if isCall { stage.say(10, .interrupted(true)) } else { stage.say(10, Self.begin(), of: "b") }
      #expect(
        stage.log().suffix(2) == [
          "warn F4 background>background audio_interrupted", "suspend A2 background>suspended idle",
        ])
      #expect(stage.state() == .suspended)
    }
  }

  @Test func `F4 a call interrupts in the background too`() {
    var stage = Self.inBackground()
    stage.say(50, .interrupted(true))
    stage.say(60, .interrupted(false))
    #expect(stage.audio() == ["audio_interrupted 1", "audio_resumed 1"])
    #expect(!stage.log().contains { $0.hasPrefix("refuse") })
    stage.wait(until: 500)
    #expect(stage.state() == .background)
  }

  @Test func `F4 the end of a call is one for a program that was suspended meanwhile, too`() {
    var stage = Self.inBackground()
    stage.say(10, .interrupted(true))
    stage.wait(until: 60)
    #expect(stage.state() == .suspended)
    stage.say(60, .interrupted(false))
    #expect(stage.audio() == ["audio_interrupted 1"], "it runs no code")
    stage.say(100, .foreground)
    #expect(stage.audio() == ["audio_interrupted 1", "audio_resumed 1"])
    stage.say(110, .background)
    stage.wait(until: 500)
    #expect(stage.state() == .background, "it sounds again")
    #expect(!stage.log().contains { $0.hasPrefix("refuse") })
  }

  @Test func `F3 F4 what is given back to a suspended program that is quiet waits to be heard`() {
    var stage = Self.inBackground()
    stage.say(10, .interrupted(true))
    stage.say(20, Self.level(-75))
    stage.wait(until: 60)
    stage.say(60, .interrupted(false))
    stage.say(100, .foreground)
    #expect(stage.audio() == ["audio_interrupted 1"])
    stage.say(105, Self.level(-10))
    #expect(stage.log().last == "hold F3 active>active audio_playing")
    stage.say(110, .background)
    stage.wait(until: 500)
    #expect(stage.state() == .background)
  }

  @Test func `F4 who is given back in the foreground what it lost before interrupts who began meanwhile`() {
    var stage = Self.stage(others: ["b"])
    stage.say(1, Self.begin())
    stage.say(2, .background)
    stage.say(10, .interrupted(true))
    stage.wait(until: 60)
    stage.say(60, .interrupted(false))
    stage.say(70, Self.begin(), of: "b")
    stage.say(71, .background, of: "b")
    stage.say(100, .foreground)
    #expect(stage.audio() == ["audio_interrupted 1", "audio_resumed 1"])
    #expect(stage.audio(of: "b") == ["audio_interrupted 1"])
  }

  @Test func `F4 a call that ends when the user is back with the program is no refused move`() {
    var stage = Self.inBackground()
    stage.say(10, .interrupted(true))
    stage.say(15, .foreground)
    stage.say(20, .interrupted(false))
    #expect(stage.log().last == "hold F4 active>active audio_resumed")
    stage.say(21, .interrupted(false))
    #expect(stage.log().last == "refuse A1 active>active illegal_move", "it is over already")
  }

  @Test func `F4 of two that do not mix only the one in the foreground is given back`() {
    var stage = Self.stage(others: ["b"])
    stage.say(1, Self.begin())
    stage.say(2, .background)
    stage.say(4, Self.begin(), of: "b")
    stage.say(5, .background, of: "b")
    stage.say(6, .foreground)
    stage.say(7, Self.begin())
    stage.say(10, .mode(.audio(.end(token: 2))))
    #expect(stage.audio() == ["audio_interrupted 1", "audio_resumed 1"])
    #expect(stage.audio(of: "b") == ["audio_interrupted 1"])
    stage.say(12, .background)
    stage.say(15, .mode(.audio(.end(token: 1))))
    #expect(stage.audio(of: "b") == ["audio_interrupted 1", "audio_resumed 1"])
  }

  @Test func `F4 of those in the background what was interrupted last is given back first`() {
    var stage = Self.stage(others: ["b", "c"])
    stage.say(1, Self.begin())
    stage.say(2, .background)
    stage.say(3, Self.begin(), of: "b")
    stage.say(4, .background, of: "b")
    stage.say(5, Self.begin(), of: "c")
    stage.say(6, .mode(.audio(.end(token: 1))), of: "c")
    #expect(stage.audio(of: "b") == ["audio_interrupted 1", "audio_resumed 1"])
    #expect(stage.audio() == ["audio_interrupted 1"])
    stage.say(7, .mode(.audio(.end(token: 1))), of: "b")
    #expect(stage.audio() == ["audio_interrupted 1", "audio_resumed 1"])
  }

  @Test(arguments: [false, true])
  func `F4 what mixed beside the foreground before a call does so after it`(isFirst: Bool) {
    // Who comes first in the list of programs makes no difference.
    let (mixing, playing) = isFirst ? ("a", "b") : ("b", "a")
    var stage = Self.stage(others: ["b"])
    stage.say(1, .foreground, of: playing)
    stage.say(2, Self.begin(), of: playing)
    stage.say(3, .background, of: mixing)
    stage.say(4, .foreground, of: mixing)
    stage.say(5, Self.begin(mixes: true), of: mixing)
    for name in ["a", "b"] { stage.say(6, .interrupted(true), of: name) }
    for name in ["a", "b"] { stage.say(20, .interrupted(false), of: name) }
    for name in ["a", "b"] {
      #expect(stage.audio(of: name) == ["audio_interrupted 1", "audio_resumed 1"], "\(name)")
    }
  }

  @Test func `F4 what sounded together is given back together`() {
    var stage = Self.stage(others: ["b", "c"])
    stage.say(1, Self.begin())
    stage.say(2, .background)
    stage.say(3, Self.begin(mixes: true), of: "b")
    stage.say(4, .background, of: "b")
    stage.say(5, Self.begin(), of: "c")
    stage.say(6, .exited(status: 0), of: "c")
    #expect(stage.audio() == ["audio_interrupted 1", "audio_resumed 1"])
    #expect(stage.audio(of: "b") == ["audio_interrupted 1", "audio_resumed 1"])
  }

  @Test func `F4 during a call nothing is given back that does not mix with what the call interrupts`() {
    var stage = Self.stage(others: ["b", "c"])
    stage.say(1, Self.begin())
    stage.say(2, .background)
    stage.say(3, Self.begin(), of: "b")
    stage.say(4, .background, of: "b")
    stage.say(5, .interrupted(true), of: "b")
    stage.say(6, .exited(status: 0), of: "c")
    #expect(stage.audio() == ["audio_interrupted 1"])
    stage.say(7, .interrupted(false), of: "b")
    #expect(stage.audio(of: "b") == ["audio_interrupted 1", "audio_resumed 1"])
    #expect(stage.audio() == ["audio_interrupted 1"])
  }

  @Test
  func `F4 during a call nothing is given back in the background, though what the call interrupts mixes`() {
    var stage = Self.stage(others: ["b", "c"])
    stage.say(1, Self.begin())
    stage.say(2, .background)
    stage.say(4, Self.begin(), of: "b")
    stage.say(6, Self.begin(mixes: true), of: "c")
    for name in ["b", "c"] { stage.say(10, .interrupted(true), of: name) }
    stage.say(12, .mode(.audio(.end(token: 1))), of: "b")
    #expect(stage.audio() == ["audio_interrupted 1"])
    for name in ["b", "c"] { stage.say(20, .interrupted(false), of: name) }
    #expect(stage.audio(of: "c") == ["audio_interrupted 1", "audio_resumed 1"])
    #expect(stage.audio() == ["audio_interrupted 1", "audio_resumed 1"])
  }

  @Test func `F4 a call that comes before one program interrupts what sounds of others, until its end`() {
    var stage = Self.stage(others: ["b"])
    stage.say(1, Self.begin())
    stage.say(2, .background)
    stage.say(4, .interrupted(true), of: "b")
    #expect(stage.audio() == ["audio_interrupted 1"])
    #expect(stage.log(of: "b").last?.hasPrefix("refuse") != true)
    stage.say(20, .interrupted(false), of: "b")
    #expect(stage.audio() == ["audio_interrupted 1", "audio_resumed 1"])
    stage.wait(until: 500)
    #expect(stage.state() == .background)
  }

  @Test func `F4 during a call that interrupts no session none begins in the background, or sounds again`() {
    var stage = Self.stage(others: ["b"])
    stage.say(1, Self.begin())
    stage.say(1, Self.level(-90))
    stage.say(2, .beginTask(name: "x"))
    stage.say(20, .background)
    stage.wait(until: 35)
    #expect(stage.audio() == ["audio_silent 1"])
    stage.say(36, .interrupted(true), of: "b")
    stage.say(37, Self.level(-5))
    #expect(stage.audio() == ["audio_silent 1", "audio_interrupted 1"])
    stage.say(38, Self.begin(mixes: true))
    #expect(stage.log().last == "refuse F4 background>background audio_busy")
    stage.say(40, .interrupted(false), of: "b")
    #expect(stage.audio() == ["audio_silent 1", "audio_interrupted 1", "audio_resumed 1"])
  }

  @Test func `F4 no call outlives a reboot, and that of a subscriber that is removed goes on for the others`()
  {
    var stage = Self.stage(others: ["b"])
    stage.say(4, .interrupted(true), of: "b")
    stage.take(5, .machine(.reboot))
    stage.say(10, .foreground)
    stage.say(11, Self.begin())
    stage.say(12, .background)
    stage.say(13, .foreground, of: "b")
    stage.say(14, .interrupted(true), of: "b")
    #expect(stage.audio() == ["audio_interrupted 1"])
    stage.take(15, .removeSubscriber(name: "b"))
    #expect(stage.audio() == ["audio_interrupted 1"])
    stage.say(20, .interrupted(false))
    #expect(stage.audio() == ["audio_interrupted 1", "audio_resumed 1"])
  }

  @Test func `F4 a call outlives the program that it came before`() {
    var stage = Self.stage(others: ["b"])
    stage.say(1, Self.begin())
    stage.say(2, .background)
    stage.say(4, .interrupted(true), of: "b")
    stage.say(5, .exited(status: 1), of: "b")
    #expect(stage.audio() == ["audio_interrupted 1"])
    stage.say(20, .interrupted(false), of: "b")
    #expect(stage.audio() == ["audio_interrupted 1", "audio_resumed 1"])
  }

  @Test func `F4 during a call nobody begins in the background, though all mix`() {
    var stage = Self.stage(others: ["b"])
    stage.say(1, Self.begin(mixes: true))
    stage.say(2, .background)
    stage.say(2, .background, of: "b")
    stage.say(3, .interrupted(true))
    for name in ["a", "b"] {
      stage.say(4, Self.begin(mixes: true), of: name)
      #expect(stage.log(of: name).last == "refuse F4 background>background audio_busy")
    }
    stage.say(5, .interrupted(false))
    stage.say(6, Self.begin(mixes: true), of: "b")
    #expect(stage.log(of: "b").last == "hold F1 background>background audio_playing")
  }

  @Test func `F4 who began in the foreground during a call goes on at its end`() {
    var stage = Self.stage(others: ["b"])
    stage.say(1, Self.begin())
    stage.say(2, .background)
    stage.say(5, .interrupted(true))
    stage.say(6, Self.begin(), of: "b")
    stage.say(10, .interrupted(false))
    #expect(stage.audio() == ["audio_interrupted 1"])
    #expect(stage.audio(of: "b") == [])
    stage.say(15, .mode(.audio(.end(token: 1))), of: "b")
    #expect(stage.audio() == ["audio_interrupted 1", "audio_resumed 1"])
  }

  @Test func `F4 who is given back at the end of a call in the foreground interrupts who began meanwhile`() {
    var stage = Self.stage(others: ["b"])
    stage.say(2, Self.begin())
    stage.say(3, .interrupted(true))
    stage.say(5, Self.begin(), of: "b")
    stage.say(6, .background, of: "b")
    stage.say(20, .interrupted(false))
    #expect(stage.audio() == ["audio_interrupted 1", "audio_resumed 1"])
    #expect(stage.audio(of: "b") == ["audio_interrupted 1"])
  }

  @Test func `F4 what a suspended program had interrupted is given back at the end of a call`() {
    var stage = Self.stage(others: ["b"])
    stage.say(2, Self.begin())
    stage.say(4, Self.begin(), of: "b")
    stage.say(5, .interrupted(true), of: "b")
    stage.say(6, .background, of: "b")
    stage.wait(until: 59)
    #expect(stage.state(of: "b") == .suspended)
    #expect(stage.audio() == ["audio_interrupted 1"])
    stage.say(60, .interrupted(false), of: "b")
    #expect(stage.audio() == ["audio_interrupted 1", "audio_resumed 1"])
    #expect(stage.audio(of: "b") == ["audio_interrupted 1"])
    // The user is back with the other, which then sounds in its place again.
    stage.say(70, .foreground, of: "b")
    #expect(stage.audio(of: "b") == ["audio_interrupted 1", "audio_resumed 1"])
    #expect(stage.audio() == ["audio_interrupted 1", "audio_resumed 1", "audio_interrupted 1"])
  }

  @Test func `F3 F4 who sounds again in the foreground interrupts who began meanwhile`() {
    var stage = Self.stage(others: ["b"])
    stage.say(1, Self.begin())
    stage.say(2, Self.level(-75))
    stage.wait(until: 40)
    stage.say(41, .background, of: "b")
    stage.say(42, Self.begin(), of: "b")
    #expect(stage.log(of: "b").last == "hold F1 background>background audio_playing")
    stage.say(50, Self.level(-10))
    #expect(stage.audio(of: "b") == ["audio_interrupted 1"])
    stage.say(60, .mode(.audio(.end(token: 1))))
    #expect(stage.audio(of: "b") == ["audio_interrupted 1", "audio_resumed 1"])
  }

  // MARK: F5

  @Test func `F5 remote control wakes whose session was last, and a session in that time takes over`() throws
  {
    var stage = Self.stage(others: ["b"])
    stage.say(1, Self.begin(mixes: true))
    stage.say(2, Self.begin(mixes: true), of: "b")
    stage.say(3, .background, of: "b")
    stage.say(4, .mode(.audio(.end(token: 1))), of: "b")
    stage.wait(until: 100)
    #expect(stage.state(of: "b") == .suspended)
    stage.answerSeconds = 3
    stage.take(100, .machine(.audioCommand("play")))
    #expect(stage.log(of: "b").last == "wake F5 suspended>background audio_command")
    let launch = try #require(stage.launches(of: "b").last)
    #expect(launch.kind == "audio" && launch.budgetSeconds == 10)
    stage.say(101, Self.begin(mixes: true), of: "b")
    stage.wait(until: 1_000)
    #expect(stage.state(of: "b") == .background)
    #expect(stage.log(of: "a").count == 1, "nobody else is called")
  }

  @Test func `F5 M1 a program without the mode, or that is gone, takes the remote control from nobody`() {
    var stage = Self.stage(others: ["b", "c"])
    stage.add(Subscriber(name: "d"), .active, at: 0)
    for (second, name) in ["b", "a", "c", "d"].enumerated() {
      stage.say(Double(1 + second), Self.begin(mixes: true), of: name)
    }
    var player = stage.engine.audioPlayer
    #expect(player == "c")
    stage.take(10, .removeSubscriber(name: "c"))
    player = stage.engine.audioPlayer
    #expect(player == "a", "it began after b")
    stage.take(11, .machine(.audioCommand("pause")))
    #expect(stage.log().last == "deliver F5 active>active foreground")
    stage.take(12, .addSubscriber(Subscriber(name: "a"), .active))
    player = stage.engine.audioPlayer
    #expect(player == "b")
    stage.say(13, .exited(status: 0), of: "b")
    player = stage.engine.audioPlayer
    #expect(player == "b", "it is relaunched")
  }

  @Test func `F5 who had the last session is known from what an earlier version wrote`() throws {
    var stage = Self.stage(others: ["b"])
    stage.say(1, Self.begin(mixes: true), of: "b")
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let written = String(decoding: try encoder.encode(stage.engine.snapshot.state.policy), as: UTF8.self)
    let old = #"{"lastAudio":"b","# + written.replacing(#""begun":1,"#, with: "").dropFirst()
    #expect(!old.contains("begun"))
    let policy = try JSONDecoder().decode(Policy.self, from: Data(old.utf8))
    #expect(policy.lastAudio == "b")
  }

  @Test func `F5 it relaunches, but not after a force-quit`() {
    var stage = Self.stage()
    stage.say(1, Self.begin())
    stage.say(2, .exited(status: 0))
    stage.take(10, .machine(.audioCommand("play")))
    #expect(stage.log().last == "relaunch F5 notRunning>background audio_command")
    stage.wait(until: 20)
    stage.say(20, .quit)
    stage.take(30, .machine(.audioCommand("play")))
    #expect(stage.log().last == "defer A7 notRunning>notRunning force_quit")
  }

  @Test func `A7 M4 a relaunch for a move hands over no command that came after a force-quit`() throws {
    var stage = Stage()
    stage.add(Subscriber(name: "a", services: [.significantChange], modes: .audio), .active, at: 0)
    stage.fix(0, east: 0)
    stage.say(1, Self.begin())
    stage.say(5, .quit)
    stage.take(13, .machine(.audioCommand("play")))
    #expect(stage.log().last == "defer A7 notRunning>notRunning force_quit")
    let command = try #require(stage.effects.decisions.last?.event)
    stage.fix(600, east: 2000)
    #expect(stage.log().contains("relaunch A7 notRunning>background force_quit_location"))
    #expect(stage.launches().last?.budgetSeconds == 10)
    stage.wait(until: 700)
    #expect(stage.state() == .suspended)
    #expect(!stage.handed().contains(command))
    // Another event comes through all the same.
    let count = stage.handed().count
    stage.fix(1200, east: 4000)
    stage.wait(until: 1300)
    #expect(stage.handed().count == count + 1 && stage.state() == .suspended)
    stage.say(1400, .foreground)
    #expect(stage.handed().last == command)
  }

  /// A program in the background whose session has ended, and that was handed `play` at 60 s and does not answer.
  private static func stageWithCommand() -> Stage {
    var stage = inBackground()
    stage.say(3, .mode(.audio(.end(token: 1))))
    stage.wait(until: 50)
    stage.hanging = ["a"]
    stage.take(60, .machine(.audioCommand("play")))
    return stage
  }

  @Test func `F5 M2 of commands that a process was handed, only the latest waits for the next`() {
    var stage = Self.stageWithCommand()
    stage.take(65, .machine(.audioCommand("pause")))
    let handed = stage.handed()
    #expect(handed.count == 2)
    stage.wait(until: 72)
    #expect(stage.log().contains("terminate K2 background>notRunning budget_over"))
    #expect(stage.log().contains("drop F5 notRunning>notRunning merged"))
    #expect(stage.handed() == handed + handed.suffix(1))
  }

  @Test func `F5 a session that begins acknowledges the command`() throws {
    var stage = Self.stageWithCommand()
    let command = try #require(stage.handed().last)
    stage.say(61, Self.begin())
    #expect(stage.engine.subscriber("a")?.waiting == [])
    stage.wait(until: 100)
    #expect(stage.state() == .background, "it sounds")
    let late = SubscriberEvent.acknowledged(event: command, coreSeconds: 0.1)
    var isGivenBack = stage.engine.isGivenBack(by: late, of: "a")
    #expect(isGivenBack)
    stage.say(100, late)
    isGivenBack = stage.engine.isGivenBack(by: late, of: "a")
    #expect(!isGivenBack, "only once")
    stage.say(110, .mode(.audio(.end(token: 2))))
    stage.wait(until: 500)
    #expect(stage.log().last == "suspend A2 background>suspended audio_ended", "nothing waits")
    #expect(stage.handed() == [command])
  }

  @Test func `F5 L1 an acknowledgment that comes after the session is booked like one before it`() {
    func joules(isLate: Bool) -> Double? {
      var stage = Self.inBackground()
      stage.say(3, .mode(.audio(.end(token: 1))))
      stage.answerSeconds = 2
      stage.take(60, .machine(.audioCommand("play")))
      stage.say(isLate ? 61 : 63, Self.begin())
      stage.wait(until: 70)
      let runs = stage.engine.ledger.entries.filter { $0.component == .subscriberRun }
      return runs.first { $0.rule == .remoteControl }?.joules
    }
    #expect(joules(isLate: true) == joules(isLate: false))
    #expect(joules(isLate: true) != nil)
  }

  // MARK: F6

  @Test func `F6 recording needs the microphone, and its withdrawal is an end`() {
    var stage = Self.stage()
    stage.say(0, .mode(.audio(.permitMicrophone(false))))
    stage.say(1, Self.begin(.record))
    #expect(stage.log().last == "refuse F6 active>active not_permitted")
    stage.say(2, .mode(.audio(.permitMicrophone(true))))
    stage.say(3, Self.begin(.both))
    stage.say(4, .background)
    stage.wait(until: 100)
    stage.say(100, .mode(.audio(.permitMicrophone(false))))
    #expect(stage.audio() == ["audio_ended 1"])
    #expect(stage.log().contains("warn F6 background>background not_permitted"))
    #expect(stage.state() == .suspended)
  }

  // MARK: Other rules

  @Test func `A4 who sounds is ended last`() {
    var stage = Self.stage(others: ["b"])
    for (name, bytes) in [("a", 2_000_000), ("b", 1_000)] as [(String, Int64)] {
      stage.say(1, .memory(bytes: bytes), of: name)
    }
    stage.say(1, Self.begin())
    stage.say(2, .background)
    stage.say(2, .beginTask(name: "t"), of: "b")
    stage.say(2, .background, of: "b")
    stage.take(3, .machine(.memoryPressure(.critical)))
    stage.wait(until: 8)
    #expect(stage.state(of: "b") == .notRunning && stage.state() == .background)
    stage.wait(until: 20)
    #expect(stage.state() == .notRunning)
  }

  @Test(arguments: [SubscriberEvent.exited(status: 1), .quit])
  func `F1 the end of its process ends its sessions`(_ end: SubscriberEvent) {
    var stage = Self.stage(others: ["b"])
    stage.say(1, Self.begin(), of: "b")
    stage.say(2, Self.begin())
    stage.say(3, end)
    #expect(stage.audio(of: "b") == ["audio_interrupted 1", "audio_resumed 1"])
    stage.say(4, .foreground)
    stage.say(5, .background)
    stage.wait(until: 11)
    #expect(stage.state() == .suspended)
  }

  @Test func `F1 a snapshot keeps sessions`() throws {
    var stage = Self.stage()
    stage.say(1, Self.begin())
    stage.say(1, Self.level(-80))
    stage.say(2, .background)
    let snapshot = stage.engine.snapshot
    var engine = try Engine(restoring: snapshot)
    var effects: [Effect] = []
    engine.advance(to: Drive.instant(31), into: &effects)
    #expect(effects.decisions.map(\.reason) == [.audioSilent, .audioSilent])
  }

  @Test(arguments: [true, false])
  func `F4 one that was silent in the background may not sound beside one that does not mix`(mixes: Bool) {
    var stage = Self.stage(others: ["b"])
    stage.say(0, Self.begin(mixes: mixes), of: "b")
    stage.say(1, Self.level(-90), of: "b")
    stage.say(32, .beginTask(name: "t"), of: "b")
    stage.say(32, .background, of: "b")
    stage.say(33, Self.begin(mixes: mixes))
    stage.say(35, Self.level(-3), of: "b")
    let isHeld = stage.log(of: "b").last == "hold F3 background>background audio_playing"
    #expect(isHeld == mixes)
    #expect(stage.audio(of: "b").last == (mixes ? "audio_silent 1" : "audio_interrupted 1"))
    stage.say(40, .mode(.audio(.end(token: 1))))
    #expect(stage.audio(of: "b").last == (mixes ? "audio_silent 1" : "audio_resumed 1"))
  }
}

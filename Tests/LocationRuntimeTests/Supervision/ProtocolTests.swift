import Foundation
import LocationCore
import Testing

@testable import LocationFormats
@testable import LocationRuntime

/// The parts of the supervision that need no process.
@Suite struct ProtocolTests {
  @Test(
    arguments: [
      (#"{"ack":17}"#, .acknowledge(event: 17)),
      (#" {"note":[1,{}],"ack":17.0} "#, .acknowledge(event: 17)),
      (#"{"done":true}"#, .done),
      (#"{"begin_task":"up\u006Coad"}"#, .beginTask(name: "upload")),
      (#"{"end_task":7}"#, .endTask(token: 7)),
      (#"{"start":"significant-change"}"#, .request(.start(.significantChange))),
      (#"{"stop":"visits"}"#, .request(.stop(.visits))),
      (#"{"locate":30}"#, .locate(seconds: 30)), (#"{"locate":-1}"#, .request(.invalid("locate"))),
      (#"{"locate":1e9}"#, .request(.invalid("locate"))),
      (#"{"state_of":"home"}"#, .request(.stateOf(region: "home"))),
      (#"{"remaining":true}"#, .request(.remaining)), (#"{"remaining":1}"#, .request(.invalid("remaining"))),
      (#"{"register":"home"}"#, .register(Registration(name: "home"))),
      (#"{"signal":"USR1","register":"home"}"#, .register(Registration(name: "home", signal: .usr1))),
      (#"{"register":"home","signal":"CONT"}"#, .register(Registration(name: "home", signal: .cont))),
      (#"{"register":"home","signal":"KILL"}"#, .request(.invalid("signal"))),
      (#"{"signal":"USR1"}"#, .request(.invalid("signal"))),
      (#"{"register":""}"#, .request(.invalid("register"))),
      ("", nil), ("{}", nil), ("[]", nil), ("null", nil), ("{", nil), ("ack 17", nil), (#"{"ack":17}}"#, nil),
      (#"{"ack":"17"}"#, .request(.invalid("ack"))), (#"{"ack":-1}"#, .request(.invalid("ack"))),
      (#"{"ack":1.5}"#, .request(.invalid("ack"))), (#"{"ack":1e300}"#, .request(.invalid("ack"))),
      (#"{"ack":null}"#, .request(.invalid("ack"))), (#"{"done":false}"#, .request(.invalid("done"))),
      (#"{"ack":1,"done":true}"#, .request(.invalid("done"))),
      (#"{"begin_task":""}"#, .request(.invalid("begin_task"))),
      (#"{"start":"everything"}"#, .request(.invalid("start"))),
      (#"{"end_task":{}}"#, .request(.invalid("end_task"))),
      ("{\"state_of\":\"\u{0}\"}", nil), (#"{"stop":"nonsense"}"#, .request(.invalid("stop"))),
      (#"{"level":"info","msg":"x"}"#, .unknown("level")),
      (#"{"strat":"visits","ack":"x"}"#, .request(.invalid("ack"))),
      (#"{"strat":}"#, nil),
    ] as [(String, SubscriberAnswer?)])
  func `an answer is understood, refused, or none`(line: String, answer: SubscriberAnswer?) {
    #expect(SubscriberAnswer(line: Array(line.utf8)) == answer)
  }

  @Test(
    arguments: [
      (#"{"notify":{"title":"Tea","after_s":5}}"#, tea(.after(seconds: 5))),
      (#"{"notify":{"title":"Tea","now":true}}"#, tea(.now)),
      (#"{"notify":{"title":"Tea","now":true,"soundd":"default"}}"#, .request(.invalid("notify"))),
      (#"{"begin_audio":{"kind":"play","mix":true}}"#, .request(.invalid("begin_audio"))),
      (
        #"{"open_accessory":{"session":"s","device":"/dev/null","bauds":5}}"#,
        .request(.invalid("open_accessory"))
      ),
      (#"{"advertise":{"type":"_a._tcp","port":80,"txt":"a"}}"#, .request(.invalid("advertise"))),
      (#"{"notify":{"title":"Tea","on":"exit","region":"home"}}"#, tea(.region(id: "home", isLeft: true))),
      (#"{"notify":{"title":"Tea","wall":"1970-01-01T00:01"}}"#, tea(.wall(WallTime(seconds: 60)))),
      (
        #"{"notify":{"title":"Tea","at":"1970-01-01T00:01:00Z"}}"#,
        tea(.at(UTCTime(microseconds: 60_000_000)))
      ),
      (#"{"notify":{"title":"Tea"}}"#, .request(.invalid("notify"))),
      (#"{"notify":{"title":"","now":true}}"#, .request(.invalid("notify"))),
      (#"{"notify":{"title":"Tea","now":true,"after_s":5}}"#, .request(.invalid("notify"))),
      (#"{"notify":{"title":"Tea","now":false}}"#, .request(.invalid("notify"))),
      (#"{"notify":{"title":"Tea","after_s":5,"repeat":"fortnight"}}"#, .request(.invalid("notify"))),
      (#"{"notify":{"title":"Tea","now":true,"repeat":"day"}}"#, .request(.invalid("notify"))),
      (#"{"notify":{"title":"Tea","wall":"noon"}}"#, .request(.invalid("notify"))),
      (
        #"{"notify":{"title":"Tea","wall":"1970-01-01T00:01","zone":"Mars/Base"}}"#,
        .request(.invalid("notify"))
      ),
      (#"{"notify":{"title":"Tea","now":true,"tolerance_s":3601}}"#, .request(.invalid("notify"))),
      (#"{"notify":[]}"#, .request(.invalid("notify"))),
      (#"{"notify":{"title":7}}"#, .request(.invalid("notify"))), (#"{"notify":{"title":}}"#, nil),
      (#"{"cancel_notification":"tea"}"#, .mode(.cancelNotification(id: "tea"))),
      (#"{"cancel_notifications":true}"#, .mode(.cancelNotifications)),
      (#"{"notifications":true}"#, .request(.notifications)),
      (#"{"fetched":"newData"}"#, .mode(.fetched(.newData, bytes: nil))),
      (#"{"push_token":true}"#, .request(.pushToken)),
      (#"{"push_token":false}"#, .request(.invalid("push_token"))),
      (#"{"fetched":"much"}"#, .request(.invalid("fetched"))),
      (
        #"{"advertise":{"type":"_x._tcp","port":8080}}"#,
        .mode(.advertise(AdvertisedService(type: "_x._tcp", port: 8080)))
      ),
      (
        #"{"advertise":{"type":"_x._tcp","port":0}}"#,
        .mode(.advertise(AdvertisedService(type: "_x._tcp", port: 0)))
      ),
      (#"{"advertise":{"type":"_x._tcp","port":65536}}"#, .request(.invalid("advertise"))),
      (#"{"advertise":{"type":"_x._tcp"}}"#, .request(.invalid("advertise"))),
      (#"{"advertise":{"type":"x","port":80}}"#, .request(.invalid("advertise"))),
      (#"{"advertise":7}"#, .request(.invalid("advertise"))), (#"{"advertise":"#, nil),
    ] as [(String, SubscriberAnswer?)])
  func `what a program says to a mode is understood, refused, or no answer`(
    line: String, answer: SubscriberAnswer?
  ) { #expect(SubscriberAnswer(line: Array(line.utf8)) == answer) }

  @Test(arguments: ["x", #"\u0041"#, #"\n"#, "é"])
  func `A11 a text of 64 KiB is kept however it is written, and a longer one is refused`(letter: String) {
    let count = Limits.preservedBytes / (letter == "é" ? 2 : 1)
    let text = String(repeating: letter, count: count)
    let line = Array(#"{"preserve":"\#(text)"}"#.utf8)
    #expect(line.count <= SupervisorLimits.preservationLineBytes)
    let kept = if case .preserve(let text)? = SubscriberAnswer(line: line) { text.utf8.count } else { 0 }
    #expect(kept == Limits.preservedBytes)
    let longer = SubscriberAnswer(line: Array(#"{"preserve":"\#(text)x"}"#.utf8))
    #expect(longer == .request(.invalid("preserve")))
  }

  @Test(
    arguments: [
      (#""soundd":"default""#, "a notification has no \"soundd\""),
      (#""badge":-1"#, "badge: not a number from 0 to 1,000,000"),
      (#""tolerance_s":3601"#, "tolerance_s: not a number from 0 to 3,600"),
      (#""sound":"""#, "sound: a name has 1 to 1024 bytes"),
      (#""body":7"#, "body: not a text"),
      (#""once":"no""#, "once: neither true nor false"),
      ("\"data\":\"\(String(repeating: "x", count: 4095))\"", "data: more than 4096 bytes"),
      (#""zone":"Mars/Base""#, "zone: \"Mars/Base\" is no time zone that this machine knows"),
      (#""after_s":-1"#, "after and now exclude each other"),
      (#""repeat":"day""#, "now and repeat exclude each other"),
    ])
  func `a notification is refused with what is wrong with it`(member: String, what: String) throws {
    let tree = try JSONTree(Array(#"{"title":"Tea","now":true,\#(member)}"#.utf8))
    let failure = #expect(throws: Failure.self) { try NotificationAnswer.notification(tree) }
    #expect(failure?.what == what)
  }

  @Test func `D2 the calendar does not repeat the notification of a region`() throws {
    let tree = try JSONTree(Array(#"{"title":"Tea","region":"home","repeat":"day"}"#.utf8))
    let failure = #expect(throws: Failure.self) { try NotificationAnswer.notification(tree) }
    #expect(failure?.what == "region and repeat exclude each other")
    #expect(failure?.remedy == "give once: false to show it each time")
  }

  static func tea(_ when: LocalNotification.When) -> SubscriberAnswer? {
    .mode(.notify(LocalNotification(title: "Tea", when: when)))
  }

  @Test func `reports that belong together are taken together, and the bell rings for the rest`() throws {
    let mailbox = try SupervisorMailbox()
    let exits = (0..<5).map { SupervisorReport.event(subscriber: "\($0)", .exited(status: 1)) }
    mailbox.report(Array(exits[..<3]))
    mailbox.report(Array(exits[3...]))
    var reports: [SupervisorReport] = []
    mailbox.take(into: &reports, upTo: 2)
    #expect(reports == Array(exits[..<3]))
    #expect(mailbox.heardEnds(of: "0") == 1 && mailbox.heardEnds(of: "3") == 0)
    #expect(PollSet.wait(on: mailbox.reportBell.readEnd, atMost: 0) != 0)
    mailbox.take(into: &reports, upTo: 2)
    #expect(reports == exits)
    #expect(mailbox.heardEnds(of: "0") == 1 && mailbox.heardEnds(of: "3") == 1)
    #expect(PollSet.wait(on: mailbox.reportBell.readEnd, atMost: 0) == 0)
  }

  @Test func `the exit of a program whose end was ordered is no news`() throws {
    let mailbox = try SupervisorMailbox()
    var reports: [SupervisorReport] = []
    let exit = SupervisorReport.event(subscriber: "a", .exited(status: 1))
    mailbox.report([exit, .event(subscriber: "b", .exited(status: 2))])
    mailbox.post(.perform(.terminate(subscriber: "a"), recordLine: []))
    mailbox.report([exit])
    mailbox.take(into: &reports)
    #expect(reports == [.event(subscriber: "b", .exited(status: 2))])
    var commands: [SupervisorCommand] = []
    mailbox.takeCommands(into: &commands)
    mailbox.report([exit])
    mailbox.take(into: &reports)
    #expect(reports.count == 2)
  }

  @Test(
    arguments: [
      ("0::/", "/sys/fs/cgroup"),
      ("12:memory:/a\n0::/system.slice/locwatch.service", "/sys/fs/cgroup/system.slice/locwatch.service"),
      ("12:memory:/a", nil), ("0::/../elsewhere", nil), ("", nil),
    ] as [(String, String?)])
  func `the own cgroup is found in the unified tree`(own: String, path: String?) throws {
    let mounts = """
      30 23 0:26 / /proc rw - proc proc rw
      31 24 0:27 /../x /odd rw - cgroup2 cgroup2 rw
      32 24 0:27 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate
      """
    #expect((try? CgroupParent.ownPath(mountInfo: mounts, ownCgroups: own)) == path)
  }

  @Test func `a mount of a part of the tree shows that part`() throws {
    let mounts = "32 24 0:27 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw"
    #expect(try CgroupParent.ownPath(mountInfo: mounts, ownCgroups: "0::/docker/1") == "/sys/fs/cgroup")
    #expect(try CgroupParent.ownPath(mountInfo: mounts, ownCgroups: "0::/docker/1/a") == "/sys/fs/cgroup/a")
    #expect(throws: CgroupParent.Absence.self) {
      try CgroupParent.ownPath(mountInfo: mounts, ownCgroups: "0::/docker/12")
    }
  }

  @Test(arguments: ["logger", "../..", "a/b", "cgroup.procs", "Zoë %41", "%", "-_", "."])
  func `a name makes a file name and comes back`(name: String) {
    let file = CgroupParent.fileName(of: name)
    #expect(file.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_%".contains($0)) })
    #expect(file.removingPercentEncoding == name)
  }

  @Test func `a process of any name is read`() throws {
    let numbers = (4...52).map(String.init).joined(separator: " ")
    let status = try #require(ProcessStatus(stat: "12 (a) b (c) T 3 \(numbers)\n"))
    #expect(status.state == "T")
    #expect(status.group == 4)
    #expect(status.ticks == 13 + 14 + 15 + 16)
    #expect(status.start == 21)
    #expect(ProcessStatus(stat: "12 (a") == nil)
  }

  @Test func `each name has a file of its own, however long`() {
    let long = String(repeating: "n", count: 300)
    let names = [
      "a", String(long.prefix(251)), String(long.prefix(252)), long, long + "a",
      String(repeating: "/", count: 200),
    ]
    let files = names.map { CgroupParent.fileName(of: $0) + RunFile.ending }
    #expect(files.allSatisfy { $0.utf8.count <= 255 && !$0.contains("/") })
    #expect(Set(files).count == names.count)
    #expect(CgroupParent.fileName(of: names[1]) == names[1])
  }
}

package import LocationCore
package import LocationFormats

/// Where a supervisor keeps what it needs.
package struct SupervisorConfiguration: Sendable {
  /// A directory of its own, mode 0700, made where it is missing. It outlives the process, and is how the programs
  /// of a supervisor that was killed are found.
  package var runDirectory: String
  /// How the directory below the own cgroup begins that holds one for each subscriber; the run directory's number
  /// follows.
  package var cgroupName = "locwatch"
  /// Below it the program of a manifest without a directory has its own; nil for nowhere.
  package var filesDirectory: String?
  /// Where programs connect that are no children of ours, the subscribers of style `socket`; nil for nowhere.
  package var socketPath: String?
  /// Whether cgroups are used where they can be.
  package var usesCgroups = true
  /// Milliseconds from SIGTERM to SIGKILL.
  package var graceMilliseconds = SupervisorLimits.graceMilliseconds
  /// What programs have in their environment, as `KEY=VALUE`; nil for what this process has.
  package var environment: [String]?
}

/// What a program is told when the user launches it or returns to it.
package struct UserLaunch: Hashable, Sendable {
  /// What the process before asked to be kept (rule A11); nil where nothing was, or none is started.
  package var restored: String?
  /// Seconds for which it was suspended (rule K4); nil where it was not.
  package var sleptSeconds: Double?
  /// The notification that the user opened for that (rule D6); nil where he opened none.
  var opened: Order.Launch?
  /// How many ends of its processes had been heard of by then (``Supervisor/heardEnds(of:)``); nil for as many as when the
  /// supervisor is asked.
  var heardEnds: Int?

  package init(restored: String? = nil, sleptSeconds: Double? = nil) {
    self.restored = restored
    self.sleptSeconds = sleptSeconds
  }

  /// The user opens a notification.
  init(opening launch: Order.Launch) {
    self.init(restored: launch.restored, sleptSeconds: launch.sleptSeconds)
    opened = launch
  }

  /// - Parameter instant: when the user does that.
  init(of view: SubscriberView, at instant: EngineInstant) {
    restored = view.state == .notRunning ? view.preserved : nil
    sleptSeconds = view.suspendedAt.map { $0.seconds(to: instant) }
  }
}

/// Runs the programs of subscribers: carries out the engine's orders and tells what came of them. It decides nothing.
///
/// Everything happens on a thread of its own; no call here waits for a program. Call it from one place, the one that
/// feeds the engine, so that orders and reports are in one order.
///
/// ```swift
/// let supervisor = try Supervisor(configuration)
/// supervisor.add(subscriber)
/// supervisor.perform(order, recordLine: line)
/// supervisor.take(into: &reports)       // when poll says that supervisor.readable is readable
/// ```
package final class Supervisor: Sendable {
  /// Becomes readable when there are reports; for `poll`.
  package var readable: Int32 { mailbox.reportBell.readEnd }
  /// How programs are suspended on this machine.
  package let method: SuspensionMethod
  private let mailbox: SupervisorMailbox

  /// Ends what a supervisor before has left, then starts.
  /// - Throws: ``Failure`` where the run directory can't be used, or the machine has no descriptor or thread left.
  package init(_ configuration: SupervisorConfiguration) throws(Failure) {
    let site = try SupervisorSite(configuration)
    site.reclaim()
    method = site.method
    let mailbox = try SupervisorMailbox()
    self.mailbox = mailbox
    let path = configuration.socketPath
    let listener = try path.map { (path) throws(Failure) in
      try UnixListener(path: path, waiting: SupervisorLimits.waitingConnections)
    }
    let hasStarted = DedicatedThread.start {
      let socket = SubscriberSocket(path: path, listener: listener, site: site) { mailbox.report($0) }
      var loop = SupervisorLoop(mailbox: mailbox, site: site, socket: socket)
      loop.run()
    }
    guard hasStarted else { throw Failure.noThread }
  }

  deinit { mailbox.post(.stop) }

  /// Makes a subscriber known; one of the same name is removed first. Nothing is started.
  package func add(_ subscriber: Subscriber) { mailbox.post(.add(subscriber)) }

  /// Ends a subscriber's process and forgets it.
  package func remove(_ name: String) { mailbox.post(.remove(name: name)) }

  /// Carries out an order of the engine.
  /// - Parameter recordLine: for ``Order/deliver(subscriber:event:_:)`` the event's record as a line of JSON, with or
  ///   without its end; empty for the others.
  package func perform(_ order: Order, recordLine: [UInt8] = []) {
    if case .open(let name, let launch) = order { return userLaunch(name, UserLaunch(opening: launch)) }
    mailbox.post(.perform(order, recordLine: recordLine))
  }

  /// Has all that is asked of the supervisor in `body` reach it at once: a program that is started for something is
  /// handed that before it can say anything.
  package func together<E: Error>(_ body: () throws(E) -> Void) throws(E) {
    mailbox.gather()
    defer { mailbox.release() }
    try body()
  }

  /// Starts or resumes a subscriber for the user, who has been told to the engine as
  /// ``SubscriberEvent/foreground``: for that there is no order. Where its process has ended by then, and that was not
  /// heard of, ``SupervisorReport/missed(subscriber:_:)`` follows.
  package func userLaunch(_ name: String, _ launch: UserLaunch = UserLaunch()) {
    var launch = launch
    launch.heardEnds = launch.heardEnds ?? heardEnds(of: name)
    mailbox.post(.userLaunch(name: name, launch))
  }

  /// How many ends of a subscriber's processes were taken with the reports.
  func heardEnds(of name: String) -> Int { mailbox.heardEnds(of: name) }

  /// Passes a subscriber what can be heard of a characteristic (rule J3), and holds it as long as its session is open.
  package func hold(_ descriptor: Descriptor, as session: String, of name: String) {
    mailbox.post(.hold(name: name, session: session, descriptor))
  }

  /// An event is done, or may no longer be told: a subscriber that was not handed it yet is not handed it any more.
  package func withdraw(_ event: Int, from name: String) {
    mailbox.post(.withdraw(name: name, event: event))
  }

  /// Asks what a subscriber and all it has started take; answered by ``SupervisorReport/usage(subscriber:_:)``.
  package func measure(_ name: String) { mailbox.post(.measure(name: name)) }

  /// Tells a subscriber the answer to something it said.
  package func answer(_ name: String, _ reply: SubscriberReply) {
    mailbox.post(.answer(name: name, reply))
  }

  /// Moves what has happened since to the end of `reports`, in the order in which it happened.
  package func take(into reports: inout [SupervisorReport], upTo limit: Int = .max) {
    mailbox.take(into: &reports, upTo: limit)
  }

  /// Begins to end every program; ``readable`` rings when they have ended, and ``hasStopped`` says so.
  package func beginStop() { mailbox.post(.stop) }

  /// Whether every program has ended, and there will be no more reports.
  package var hasStopped: Bool { mailbox.hasEnded }
}

/// What the policy decided for one subscriber, under which rule, and why (rule A9).
public struct Decision: Hashable, Sendable, Codable {
  /// What was decided.
  public enum Action: String, Hashable, Sendable, Codable, CaseIterable {
    /// Handed to a subscriber that runs.
    case deliver
    /// Resumed from suspension to be handed an event.
    case wake
    /// Started in the background to be handed an event.
    case relaunch
    /// Kept for later.
    case `defer`
    /// Kept, and merged with others.
    case coalesce
    /// Not kept.
    case drop
    /// Stopped from running, kept in memory.
    case suspend
    /// Ended.
    case terminate
    /// Ended to free memory.
    case purge
    /// Not allowed.
    case refuse
    /// Told that its time or its memory runs out.
    case warn
    /// Left alone for a while, or no longer.
    case throttle
    /// Shown to the user.
    case notify
    /// Kept running: something holds off its suspension.
    case hold
  }

  /// Why. The raw values are stable: they stand in records and docs.
  public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
    /// It runs in the foreground.
    case foreground
    /// It runs in the background already.
    case running
    /// It was suspended.
    case suspended
    /// It was not running.
    case notRunning = "not_running"
    /// The user had force-quit it; location services relaunch it all the same.
    case forceQuitLocation = "force_quit_location"
    /// The user force-quit it, and nothing may start it before the user does.
    case forceQuit = "force_quit"
    /// Nothing is started before the first unlock after a boot.
    case locked
    /// The first unlock after a boot.
    case firstUnlock = "first_unlock"
    /// Its authorization is `denied`.
    case denied
    /// Waking and relaunching need the authorization `always`.
    case needsAlways = "needs_always"
    /// It opted out of background execution.
    case exitsOnSuspend = "exits_on_suspend"
    /// Nothing holds off suspension any more.
    case idle
    /// It was still running when its time was over.
    case budgetOver = "budget_over"
    /// A finite task was still open when its time was over.
    case taskOpen = "task_open"
    /// The move is not one of those rule A1 allows.
    case illegalMove = "illegal_move"
    /// No such task is open.
    case unknownTask = "unknown_task"
    /// As many events wait for it as may.
    case outboxFull = "outbox_full"
    /// It had been handed the event before and did not acknowledge it.
    case unacknowledged
    /// It had been kept for it.
    case kept
    /// It ended too soon after being started; the next start waits.
    case backOff = "back_off"
    /// The machine is short of memory.
    case memoryPressure = "memory_pressure"
    /// The machine is no longer critically short of memory.
    case pressureOver = "pressure_over"
    /// As many events are handed over at once as may be, or the wake has lasted as long as it may; the rest waits.
    case backlog
    /// A warning: the machine is short of memory.
    case memory
    /// A warning: the time of its open tasks is nearly over.
    case task
    /// A warning: it is ended because it left the foreground.
    case exit
    /// Kept back with others, to be delivered together.
    case batched
    /// As far as updates are kept back, or as many as may be.
    case batchFull = "batch_full"
    /// As long as updates are kept back.
    case batchDue = "batch_due"
    /// It stopped the service for which updates were kept back, or that the event is of.
    case stopped
    /// It may know no more than a coarse position.
    case reduced
    /// It was told its coarse position less than 15 minutes ago.
    case reducedWindow = "reduced_window"
    /// The user lets nothing wake or relaunch it.
    case backgroundDeliveryOff = "background_delivery_off"
    /// The user lets things wake and relaunch it again.
    case backgroundDeliveryOn = "background_delivery_on"
    /// It overran its time again and again.
    case throttled
    /// The time for which it was throttled is over.
    case throttleOver = "throttle_over"
    /// It held a lock that others may wait for.
    case sharedLock = "shared_lock"
    /// As many tasks are open as may be.
    case tooManyTasks = "too_many_tasks"
    /// It took more of the processor than a program in the background may.
    case processor
    /// There is no source of fixes.
    case noSource = "no_source"
    /// No fix came in the time it gave.
    case noFix = "no_fix"
    /// It wants such events at other times of day, or on other days.
    case outsideHours = "outside_hours"
    /// It was handed another event less than its cooldown ago, or one waits for it that came then.
    case cooldown
    /// Its manifest does not declare the mode.
    case noMode = "no_mode"
    /// One of its kind waits already, or a later one came.
    case merged
    /// A keep-alive of less than 600 s, or of more than a day.
    case tooShort = "too_short"
    /// As long as a keep-alive may wait.
    case keepAliveDue = "keep_alive_due"
    /// A keep-alive that may come now, and the machine is awake.
    case keepAliveGrouped = "keep_alive_grouped"
    /// A watched socket has something to read.
    case traffic
    /// The machine has booted.
    case boot
    /// It failed, or was ended by a rule.
    case exitFailed = "exit_failed"
    /// As many sockets are watched for it as may be.
    case tooManySockets = "too_many_sockets"
    /// No socket of that tag is watched for it.
    case unknownSocket = "unknown_socket"
    /// A good moment to fetch has come.
    case goodMoment = "good_moment"
    /// No network that will do can be reached.
    case noNetwork = "no_network"
    /// The machine saves energy.
    case lowPower = "low_power"
    /// The machine is short of memory, critically or not.
    case pressure
    /// The battery is nearly empty.
    case powerLow = "power_low"
    /// It answered what nobody had asked.
    case notAsked = "not_asked"
    /// The time of a notification has come.
    case due
    /// The time of a notification came while nothing could be shown.
    case overdue
    /// The region of a notification was entered.
    case regionEntered = "region_entered"
    /// The region of a notification was left.
    case regionLeft = "region_left"
    /// A notification was asked for at once.
    case now
    /// As many notifications are scheduled as may be.
    case tooManyNotifications = "too_many_notifications"
    /// The user does not permit it.
    case notPermitted = "not_permitted"
    /// There is no such notification.
    case unknownNotification = "unknown_notification"
    /// There is no such region.
    case unknownRegion = "unknown_region"
    /// The region leaves out what a notification waits for.
    case regionSilent = "region_silent"
    /// There is nothing that shows notifications.
    case noNotifier = "no_notifier"
    /// Its audio sounds.
    case audioPlaying = "audio_playing"
    /// Its audio is over.
    case audioEnded = "audio_ended"
    /// Its audio was quiet for too long.
    case audioSilent = "audio_silent"
    /// Something else sounds in place of its audio.
    case audioInterrupted = "audio_interrupted"
    /// What sounded in place of its audio is over.
    case audioResumed = "audio_resumed"
    /// Others sound that do not mix with it, or it has too many sessions.
    case audioBusy = "audio_busy"
    /// The user commands its audio.
    case audioCommand = "audio_command"
    /// No such audio session is open.
    case unknownAudio = "unknown_audio"
    /// A push has come.
    case push
    /// As many pushes without an alert have woken it in this hour as may.
    case pushLimit = "push_limit"
    /// A push of that name was taken in the last day.
    case duplicate
    /// All transfers of a session have ended.
    case transfersDone = "transfers_done"
    /// An issue is there to be fetched.
    case issueWanted = "issue_wanted"
    /// All transfers of an issue have ended.
    case issueDone = "issue_done"
    /// An issue was wanted in the last day.
    case issueLimit = "issue_limit"
    /// A transfer needs an answer of its program.
    case needsAnswer = "needs_answer"
    /// A transfer was canceled.
    case cancelled
    /// As many transfers are open as may be.
    case tooManyTransfers = "too_many_transfers"
    /// There is no such transfer.
    case unknownTransfer = "unknown_transfer"
    /// An accessory has something to read.
    case accessoryData = "accessory_data"
    /// An accessory is there.
    case accessoryConnected = "accessory_connected"
    /// An accessory is gone.
    case accessoryDisconnected = "accessory_disconnected"
    /// Another device asks something of its service.
    case accessoryRequest = "accessory_request"
    /// Its accessories are switched off.
    case accessoryOff = "accessory_off"
    /// As many sessions with accessories are open as may be.
    case tooManyAccessories = "too_many_accessories"
    /// No such session with an accessory is open.
    case unknownAccessory = "unknown_accessory"
    /// As many services of it are published as may be.
    case tooManyServices = "too_many_services"
    /// It listens at a port, where nobody answers while it is suspended.
    case listening
    /// There is nothing that does what it asks for.
    case unavailable
  }

  /// Whom it is about.
  public var subscriber: String
  /// What was decided.
  public var action: Action
  /// Under which rule.
  public var rule: Rule
  /// Its state before.
  public var before: SubscriberState
  /// Its state after.
  public var after: SubscriberState
  /// The event it is about; nil where it is about none.
  public var event: Int?
  /// Why.
  public var reason: Reason
  /// The token of the task it is about; nil where it is about none.
  public var task: Int?
  /// What was looked at; nil where nothing but the state was.
  public var inputs: Inputs?
}

extension Decision {
  /// What a decision depended on; nil for what was not looked at.
  public struct Inputs: Hashable, Sendable, Codable {
    /// When the subscriber may be told (rule B8).
    public var authorization: Subscriber.Authorization?
    /// How exactly the subscriber may be told (rule B8).
    public var accuracy: Subscriber.AccuracyAuthorization?
    /// Whether the user force-quit it (rule A7).
    public var forceQuit: Bool?
    /// Whether the machine has not been unlocked since it booted (rule A8).
    public var isLocked: Bool?
    /// Whether anything but the user may wake it.
    public var backgroundDelivery: Bool?
    /// Whether the machine saves energy.
    public var lowPower: Bool?
    /// How short of memory the machine is (rule A4).
    public var pressure: MemoryPressure?
    /// Seconds it may run, or was given.
    public var budgetSeconds: Double?
    /// Seconds for which it is left alone (rule K2).
    public var throttledSeconds: Double?

    /// Nothing was looked at.
    public init() {}
  }
}

extension Decision: SingleTypeRecord {
  package static let name = "decision"

  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.text("subscriber", subscriber, "whom it is about")
    visitor.text("action", action.rawValue, "see [below](#actions)")
    visitor.text("rule", rule.rawValue, "the rule's id")
    visitor.text("state_before", before.rawValue, "its [state](#states-of-a-subscriber) before")
    visitor.text("state_after", after.rawValue, "its state after")
    visitor.count("event", event, "the `id` of the record that caused it; absent if no record did")
    visitor.text("reason", reason.rawValue, "see [below](#reasons-of-a-decision)")
    visitor.count("task", task, "the token of the task it is about; absent if it is about none")
    visitor.inputs(
      "inputs", inputs, "what the decision [depended on](#inputs-of-a-decision); only what was looked at")
  }

  package static func text(_ fields: RecordFields) -> TextRecord? {
    let action = fields.code("action", Action.self)?.phrase ?? fields.text("action")
    let reason = fields.code("reason", Reason.self)?.phrase ?? fields.text("reason")
    return TextRecord(
      fields.text("subscriber"), "\(action) (\(fields.text("rule"))): \(reason)", isConsequence: true)
  }

  package static var samples: [Record.Body] {
    var inputs = Inputs()
    inputs.authorization = .always
    inputs.accuracy = .full
    inputs.forceQuit = false
    inputs.isLocked = false
    inputs.backgroundDelivery = true
    inputs.lowPower = false
    inputs.pressure = MemoryPressure.none
    inputs.budgetSeconds = 10
    inputs.throttledSeconds = 60
    return [
      .decision(
        Decision(
          subscriber: "a", action: .wake, rule: .significantChange, before: .suspended, after: .background,
          event: 1, reason: .suspended, task: 1, inputs: inputs))
    ]
  }
}

extension Decision.Inputs {
  /// Calls the visitor with each member of the object.
  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.text("authorization", authorization?.rawValue, "when the subscriber may be told (B8)")
    visitor.text("accuracy", accuracy?.rawValue, "how exactly the subscriber may be told (B8)")
    visitor.flag("force_quit", forceQuit, "whether the user force-quit it (A7)")
    visitor.flag("locked", isLocked, "whether the machine has not been unlocked since it booted (A8)")
    visitor.flag("background_delivery", backgroundDelivery, "whether anything but the user may wake it")
    visitor.flag("low_power", lowPower, "whether the machine saves energy")
    visitor.text(
      "pressure", pressure?.rawValue, "how short of memory the machine is: `none`, `warning`, `critical` (A4)"
    )
    visitor.number("budget_s", budgetSeconds, .seconds, "for which it may run, or was given")
    visitor.number("throttled_s", throttledSeconds, .seconds, "for which it is left alone (K2)")
  }
}

extension Decision.Action {
  /// In words.
  package var phrase: String {
    switch self {
    case .deliver: "delivered"
    case .wake: "woken in the background"
    case .relaunch: "relaunched in the background"
    case .defer: "kept for later"
    case .coalesce: "merged with a waiting event"
    case .drop: "dropped"
    case .suspend: "suspended"
    case .terminate: "ended"
    case .purge: "purged"
    case .refuse: "refused"
    case .warn: "warned"
    case .throttle: "throttled"
    case .notify: "shown to the user"
    case .hold: "kept running"
    }
  }
}

extension Decision.Reason {
  /// In words.
  package var phrase: String {
    switch self {
    case .foreground: "it is in the foreground"
    case .running: "it was already running"
    case .suspended: "it was suspended"
    case .notRunning: "it was not running"
    case .forceQuitLocation: "location services relaunch it even after a force-quit"
    case .forceQuit: "the user force-quit it"
    case .locked: "not unlocked since the boot"
    case .firstUnlock: "first unlock since the boot"
    case .denied: "its authorization is denied"
    case .needsAlways: "this needs the authorization `always`"
    case .exitsOnSuspend: "it opted out of running in the background"
    case .idle: "no assertion holds off suspension"
    case .budgetOver: "its time was over"
    case .taskOpen: "a task was still open when the time for tasks was over"
    case .illegalMove: "not possible in its present state"
    case .unknownTask: "no such task is open"
    case .outboxFull: "too many events wait for it"
    case .unacknowledged: "it had not acknowledged the event"
    case .kept: "the event was kept until now"
    case .backOff: "its process ended before; the next start waits"
    case .memoryPressure: "memory is short"
    case .pressureOver: "memory is no longer short"
    case .backlog: "other events wait before it"
    case .memory: "memory is short"
    case .task: "a task is open, and the time for tasks is nearly over"
    case .exit: "it left the foreground and opted out of running in the background"
    case .batched: "kept back, to be delivered with others"
    case .batchFull: "far enough, or enough updates"
    case .batchDue: "the time for keeping updates back is over"
    case .stopped: "it stopped the service"
    case .reduced: "it may know only a coarse position"
    case .reducedWindow: "its last coarse position is less than 15 min old"
    case .backgroundDeliveryOff: "the user switched its background delivery off"
    case .backgroundDeliveryOn: "the user switched its background delivery on"
    case .throttled: "it overran its time again and again"
    case .throttleOver: "the throttle is over"
    case .sharedLock: "it held a lock that others may wait for"
    case .tooManyTasks: "too many tasks are open"
    case .processor: "it used too much processor time"
    case .noSource: "there is no source of fixes"
    case .noFix: "no fix came in time"
    case .outsideHours: "it wants events at other hours or on other days"
    case .cooldown: "its last event was less than its cooldown ago"
    case .noMode: "its manifest does not declare the mode"
    case .merged: "one of its kind waits already"
    case .tooShort: "a keep-alive is from 10 min to a day"
    case .keepAliveDue: "its keep-alive is due"
    case .keepAliveGrouped: "its keep-alive may come now, and the machine is awake"
    case .traffic: "a watched socket has something to read"
    case .boot: "the machine has booted"
    case .exitFailed: "its process failed or was ended"
    case .tooManySockets: "too many sockets are watched for it"
    case .unknownSocket: "no socket of that tag is watched for it"
    case .goodMoment: "a good moment to fetch"
    case .noNetwork: "there is no network that will do"
    case .lowPower: "the machine saves energy"
    case .pressure: "memory is short"
    case .powerLow: "the battery is nearly empty"
    case .notAsked: "nobody had asked it"
    case .due: "its time has come"
    case .overdue: "its time came while nothing could be shown"
    case .regionEntered: "its region was entered"
    case .regionLeft: "its region was left"
    case .now: "asked for at once"
    case .tooManyNotifications: "too many notifications are scheduled"
    case .notPermitted: "the user does not permit it"
    case .unknownNotification: "there is no such notification"
    case .unknownRegion: "there is no such region"
    case .regionSilent: "its region's `notify` leaves that out"
    case .noNotifier: "there is nothing that shows notifications"
    case .audioPlaying: "its audio sounds"
    case .audioEnded: "its audio is over"
    case .audioSilent: "its audio was quiet for too long"
    case .audioInterrupted: "something else sounds in place of its audio"
    case .audioResumed: "what sounded in place of its audio is over"
    case .audioBusy: "other audio sounds that does not mix with it"
    case .audioCommand: "the user commands its audio"
    case .unknownAudio: "no such audio session is open"
    case .push: "a push has come"
    case .pushLimit: "silent pushes have woken it as often in this hour as they may"
    case .duplicate: "a push of that name was taken already"
    case .transfersDone: "all transfers of its session have ended"
    case .issueWanted: "an issue is there to be fetched"
    case .issueDone: "all transfers of its issue have ended"
    case .issueLimit: "an issue was there in the last day"
    case .needsAnswer: "a transfer needs its answer"
    case .cancelled: "the transfer was canceled"
    case .tooManyTransfers: "too many transfers are open"
    case .unknownTransfer: "there is no such transfer"
    case .accessoryData: "an accessory has something to read"
    case .accessoryConnected: "an accessory is there"
    case .accessoryDisconnected: "an accessory is gone"
    case .accessoryRequest: "another device asks something of its service"
    case .accessoryOff: "its accessories are switched off"
    case .tooManyAccessories: "too many sessions with accessories are open"
    case .unknownAccessory: "no such session with an accessory is open"
    case .tooManyServices: "too many of its services are published"
    case .listening: "it listens at a port, where nobody answers while it is suspended"
    case .unavailable: "there is nothing that does this"
    }
  }
}

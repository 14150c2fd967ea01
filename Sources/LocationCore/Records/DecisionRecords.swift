/// What the policy decided for one subscriber, under which rule, and why (rule A9).
public struct Decision: Hashable, Sendable, Codable {
  /// What was decided; in words: ``phrase``.
  public enum Action: String, Hashable, Sendable, Codable, CaseIterable {
    /// Handed to a subscriber that runs.
    case deliver
    /// Resumed from suspension to be handed an event.
    case wake
    /// Started in the background to be handed an event.
    case relaunch
    case `defer`
    case coalesce
    case drop
    /// Stopped from running, kept in memory.
    case suspend
    case terminate
    /// Ended to free memory.
    case purge
    case refuse
    /// Told that its time or its memory runs out.
    case warn
    /// Left alone for a while, or no longer.
    case throttle
    case notify
    /// Kept running: something holds off its suspension.
    case hold
  }

  /// Why; in words: ``phrase``. The raw values are stable: they stand in records and docs.
  public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
    case foreground
    case running
    case suspended
    case notRunning = "not_running"
    case forceQuitLocation = "force_quit_location"
    /// The user force-quit it, and nothing may start it before the user does.
    case forceQuit = "force_quit"
    case locked
    case firstUnlock = "first_unlock"
    case denied
    case needsAlways = "needs_always"
    case exitsOnSuspend = "exits_on_suspend"
    case idle
    case budgetOver = "budget_over"
    case taskOpen = "task_open"
    /// The move is not one of those rule A1 allows.
    case illegalMove = "illegal_move"
    case unknownTask = "unknown_task"
    case outboxFull = "outbox_full"
    case unacknowledged
    case kept
    /// It ended too soon after being started; the next start waits.
    case backOff = "back_off"
    case notConnected = "not_connected"
    case memoryPressure = "memory_pressure"
    case pressureOver = "pressure_over"
    /// As many events are handed over at once as may be, or the wake has lasted as long as it may; the rest waits.
    case backlog
    /// A warning: the machine is short of memory.
    case memory
    /// A warning: the time of its open tasks is nearly over.
    case task
    /// A warning: it is ended because it left the foreground.
    case exit
    case batched
    case batchFull = "batch_full"
    case batchDue = "batch_due"
    /// It stopped the service for which updates were kept back, or that the event is of.
    case stopped
    case reduced
    case reducedWindow = "reduced_window"
    case backgroundDeliveryOff = "background_delivery_off"
    case backgroundDeliveryOn = "background_delivery_on"
    case throttled
    case throttleOver = "throttle_over"
    case sharedLock = "shared_lock"
    case tooManyTasks = "too_many_tasks"
    case processor
    case noSource = "no_source"
    case noFix = "no_fix"
    case outsideHours = "outside_hours"
    /// It was handed another event less than its cooldown ago, or one waits for it that came then.
    case cooldown
    case noMode = "no_mode"
    /// One of its kind waits already, or a later one came.
    case merged
    /// A keep-alive of less than 600 s, or of more than a day.
    case tooShort = "too_short"
    case keepAliveDue = "keep_alive_due"
    case keepAliveGrouped = "keep_alive_grouped"
    case traffic
    case boot
    case exitFailed = "exit_failed"
    case tooManySockets = "too_many_sockets"
    case unknownSocket = "unknown_socket"
    case goodMoment = "good_moment"
    case noNetwork = "no_network"
    case lowPower = "low_power"
    /// The machine is short of memory, critically or not.
    case pressure
    case powerLow = "power_low"
    case notAsked = "not_asked"
    case due
    case overdue
    case regionEntered = "region_entered"
    case regionLeft = "region_left"
    case now
    case tooManyNotifications = "too_many_notifications"
    case notPermitted = "not_permitted"
    case unknownNotification = "unknown_notification"
    case unknownRegion = "unknown_region"
    case regionSilent = "region_silent"
    case noNotifier = "no_notifier"
    case audioPlaying = "audio_playing"
    case audioEnded = "audio_ended"
    case audioSilent = "audio_silent"
    case audioInterrupted = "audio_interrupted"
    case audioResumed = "audio_resumed"
    /// Others sound that do not mix with it, or it has too many sessions.
    case audioBusy = "audio_busy"
    case audioCommand = "audio_command"
    case unknownAudio = "unknown_audio"
    case push
    case pushLimit = "push_limit"
    /// A push of that name was taken in the last day.
    case duplicate
    case transfersDone = "transfers_done"
    case issueWanted = "issue_wanted"
    case issueDone = "issue_done"
    /// An issue was wanted in the last day.
    case issueLimit = "issue_limit"
    case needsAnswer = "needs_answer"
    case cancelled
    /// The subscriber was removed.
    case removed
    case tooManyTransfers = "too_many_transfers"
    case unknownTransfer = "unknown_transfer"
    case accessoryData = "accessory_data"
    case accessoryConnected = "accessory_connected"
    case accessoryDisconnected = "accessory_disconnected"
    case accessoryRequest = "accessory_request"
    case accessoryOff = "accessory_off"
    case tooManyAccessories = "too_many_accessories"
    case unknownAccessory = "unknown_accessory"
    case tooManyServices = "too_many_services"
    case listening
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
    case .notConnected: "only the program itself can start, and it is not connected"
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
    case .cancelled: "the transfer was cancelled"
    case .removed: "the subscriber was removed"
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

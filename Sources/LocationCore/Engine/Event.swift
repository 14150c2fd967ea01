/// Everything that can happen. The set is closed.
///
/// Large and rare cases are `indirect`: otherwise each event would be as large as the largest.
public enum Event: Hashable, Sendable, Codable {
  /// A source reported a position.
  case fix(FixReport)
  /// What follows does not continue what came before: a new segment of a track.
  case segmentBreak
  /// Something happened to where live fixes come from.
  case source(SourceEvent)
  /// What came of an order to the receiver.
  case receiver(ReceiverEvent)
  /// A beacon was seen, or is lost (rule B11).
  case beacon(BeaconEvent)
  indirect case addRegion(Region)
  /// The owner changed a region: another of the same id. What is known of it stays where its outline is the same.
  indirect case changeRegion(Region)
  case removeRegion(id: String)
  /// A subscriber begins in a state, or has another manifest. One that is there keeps its state; only `notRunning` says
  /// that its process was ended for the new manifest.
  indirect case addSubscriber(Subscriber, SubscriberState)
  case removeSubscriber(name: String)
  /// Something happened to, or was said by, a subscriber.
  case subscriber(name: String, SubscriberEvent)
  /// Something happened to the machine.
  indirect case machine(MachineEvent)
  /// Time has passed and something was due. What is due follows from the other events; a live host has this in its
  /// journal, so that a replay also decides what was decided after the last of them.
  case time
  /// The stream is over: what is open is settled at this instant.
  case end

  /// The region that it is about, as it is from then on: nil where it is removed. Nil where it is about none.
  public var changedRegion: (id: String, now: Region?)? {
    switch self {
    case .addRegion(let region), .changeRegion(let region): (region.id, region)
    case .removeRegion(let id): (id, nil)
    case .fix, .segmentBreak, .source, .receiver, .beacon, .addSubscriber, .removeSubscriber, .subscriber,
      .machine, .time, .end:
      nil
    }
  }
}

/// What can happen to a subscriber, or be said by it.
public enum SubscriberEvent: Hashable, Sendable, Codable {
  /// The user started it or returned to it.
  case foreground
  /// The user turned to something else.
  case background
  /// The user force-quit it.
  case quit
  /// Its process ended by itself.
  case exited(status: Int32)
  /// Who ran its process is gone, and so the process had to be ended: no fault of its own.
  case orphaned
  /// Its process begins so many seconds later than the engine knows, because the one before takes its time to end.
  case begun(lateSeconds: Double)
  /// Its program, which starts itself or was not there when it was called, has come to the socket.
  case registered
  /// Its program, which starts itself, is not at the socket, or has left that without having been called.
  case unregistered
  /// It is done with an event, and spent so many core seconds on it.
  case acknowledged(event: Int, coreSeconds: Double)
  /// Somebody acknowledged an event for it, by hand.
  case dismissed(event: Int)
  case beginTask(name: String)
  case endTask(token: Int)
  case authorization(Subscriber.Authorization)
  /// The user changed how exactly it may be told.
  case accuracy(Subscriber.AccuracyAuthorization)
  /// The user changed whether anything else may wake or relaunch it.
  case backgroundDelivery(Bool)
  /// It asks for services.
  case start(Subscriber.Services)
  /// It asks for services no more.
  case stop(Subscriber.Services)
  /// It asks for one fix, and waits for it so many seconds.
  case locate(seconds: Double)
  /// It holds so many bytes of memory.
  case memory(bytes: Int64)
  /// It was found to hold a lock that others may wait for, or no longer to hold one.
  case lock(isHeld: Bool)
  /// It took more of the processor than a program in the background may.
  case overran
  /// It is done with everything: it needs no more time for its clean-up.
  case done
  /// It asks for a text to be kept for its next process, in place of what was kept (rule A11).
  case preserve(text: String)
  /// Something that comes before it takes the foreground, such as a call, or gives it back.
  case interrupted(Bool)
  /// Its process ended, and how: to be told. What follows from it comes as another event.
  indirect case finished(ProgramEnd)
  /// It says something to a background mode, or the user does something to one.
  indirect case mode(ModeEvent)

  /// The id of the event that the subscriber, or somebody for it, has acknowledged; nil for anything else.
  public var doneEvent: Int? {
    if case .acknowledged(let event, _) = self { return event }
    if case .dismissed(let event) = self { return event }
    return nil
  }

  /// Whether the subscriber's process is gone after it.
  public var endsProcess: Bool {
    switch self {
    case .quit, .exited, .orphaned: true
    case .foreground, .background, .begun, .registered, .unregistered, .acknowledged, .dismissed, .beginTask,
      .endTask, .authorization, .accuracy, .backgroundDelivery, .start, .stop, .locate, .memory, .lock,
      .overran, .done, .preserve, .interrupted, .finished, .mode:
      false
    }
  }
}

/// What came of a ``ReceiverOrder``.
public enum ReceiverEvent: Hashable, Sendable, Codable {
  /// It was asked for fixes: a search begins.
  case opened
  /// It is asked for none, by order or because nobody is there to ask.
  case released
}

/// What can happen to the machine.
public enum MachineEvent: Hashable, Sendable, Codable {
  case reboot
  /// The screen locks: who is in the foreground goes to the background (rule A2).
  case lock
  /// The screen unlocks: who was in the foreground returns. The first one after a boot is that of rule A8.
  case unlock
  case memoryPressure(MemoryPressure)
  case lowPower(Bool)
  /// What the network is like (rule G1).
  case network(NetworkState)
  /// What the machine runs on (rule G1).
  case supply(PowerSupply)
  /// The machine's time zone (rule D1).
  case zone(TimeZoneRule)
  /// The system clock was set, and no receiver has told UTC since the machine booted: by so many microseconds the
  /// clock is ahead of the engine's axis. The next fix knows better.
  case utc(aheadMicroseconds: Int64)
  /// Whether there is anything that shows notifications (rule B9).
  case notifier(Bool)
  /// The user commands audio, by a key or a headset: `play`, `pause`, `next` and so on (rule F5).
  case audioCommand(String)
  /// The machine is awake for something that is no business of the engine: what may be done early is done now.
  case awake
  /// Nobody is there to do anything from the last event on, or somebody is there again.
  case absent(Bool)
  /// Whether somebody who is no subscriber wants each fix, as a desktop program does through GeoClue.
  case audience(Bool)
}

/// An event with the instant at which it reached the engine: the journal's one kind of entry.
public struct Stamped: Hashable, Sendable, Codable {
  /// When it reached the engine.
  public var at: EngineInstant
  /// What happened.
  public var event: Event

  public init(at: EngineInstant, _ event: Event) {
    self.at = at
    self.event = event
  }
}

/// Everything the engine can ask for. The set is closed.
public enum Effect: Hashable, Sendable {
  /// Keep and show this.
  case record(Record)
  /// Do this for a subscriber.
  case perform(Order)
  /// Keep this of who waits for what. It needs no answer.
  case outbox(OutboxChange)
  /// Switch the receiver, and tell by a ``ReceiverEvent`` when that is done. Only where sampling is not continuous.
  case receive(ReceiverOrder)
}

import Glibc

/// What a loop waits for: file descriptors, and which events on each. Every loop of the package waits in one.
///
/// A turn of a loop forgets what it waited for, has each of its parts say what it waits for, waits, and has each ask
/// what has come. A descriptor is asked for by its number, so a part needs to know nothing of the others.
package struct PollSet {
  private var entries: [pollfd] = []
  /// Which entry a descriptor has, by its number; -1 for none.
  private var places: [Int] = []

  package init() {}

  /// Forgets all that was waited for.
  package mutating func removeAll() {
    for entry in entries { places[Int(entry.fd)] = -1 }
    entries.removeAll(keepingCapacity: true)
  }

  /// Waits for events of a descriptor, too.
  ///
  /// - Parameters:
  ///   - descriptor: a negative one is none.
  ///   - events: `POLLIN` and others of poll(2). A descriptor that several wait for has the events of all.
  package mutating func watch(_ descriptor: Int32, for events: Int32 = POLLIN) {
    guard descriptor >= 0 else { return }
    let number = Int(descriptor)
    if number >= places.count {
      places += Array(repeating: -1, count: number + 1 - places.count)
    }
    if places[number] < 0 {
      places[number] = entries.count
      entries.append(pollfd(fd: descriptor, events: 0, revents: 0))
    }
    entries[places[number]].events |= Int16(events)
  }

  /// Waits until something has come, or the time is up.
  ///
  /// - Parameter milliseconds: -1 for ever.
  /// - Returns: on how many descriptors something has come; 0 where the time was up; -1 with `errno` set after a signal
  ///   or an error, and nothing has come then.
  @discardableResult
  package mutating func wait(atMost milliseconds: Int32 = -1) -> Int32 {
    let count = unsafe poll(&entries, nfds_t(entries.count), milliseconds)
    if count < 0 { for index in entries.indices { entries[index].revents = 0 } }
    return count
  }

  /// What has come on a descriptor, with `POLLHUP`, `POLLERR` and `POLLNVAL`; 0 where nothing has, or it was not waited
  /// for.
  package func events(of descriptor: Int32) -> Int32 {
    let number = Int(descriptor)
    guard places.indices.contains(number), places[number] >= 0 else { return 0 }
    return Int32(entries[places[number]].revents)
  }

  /// Whether one of the events has come on a descriptor, or its end or an error.
  package func has(_ descriptor: Int32, _ events: Int32 = POLLIN) -> Bool {
    self.events(of: descriptor) & (events | POLLHUP | POLLERR | POLLNVAL) != 0
  }

  /// `POLLRDHUP` (poll(2)), which not every C library shows: the other side sends no more.
  package static let endOfInput: Int32 = 0x2000

  /// Lets so many milliseconds pass. A signal ends it.
  package static func pause(milliseconds: Int32) { _ = poll(nil, 0, milliseconds) }

  /// Waits for events of one descriptor; what has come, 0 where the time was up or a signal came.
  package static func wait(for events: Int32 = POLLIN, on descriptor: Int32, atMost milliseconds: Int32)
    -> Int32
  {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return unsafe poll(&entry, 1, milliseconds) > 0 ? Int32(entry.revents) : 0
  }
}

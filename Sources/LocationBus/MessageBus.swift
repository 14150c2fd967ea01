import CSystemd
import Glibc

/// A connection to a D-Bus message bus, through sd-bus: the one file that speaks to CSystemd. It is for one thread.
@safe package struct MessageBus: ~Copyable {
  /// What went wrong.
  package struct Failure: Error, CustomStringConvertible {
    /// An errno.
    package var code: Int32
    /// The name and the text of the error that the other side answered; nil where it answered none.
    package var answer: String?

    package init(code: Int32, answer: String? = nil) {
      self.code = code
      self.answer = answer
    }

    /// Whether there is no bus, or nobody answers there.
    package var isAway: Bool { [ENOMEDIUM, ENOENT, ECONNREFUSED].contains(code) }

    /// What to do where the bus of the session is away.
    package static let sessionRemedy =
      "run it in the user's session, or have DBUS_SESSION_BUS_ADDRESS name the bus"

    package var description: String {
      if let answer { return answer }
      return unsafe String(cString: strerror(code))
    }
  }

  /// Which bus.
  package enum Kind {
    /// That of the user's session.
    case session
    /// That of the machine.
    case system
  }

  private let bus: OpaquePointer
  /// The one service that may send a signal to this connection alone; empty for none. Nil on the bus of a session, which
  /// has one user.
  ///
  /// The bus checks the sender of a broadcast against the rules of ``match(_:)``. It delivers a signal with a destination
  /// without that check, and every user may send one.
  private let confidant: String?

  /// - Parameter confidant: the one service of the machine's bus that may send signals to this connection alone.
  /// - Throws: where there is no bus, or it lets nobody of this user in.
  package init(_ kind: Kind = .session, confidant: String = "") throws(Failure) {
    self.confidant = kind == .system ? confidant : nil
    var bus: OpaquePointer?
    let code =
      switch kind {
      case .session: unsafe sd_bus_open_user(&bus)
      case .system: unsafe sd_bus_open_system(&bus)
      }
    guard code >= 0, let bus = unsafe bus else { throw Failure(code: -code) }
    unsafe self.bus = bus
  }

  deinit { unsafe sd_bus_flush_close_unref(bus) }

  // MARK: - Calls

  /// Calls a method, waits for its answer and hands it to `read`. Nothing else is answered meanwhile.
  package func call<Answer>(
    _ service: String, _ path: String, _ interface: String, _ method: String, _ arguments: [BusValue],
    read: (borrowing BusMessage) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    let message = try newCall(service, path, interface, method, arguments)
    var error = unsafe sd_bus_error()
    defer { unsafe sd_bus_error_free(&error) }
    var answer: OpaquePointer?
    let code = unsafe sd_bus_call(bus, message.pointer, 0, &error, &answer)
    guard code >= 0 else {
      let text = unsafe error.message.map { unsafe String(cString: $0) }
      throw Failure(code: -code, answer: text)
    }
    guard let answer = unsafe answer else { throw Failure(code: EIO) }
    return try read(unsafe BusMessage(answer))
  }

  /// Calls a method and goes on; the answer comes as a message whose `replyTo` is what is returned.
  package func send(
    _ service: String, _ path: String, _ interface: String, _ method: String, _ arguments: [BusValue] = []
  ) throws(Failure) -> UInt64 {
    let message = try newCall(service, path, interface, method, arguments)
    var cookie: UInt64 = 0
    try Self.check(unsafe sd_bus_send(bus, message.pointer, &cookie))
    return cookie
  }

  private func newCall(
    _ service: String, _ path: String, _ interface: String, _ method: String, _ arguments: [BusValue]
  ) throws(Failure) -> BusMessage {
    unsafe try Self.message(arguments) {
      unsafe sd_bus_message_new_method_call(bus, &$0, service, path, interface, method)
    }
  }

  /// Makes a message with these values in it.
  private static func message(
    _ values: [BusValue], _ make: (inout OpaquePointer?) -> Int32
  ) throws(Failure) -> BusMessage {
    var made: OpaquePointer?
    try unsafe check(make(&made))
    guard let made = unsafe made else { throw Failure(code: ENOMEM) }
    let message = unsafe BusMessage(made)
    for value in values { try message.append(value) }
    return message
  }

  /// Has the bus hand on signals that fit, such as `type='signal',interface='…'`.
  package func match(_ rule: String) throws(Failure) {
    try ask("AddMatch", [.text(rule)]) { _ in }
  }

  /// Has the bus tell when names get or lose an owner: see ``BusMessage/ownerChange()``.
  ///
  /// - Parameters:
  ///   - name: this name alone; nil for all.
  ///   - prefix: names that are this, or begin with it and a full stop; nil for all.
  package func watchOwners(of name: String? = nil, below prefix: String? = nil) throws(Failure) {
    let names = name.map { ",arg0='\($0)'" } ?? prefix.map { ",arg0namespace='\($0)'" } ?? ""
    try match("type='signal',sender='\(Self.driver)',member='NameOwnerChanged'" + names)
  }

  /// The names of those that are on the bus.
  package func running() throws(Failure) -> [String] { try names(by: "ListNames") }

  /// The names of those that the bus would start.
  package func startable() throws(Failure) -> [String] { try names(by: "ListActivatableNames") }

  private func names(by method: String) throws(Failure) -> [String] {
    try ask(method) { (answer) throws(Failure) in try answer.texts() }
  }

  /// The connection that has a name; nil where nobody has it. Nobody is started for the question.
  package func owner(of name: String) -> String? {
    let owner = try? ask("GetNameOwner", [.text(name)]) { (answer) throws(Failure) in try answer.text() }
    return owner ?? nil
  }

  /// The bus itself, as a service and the interface of its methods.
  private static let driver = "org.freedesktop.DBus"

  /// Calls a method of the bus itself.
  private func ask<Answer>(
    _ method: String, _ arguments: [BusValue] = [], read: (borrowing BusMessage) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    try call(Self.driver, "/org/freedesktop/DBus", Self.driver, method, arguments, read: read)
  }

  /// Becomes known by a name.
  ///
  /// - Throws: with `EEXIST` where somebody else has it.
  package func request(name: String) throws(Failure) {
    try Self.check(unsafe sd_bus_request_name(bus, name, 0))
  }

  /// Is known by a name no longer.
  package func release(name: String) throws(Failure) {
    try Self.check(unsafe sd_bus_release_name(bus, name))
  }

  // MARK: - Answers and signals

  /// Answers a call.
  package func reply(to call: borrowing BusMessage, _ values: [BusValue] = []) throws(Failure) {
    let call = unsafe call.pointer
    let message = unsafe try Self.message(values) { unsafe sd_bus_message_new_method_return(call, &$0) }
    try Self.check(unsafe sd_bus_send(bus, message.pointer, nil))
  }

  /// Answers a call with an error.
  package func refuse(_ call: borrowing BusMessage, _ name: String, _ text: String) throws(Failure) {
    var error = unsafe sd_bus_error()
    defer { unsafe sd_bus_error_free(&error) }
    unsafe sd_bus_error_set(&error, name, text)
    try Self.check(unsafe sd_bus_reply_method_error(call.pointer, &error))
  }

  /// Answers a call of a method that is not there.
  package func refuseUnknown(_ call: borrowing BusMessage) throws(Failure) {
    try refuse(call, "org.freedesktop.DBus.Error.UnknownMethod", "there is no such method")
  }

  /// Sends a signal, to one connection or to all who listen.
  package func emit(
    _ path: String, _ interface: String, _ member: String, _ values: [BusValue], to receiver: String? = nil
  ) throws(Failure) {
    let message = unsafe try Self.message(values) {
      unsafe sd_bus_message_new_signal(bus, &$0, path, interface, member)
    }
    if let receiver { try Self.check(unsafe sd_bus_message_set_destination(message.pointer, receiver)) }
    try Self.check(unsafe sd_bus_send(bus, message.pointer, nil))
  }

  // MARK: - Waiting

  /// What `poll` is to wait for.
  package var descriptor: Int32 { unsafe sd_bus_get_fd(bus) }
  /// The kind: `POLLIN`, or that and `POLLOUT`.
  package var events: Int16 { Int16(truncatingIfNeeded: unsafe sd_bus_get_events(bus)) }

  /// What was waited for has come.
  package enum Input {
    /// Something on the bus, or the time was up.
    case bus
    /// These bytes on standard input.
    case bytes([UInt8])
    /// Standard input has ended.
    case end
  }

  /// Waits for the bus and for standard input.
  ///
  /// - Parameter milliseconds: how long at most; -1 for ever.
  package func waitForInput(atMost milliseconds: Int32 = -1) -> Input {
    var entries = [
      pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: events, revents: 0),
    ]
    guard unsafe poll(&entries, 2, milliseconds) >= 0, entries[0].revents != 0 else { return .bus }
    var piece = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe read(STDIN_FILENO, &piece, piece.count)
    guard count > 0 else { return .end }
    piece.removeLast(piece.count - count)
    return .bytes(piece)
  }

  /// Serves until standard input ends: hands on each message that nobody waits for, and each piece of input. Writes to
  /// standard output what was printed before it waits.
  package borrowing func serve(
    message take: (borrowing BusMessage) throws(Failure) -> Void,
    input read: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    while true {
      while let message = try self.take() { try take(message) }
      fflush(nil)
      switch waitForInput() {
      case .bus: continue
      case .end: return
      case .bytes(let bytes): try read(bytes)
      }
    }
  }

  /// The next message that nobody waits for, without waiting; nil where there is none.
  package func take() throws(Failure) -> BusMessage? {
    while true {
      var found: OpaquePointer?
      let code = unsafe sd_bus_process(bus, &found)
      try Self.check(code)
      if let message = unsafe found {
        let message = unsafe BusMessage(message)
        if isBelieved(message) { return message }
      }
      if code == 0 { return nil }
    }
  }

  /// Whether the caller may believe a message. A signal to this connection alone is believed of the bus and of the
  /// ``confidant``.
  private func isBelieved(_ message: borrowing BusMessage) -> Bool {
    guard let confidant, message.kind == .signal, !message.destination.isEmpty, message.sender != Self.driver
    else { return true }
    return owner(of: confidant) == message.sender
  }

  /// The next message that nobody waits for; nil where none comes in so many seconds.
  ///
  /// - Parameter seconds: nil to wait without an end.
  package func next(within seconds: UInt64? = nil) throws(Failure) -> BusMessage? {
    while true {
      if let message = try take() { return message }
      let waited = unsafe sd_bus_wait(bus, seconds.map { $0 * 1_000_000 } ?? .max)
      if waited == -EINTR { continue }
      try Self.check(waited)
      if waited == 0 { return nil }
    }
  }

  static func check(_ code: Int32) throws(Failure) {
    guard code >= 0 else { throw Failure(code: -code) }
  }
}

/// A message that has come, read from its beginning.
@safe package struct BusMessage: ~Copyable {
  let pointer: OpaquePointer

  /// Takes the caller's reference.
  init(_ message: OpaquePointer) { unsafe pointer = message }

  deinit { unsafe sd_bus_message_unref(pointer) }

  /// What a message is.
  package enum Kind: UInt8 {
    case call = 1
    case answer = 2
    case error = 3
    case signal = 4
  }

  /// nil for what the specification does not know.
  package var kind: Kind? {
    var type: UInt8 = 0
    return unsafe sd_bus_message_get_type(pointer, &type) >= 0 ? Kind(rawValue: type) : nil
  }

  /// The number of the call that it answers; nil where it answers none.
  package var replyTo: UInt64? {
    var cookie: UInt64 = 0
    return unsafe sd_bus_message_get_reply_cookie(pointer, &cookie) >= 0 ? cookie : nil
  }

  /// The object that it is for, or from.
  package var path: String { unsafe Self.text(sd_bus_message_get_path(pointer)) }
  /// The interface that the member is of; empty where the message does not say.
  package var interface: String { unsafe Self.text(sd_bus_message_get_interface(pointer)) }
  /// The method or signal.
  package var member: String { unsafe Self.text(sd_bus_message_get_member(pointer)) }
  /// The connection that it comes from.
  package var sender: String { unsafe Self.text(sd_bus_message_get_sender(pointer)) }

  /// The connection that it is for alone; empty where it is for all.
  package var destination: String { unsafe Self.text(sd_bus_message_get_destination(pointer)) }

  /// What an error says; empty where it says nothing.
  package var errorText: String {
    guard let error = unsafe sd_bus_message_get_error(pointer) else { return "" }
    let name = unsafe Self.text(error.pointee.name)
    let text = unsafe Self.text(error.pointee.message)
    return text.isEmpty ? name : text
  }

  /// The user of the process that sent it; nil where the bus does not say.
  package var user: UInt32? {
    var credentials: OpaquePointer?
    let wanted = UInt64(SD_BUS_CREDS_EUID)
    guard unsafe sd_bus_query_sender_creds(pointer, wanted, &credentials) >= 0 else { return nil }
    defer { unsafe sd_bus_creds_unref(credentials) }
    var user: uid_t = 0
    return unsafe sd_bus_creds_get_euid(credentials, &user) >= 0 ? user : nil
  }

  private static func text(_ text: UnsafePointer<CChar>?) -> String {
    unsafe text.map { unsafe String(cString: $0) } ?? ""
  }

  /// Whether it is a signal of that name.
  package func isSignal(_ interface: String, _ member: String) -> Bool {
    unsafe sd_bus_message_is_signal(pointer, interface, member) > 0
  }

  /// Which name has come from whom to whom; nobody is empty. Reads the message. Nil where it tells something else.
  package func ownerChange() throws(MessageBus.Failure) -> (name: String, before: String, after: String)? {
    guard isSignal("org.freedesktop.DBus", "NameOwnerChanged") else { return nil }
    return try (text() ?? "", text() ?? "", text() ?? "")
  }

  /// Whether it is a call of that method.
  package func isCall(_ interface: String, _ member: String) -> Bool {
    unsafe sd_bus_message_is_method_call(pointer, interface, member) > 0
  }

  // MARK: - Reading

  /// The next value, a number.
  package func number() throws(MessageBus.Failure) -> UInt32 {
    guard case .uint32(let number) = try value() else { throw MessageBus.Failure(code: EINVAL) }
    return number
  }

  /// The next value, a text or a path; nil where there is none.
  package func text() throws(MessageBus.Failure) -> String? {
    switch try value() {
    case .text(let text), .path(let text): text
    case nil: nil
    case _: throw MessageBus.Failure(code: EINVAL)
    }
  }

  /// The next value, a descriptor: a duplicate, which is the caller's to close.
  package func file() throws(MessageBus.Failure) -> Int32 {
    let number = try readBasic(CChar(UInt8(ascii: "h")), Int32(-1))
    let own = fcntl(number, F_DUPFD_CLOEXEC, 0)
    guard own >= 0 else { throw MessageBus.Failure(code: errno) }
    return own
  }

  /// The next value, a list of texts.
  package func texts() throws(MessageBus.Failure) -> [String] {
    switch try value() {
    case .texts(let texts): return texts
    case .group(let values) where values.isEmpty: return []
    case _: throw MessageBus.Failure(code: EINVAL)
    }
  }

  /// The next value, whatever it is; nil where there is none.
  package func value() throws(MessageBus.Failure) -> BusValue? {
    var room = Self.valueLimit
    return try value(depth: 0, &room)
  }

  /// Containers in containers: more than any message of ours has.
  private static let depthLimit = 16
  /// Values in one value, likewise: a message may have as many as it has bytes, and each takes far more here.
  private static let valueLimit = 1 << 16

  private func value(depth: Int, _ room: inout Int) throws(MessageBus.Failure) -> BusValue? {
    guard depth < Self.depthLimit else { throw MessageBus.Failure(code: EBADMSG) }
    room -= 1
    guard room >= 0 else { throw MessageBus.Failure(code: EMSGSIZE) }
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    let code = unsafe sd_bus_message_peek_type(pointer, &type, &contents)
    try MessageBus.check(code)
    guard code > 0 else { return nil }
    let inner = unsafe Self.text(contents)
    switch Unicode.Scalar(UInt8(bitPattern: type)) {
    case "s", "g": return .text(try readText(type))
    case "o": return .path(try readText(type))
    case "u": return .uint32(try readBasic(type, UInt32(0)))
    case "n": return .int16(try readBasic(type, Int16(0)))
    case "q": return .uint16(try readBasic(type, UInt16(0)))
    case "i": return .int32(try readBasic(type, Int32(0)))
    case "t": return .uint64(try readBasic(type, UInt64(0)))
    case "x": return .int64(try readBasic(type, Int64(0)))
    case "d": return .real(try readBasic(type, 0.0))
    case "b": return .flag(try readBasic(type, Int32(0)) != 0)
    case "y": return .byte(try readBasic(type, UInt8(0)))
    case "v":
      let values = try readContainer(type, inner, depth, &room)
      return values.first.map { .variant($0) }
    case "a":
      if inner == "y" { return .bytes(try readBytes()) }
      let values = try readContainer(type, inner, depth, &room)
      if inner == "s" {
        return .texts(values.compactMap { if case .text(let text) = $0 { text } else { nil } })
      }
      guard inner == "{sv}" else { return .group(values) }
      return .map(values.compactMap(Self.entry))
    case "r", "e": return .group(try readContainer(type, inner, depth, &room))
    case _:
      try MessageBus.check(unsafe sd_bus_message_skip(pointer, nil))
      return .group([])
    }
  }

  private static func entry(_ value: BusValue) -> BusValue.Entry? {
    guard case .group(let pair) = value, pair.count == 2, case .text(let key) = pair[0],
      case .variant(let value) = pair[1]
    else { return nil }
    return BusValue.Entry(key, value)
  }

  private func readText(_ type: CChar) throws(MessageBus.Failure) -> String {
    var text: UnsafePointer<CChar>?
    try MessageBus.check(unsafe sd_bus_message_read_basic(pointer, type, &text))
    return unsafe Self.text(text)
  }

  private func readBasic<Number: BitwiseCopyable>(_ type: CChar, _ zero: Number) throws(MessageBus.Failure)
    -> Number
  {
    var number = zero
    try MessageBus.check(unsafe sd_bus_message_read_basic(pointer, type, &number))
    return number
  }

  private func readBytes() throws(MessageBus.Failure) -> [UInt8] {
    var start: UnsafeRawPointer?
    var count = 0
    let type = CChar(UInt8(ascii: "y"))
    try MessageBus.check(unsafe sd_bus_message_read_array(pointer, type, &start, &count))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  private func readContainer(
    _ type: CChar, _ contents: String, _ depth: Int, _ room: inout Int
  ) throws(MessageBus.Failure) -> [BusValue] {
    try MessageBus.check(unsafe sd_bus_message_enter_container(pointer, type, contents))
    var values: [BusValue] = []
    while let value = try value(depth: depth + 1, &room) { values.append(value) }
    try MessageBus.check(unsafe sd_bus_message_exit_container(pointer))
    return values
  }

  // MARK: - Writing

  func append(_ value: BusValue) throws(MessageBus.Failure) {
    switch value {
    case .text(let text): try append("s", text: text)
    case .path(let text): try append("o", text: text)
    case .uint32(let number): try append("u", basic: number)
    case .int32(let time): try append("i", basic: time)
    case .int16(let number): try append("n", basic: number)
    case .uint16(let number): try append("q", basic: number)
    case .uint64(let number): try append("t", basic: number)
    case .int64(let number): try append("x", basic: number)
    case .real(let number): try append("d", basic: number)
    case .flag(let isOn): try append("b", basic: Int32(isOn ? 1 : 0))
    case .byte(let byte): try append("y", basic: byte)
    case .bytes(let bytes):
      try MessageBus.check(unsafe sd_bus_message_append_array(pointer, type("y"), bytes, bytes.count))
    case .texts(let texts): try append("a", "s", texts.map { .text($0) })
    case .variant(let value): try append("v", value.signature, [value])
    case .group(let values): try append("r", values.map(\.signature).joined(), values)
    case .list(let element, let values): try append("a", element, values)
    case .pair(let key, let value): try append("e", key.signature + value.signature, [key, value])
    case .map(let entries):
      try append("a", "{sv}", entries.map { .pair(.text($0.key), .variant($0.value)) })
    }
  }

  private func append(_ letter: Unicode.Scalar, text: String) throws(MessageBus.Failure) {
    try MessageBus.check(unsafe sd_bus_message_append_basic(pointer, type(letter), text))
  }

  private func append<Value: BitwiseCopyable>(
    _ letter: Unicode.Scalar, basic value: Value
  ) throws(MessageBus.Failure) {
    var value = value
    try MessageBus.check(unsafe sd_bus_message_append_basic(pointer, type(letter), &value))
  }

  /// Appends a container with these values in it.
  private func append(
    _ letter: Unicode.Scalar, _ contents: String, _ values: [BusValue]
  ) throws(MessageBus.Failure) {
    try MessageBus.check(unsafe sd_bus_message_open_container(pointer, type(letter), contents))
    for value in values { try append(value) }
    try MessageBus.check(unsafe sd_bus_message_close_container(pointer))
  }

  private func type(_ letter: Unicode.Scalar) -> CChar { CChar(UInt8(ascii: letter)) }
}

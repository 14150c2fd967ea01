import CSystemd

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A connection to a bus, through sd-bus. Its calls wait for their answers; it is for one thread.
@safe package struct BusConnection: ~Copyable {
  /// What went wrong, as an errno.
  package struct Failure: Error {
    /// The errno.
    package var code: Int32
  }

  /// The buses of a machine.
  package enum Bus {
    /// That of the user's session: `DBUS_SESSION_BUS_ADDRESS`, or `bus` in `XDG_RUNTIME_DIR`.
    case user
    /// The machine's: `DBUS_SYSTEM_BUS_ADDRESS`, or `/run/dbus/system_bus_socket`.
    case system
  }

  /// A value of a message.
  package enum Value {
    case text(String)
    case number(UInt32)
    case time(Int32)
    case byte(UInt8)
    case texts([String])
    /// A dictionary of names and values, `a{sv}`.
    case map([(key: String, value: Value)])
  }

  private let bus: OpaquePointer

  /// Connects.
  ///
  /// - Throws: where there is no bus, or it lets nobody of this user in.
  package init(to which: Bus) throws(Failure) {
    var bus: OpaquePointer?
    let code =
      switch which {
      case .user: unsafe sd_bus_open_user(&bus)
      case .system: unsafe sd_bus_open_system(&bus)
      }
    guard code >= 0, let bus = unsafe bus else { throw Failure(code: -code) }
    unsafe self.bus = bus
  }

  deinit { unsafe sd_bus_flush_close_unref(bus) }

  /// Calls a method and hands its answer to `read`.
  package func call<Answer>(
    _ service: String, _ path: String, _ interface: String, _ method: String, _ arguments: [Value],
    read: (borrowing BusMessage) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    var made: OpaquePointer?
    try Self.check(
      unsafe sd_bus_message_new_method_call(bus, &made, service, path, interface, method))
    guard let message = unsafe made else { throw Failure(code: ENOMEM) }
    defer { unsafe sd_bus_message_unref(message) }
    for argument in arguments { try unsafe Self.append(argument, to: message) }
    var error = unsafe sd_bus_error()
    defer { unsafe sd_bus_error_free(&error) }
    var answer: OpaquePointer?
    try Self.check(unsafe sd_bus_call(bus, message, 0, &error, &answer))
    guard let answer = unsafe answer else { throw Failure(code: EIO) }
    return try read(unsafe BusMessage(answer))
  }

  /// Asks for the signals that match a rule of the D-Bus specification ("Match Rules"); ``next(within:)`` returns them.
  package func subscribe(to match: String) throws(Failure) {
    try call(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", [.text(match)]
    ) { _ in }
  }

  /// The next message that nobody called for; nil where none comes in so many seconds.
  ///
  /// - Parameter seconds: nil to wait without an end.
  package func next(within seconds: UInt64? = nil) throws(Failure) -> BusMessage? {
    while true {
      var found: OpaquePointer?
      let code = unsafe sd_bus_process(bus, &found)
      try Self.check(code)
      if let message = unsafe found { return unsafe BusMessage(message) }
      guard code == 0 else { continue }
      let waited = unsafe sd_bus_wait(bus, seconds.map { $0 * 1_000_000 } ?? .max)
      if waited == -EINTR { continue }
      try Self.check(waited)
      if waited == 0 { return nil }
    }
  }

  fileprivate static func check(_ code: Int32) throws(Failure) {
    guard code >= 0 else { throw Failure(code: -code) }
  }

  private static func append(_ value: Value, to message: OpaquePointer) throws(Failure) {
    func type(_ letter: Unicode.Scalar) -> CChar { CChar(UInt8(ascii: letter)) }
    switch value {
    case .text(let text): try check(unsafe sd_bus_message_append_basic(message, type("s"), text))
    case .number(var number): try check(unsafe sd_bus_message_append_basic(message, type("u"), &number))
    case .time(var time): try check(unsafe sd_bus_message_append_basic(message, type("i"), &time))
    case .byte(var byte): try check(unsafe sd_bus_message_append_basic(message, type("y"), &byte))
    case .texts(let texts):
      try check(unsafe sd_bus_message_open_container(message, type("a"), "s"))
      for text in texts { try unsafe append(.text(text), to: message) }
      try check(unsafe sd_bus_message_close_container(message))
    case .map(let entries):
      try check(unsafe sd_bus_message_open_container(message, type("a"), "{sv}"))
      for (key, value) in entries {
        try check(unsafe sd_bus_message_open_container(message, type("e"), "sv"))
        try unsafe append(.text(key), to: message)
        try check(unsafe sd_bus_message_open_container(message, type("v"), value.signature))
        try unsafe append(value, to: message)
        try check(unsafe sd_bus_message_close_container(message))
        try check(unsafe sd_bus_message_close_container(message))
      }
      try check(unsafe sd_bus_message_close_container(message))
    }
  }
}

extension BusConnection.Value {
  fileprivate var signature: String {
    switch self {
    case .text: "s"
    case .number: "u"
    case .time: "i"
    case .byte: "y"
    case .texts: "as"
    case .map: "a{sv}"
    }
  }
}

/// A message that has come, read from its beginning.
@safe package struct BusMessage: ~Copyable {
  private let message: OpaquePointer

  /// Takes the caller's reference.
  fileprivate init(_ message: OpaquePointer) { unsafe self.message = message }

  deinit { unsafe sd_bus_message_unref(message) }

  /// The object that sent it; nil where none is named.
  package var path: String? {
    guard let path = unsafe sd_bus_message_get_path(message) else { return nil }
    return unsafe String(cString: path)
  }

  /// Whether it is a signal of that name.
  package func isSignal(_ interface: String, _ member: String) -> Bool {
    unsafe sd_bus_message_is_signal(message, interface, member) > 0
  }

  /// The next value, a number.
  package func number() throws(BusConnection.Failure) -> UInt32 {
    var number: UInt32 = 0
    try BusConnection.check(unsafe sd_bus_message_read_basic(message, CChar(UInt8(ascii: "u")), &number))
    return number
  }

  /// The next value, whether something holds.
  package func boolean() throws(BusConnection.Failure) -> Bool {
    var number: Int32 = 0
    try BusConnection.check(unsafe sd_bus_message_read_basic(message, CChar(UInt8(ascii: "b")), &number))
    return number != 0
  }

  /// The next value, a text; nil where there is none.
  package func text() throws(BusConnection.Failure) -> String? { try string("s") }

  /// The next value, the path of an object; nil where there is none.
  package func objectPath() throws(BusConnection.Failure) -> String? { try string("o") }

  private func string(_ type: Unicode.Scalar) throws(BusConnection.Failure) -> String? {
    var text: UnsafePointer<CChar>?
    let code = unsafe sd_bus_message_read_basic(message, CChar(UInt8(ascii: type)), &text)
    try BusConnection.check(code)
    guard code > 0, let text = unsafe text else { return nil }
    return unsafe String(cString: text)
  }

  /// The next value, a list of texts.
  package func texts() throws(BusConnection.Failure) -> [String] {
    try enter("a", "s")
    var texts: [String] = []
    while let text = try text() { texts.append(text) }
    return texts
  }

  /// Reads the next value, a variant of that type (D-Bus specification, "Type System").
  package func variant<Value>(
    _ type: String, read: () throws(BusConnection.Failure) -> Value
  ) throws(BusConnection.Failure) -> Value {
    try enter("v", type)
    let value = try read()
    try leave()
    return value
  }

  /// Reads the next value, a structure of those types.
  package func structure<Value>(
    _ types: String, read: () throws(BusConnection.Failure) -> Value
  ) throws(BusConnection.Failure) -> Value {
    try enter("r", types)
    let value = try read()
    try leave()
    return value
  }

  /// Reads the next value, a dictionary `a{sv}`. `read` reads the value of the name, a variant, or says that it did not.
  package func properties(
    _ read: (_ name: String) throws(BusConnection.Failure) -> Bool
  ) throws(BusConnection.Failure) {
    try enter("a", "{sv}")
    while try enter("e", "sv") {
      if let name = try text(), try !read(name) {
        try BusConnection.check(unsafe sd_bus_message_skip(message, "v"))
      }
      try leave()
    }
    try leave()
  }

  /// Goes into a container; false where no further value is there.
  @discardableResult private func enter(
    _ type: Unicode.Scalar, _ contents: String
  ) throws(BusConnection.Failure) -> Bool {
    let code = unsafe sd_bus_message_enter_container(message, CChar(UInt8(ascii: type)), contents)
    try BusConnection.check(code)
    return code > 0
  }

  private func leave() throws(BusConnection.Failure) {
    try BusConnection.check(unsafe sd_bus_message_exit_container(message))
  }
}

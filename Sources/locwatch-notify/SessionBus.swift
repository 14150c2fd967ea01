import CSystemd

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A connection to the bus of the user's session, through sd-bus. Its calls wait for their answers; it is for one thread.
@safe struct SessionBus: ~Copyable {
  /// What went wrong, as an errno.
  struct Failure: Error {
    var code: Int32
  }

  /// A value of a message.
  enum Value {
    case text(String)
    case number(UInt32)
    case time(Int32)
    case byte(UInt8)
    case texts([String])
    /// A dictionary of names and values, `a{sv}`.
    case map([(key: String, value: Value)])
  }

  private let bus: OpaquePointer

  /// - Throws: where there is no bus, or it lets nobody of this user in.
  init() throws(Failure) {
    var bus: OpaquePointer?
    let code = unsafe sd_bus_open_user(&bus)
    guard code >= 0, let bus = unsafe bus else { throw Failure(code: -code) }
    unsafe self.bus = bus
  }

  deinit { unsafe sd_bus_flush_close_unref(bus) }

  /// Calls a method and hands its answer to `read`.
  func call<Answer>(
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

  /// The next message that nobody called for; nil where none comes in so many seconds.
  func next(within seconds: UInt64) throws(Failure) -> BusMessage? {
    while true {
      var found: OpaquePointer?
      let code = unsafe sd_bus_process(bus, &found)
      try Self.check(code)
      if let message = unsafe found { return unsafe BusMessage(message) }
      guard code == 0 else { continue }
      let waited = unsafe sd_bus_wait(bus, seconds * 1_000_000)
      if waited == -EINTR { continue }
      try Self.check(waited)
      if waited == 0 { return nil }
    }
  }

  static func check(_ code: Int32) throws(Failure) {
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

extension SessionBus.Value {
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
@safe struct BusMessage: ~Copyable {
  private let message: OpaquePointer

  /// Takes the caller's reference.
  init(_ message: OpaquePointer) { unsafe self.message = message }

  deinit { unsafe sd_bus_message_unref(message) }

  /// Whether it is a signal of that name.
  func isSignal(_ interface: String, _ member: String) -> Bool {
    unsafe sd_bus_message_is_signal(message, interface, member) > 0
  }

  /// The next value, a number.
  func number() throws(SessionBus.Failure) -> UInt32 {
    var number: UInt32 = 0
    try SessionBus.check(unsafe sd_bus_message_read_basic(message, CChar(UInt8(ascii: "u")), &number))
    return number
  }

  /// The next value, a text; nil where there is none.
  func text() throws(SessionBus.Failure) -> String? {
    var text: UnsafePointer<CChar>?
    let code = unsafe sd_bus_message_read_basic(message, CChar(UInt8(ascii: "s")), &text)
    try SessionBus.check(code)
    guard code > 0, let text = unsafe text else { return nil }
    return unsafe String(cString: text)
  }

  /// The next value, a list of texts.
  func texts() throws(SessionBus.Failure) -> [String] {
    try SessionBus.check(unsafe sd_bus_message_enter_container(message, CChar(UInt8(ascii: "a")), "s"))
    var texts: [String] = []
    while let text = try text() { texts.append(text) }
    return texts
  }
}

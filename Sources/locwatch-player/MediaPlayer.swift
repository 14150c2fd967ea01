import Glibc
import LocationBus

/// A player as the desktop knows it (MPRIS 2.2): keys and headsets command it, whether its program runs or not.
struct MediaPlayer {
  static let path = "/org/mpris/MediaPlayer2"
  private static let root = "org.mpris.MediaPlayer2"
  private static let player = "org.mpris.MediaPlayer2.Player"

  /// The subscriber.
  let name: String
  /// `Playing`, `Paused` or `Stopped`.
  var status: String

  /// The name on the bus. It has letters, digits and underscores only (D-Bus specification, "Bus names").
  var busName: String {
    let word = String(
      name.unicodeScalars.map {
        $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) ? Character($0) : "_"
      })
    return "\(Self.root).locwatch.\(word.first.map { "0123456789".contains($0) } ?? true ? "_" : "")\(word)"
  }

  /// Tells whoever listens that it plays, or does not any more.
  func announce(on bus: borrowing MessageBus) throws(MessageBus.Failure) {
    try bus.emit(
      Self.path, MessageBus.properties, "PropertiesChanged",
      [.text(Self.player), .map([BusValue.Entry("PlaybackStatus", .text(status))]), .texts([])])
  }

  /// Answers a call; what it commands, where it commands something.
  func take(_ message: borrowing BusMessage, on bus: borrowing MessageBus) throws(MessageBus.Failure)
    -> String?
  {
    guard message.kind == .call else { return nil }
    guard message.path == Self.path else {
      try Self.refuse(message, "Object", on: bus)
      return nil
    }
    let member = message.member
    switch (message.interface, member) {
    case ("org.freedesktop.DBus.Introspectable", "Introspect"):
      try bus.reply(to: message, [.text(Self.introspection)])
    case (MessageBus.properties, "GetAll"):
      let wanted = try message.text() ?? ""
      try bus.reply(to: message, [.map(values(of: wanted))])
    case (MessageBus.properties, "Get"):
      let wanted = try message.text() ?? ""
      let key = try message.text()
      guard let value = values(of: wanted).first(where: { $0.key == key })?.value else {
        try Self.refuse(message, "Property", on: bus)
        return nil
      }
      try bus.reply(to: message, [.variant(value)])
    case (Self.player, _), ("", _):
      guard let command = Self.commands[member] else {
        try Self.refuse(message, "Method", on: bus)
        return nil
      }
      try bus.reply(to: message)
      return command
    case (Self.root, "Raise"), (Self.root, "Quit"): try bus.reply(to: message)
    case _: try Self.refuse(message, "Method", on: bus)
    }
    return nil
  }

  /// Says that there is no such thing here.
  private static func refuse(
    _ message: borrowing BusMessage, _ kind: String, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) {
    let text = "there is no such \(kind.lowercased())"
    try bus.refuse(message, "org.freedesktop.DBus.Error.Unknown\(kind)", text)
  }

  /// The methods that command it, and what the program is told.
  private static let commands = [
    "Play": "play", "Pause": "pause", "PlayPause": "play_pause", "Next": "next", "Previous": "previous",
    "Stop": "stop",
  ]

  private func values(of interface: String) -> [BusValue.Entry] {
    let values: [(String, BusValue)] =
      switch interface {
      case Self.root:
        [
          ("CanQuit", .flag(false)), ("CanRaise", .flag(false)), ("HasTrackList", .flag(false)),
          ("Identity", .text(name)), ("SupportedUriSchemes", .texts([])), ("SupportedMimeTypes", .texts([])),
        ]
      case Self.player:
        [
          ("PlaybackStatus", .text(status)), ("Rate", .real(1)), ("MinimumRate", .real(1)),
          ("MaximumRate", .real(1)), ("Volume", .real(1)), ("Position", .int64(0)), ("Metadata", .map([])),
          ("CanGoNext", .flag(true)), ("CanGoPrevious", .flag(true)), ("CanPlay", .flag(true)),
          ("CanPause", .flag(true)), ("CanSeek", .flag(false)), ("CanControl", .flag(true)),
        ]
      case _: []
      }
    return values.map { BusValue.Entry($0, $1) }
  }

  private static let introspection = """
    <node>
      <interface name="org.mpris.MediaPlayer2">
        <method name="Raise"/><method name="Quit"/>
        <property name="Identity" type="s" access="read"/>
      </interface>
      <interface name="org.mpris.MediaPlayer2.Player">
        <method name="Play"/><method name="Pause"/><method name="PlayPause"/>
        <method name="Next"/><method name="Previous"/><method name="Stop"/>
        <property name="PlaybackStatus" type="s" access="read"/>
        <property name="CanControl" type="b" access="read"/>
      </interface>
    </node>
    """
}

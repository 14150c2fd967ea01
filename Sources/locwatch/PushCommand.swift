import ArgumentParser
import LocationFormats
import LocationRuntime

/// `locwatch push`: sends a subscriber a push, to try it.
struct PushCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "push",
    abstract: "Send a subscriber a push: show an alert, wake the program, or both.",
    discussion: """
      A push is a JSON object of at most 4 KiB. With "alert" the user sees it at
      once. With "content-available":1 it wakes or relaunches the program, which
      needs the mode remote-notification. Docs/Subscribers.md describes both.

        locwatch push mail --data '{"alert":"New mail","id":"17"}'
        locwatch push mail --data '{"content-available":1,"data":{"box":3}}'
        locwatch push mail --data @push.json
        echo '{"content-available":1}' | locwatch push mail --data -

      Other users may see a command line. @FILE and - keep a push out of it.
      """)

  @Argument(help: ArgumentHelp("The subscriber.", valueName: "name"), completion: Candidates.subscribers)
  var name: String

  @Option(help: ArgumentHelp("The push: JSON, @FILE, or - for standard input.", valueName: "json"))
  var data: String

  @OptionGroup var state: StateOptions

  func perform() throws(Failure) {
    let bytes: [UInt8]
    if data == "-" || data.hasPrefix("@") {
      bytes = try FileBytes.read(path: data == "-" ? "-" : String(data.dropFirst()))
    } else {
      bytes = Array(data.utf8)
    }
    switch try state.seat().push(name, bytes) {
    case .taken: break
    case .duplicate:
      Terminal.note("dropped: \(name) was sent a push of this id in the last 24 h (rule H4)")
    case .kept: Terminal.note("\(name) gets it when locwatch run starts")
    }
  }
}

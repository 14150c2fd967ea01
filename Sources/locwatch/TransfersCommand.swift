import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// `locwatch transfers`: files that are carried for programs.
struct TransfersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfers",
    abstract: "List and cancel the transfers of a subscriber.",
    discussion: """
      A subscriber has files fetched or sent; they go on while it is suspended or
      gone (Docs/Subscribers.md).

        locwatch transfers list maps
        locwatch transfers cancel maps 7
      """,
    subcommands: [List.self, Cancel.self])

  /// `locwatch transfers list`
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the transfers that have not ended, by number.")

    @Argument(
      help: ArgumentHelp("The subscriber.", valueName: "name"), completion: Candidates.subscribers)
    var name: String

    @OptionGroup var format: RegionsFormatOptions
    @OptionGroup var state: StateOptions

    func run() async throws {
      try Terminal.reporting { () throws(Failure) in
        let list = try state.seat().transfers(of: name)
        if list.isEmpty { Terminal.note("\(name) has no open transfers") }
        try format.print(list, header: ["TRANSFER", "SESSION", "KIND", "STATE"]) { tree in
          ["transfer", "session", "kind", "state"].map { tree[$0]?.string ?? tree[$0]?.text ?? "" }
        } json: { tree, line in
          line.open()
          line.member("transfer", tree["transfer"]?.integer)
          line.member("session", tree["session"]?.string)
          line.member("kind", tree["kind"]?.string)
          line.member("discretionary", tree["discretionary"] == .boolean(true))
          line.member("state", tree["state"]?.string)
          line.close()
        }
      }
    }
  }

  /// `locwatch transfers cancel`
  struct Cancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "cancel", abstract: "Cancel a transfer; what has come is erased.")

    @Argument(
      help: ArgumentHelp("The subscriber.", valueName: "name"), completion: Candidates.subscribers)
    var name: String

    @Argument(help: ArgumentHelp("The transfer.", valueName: "number"))
    var number: Int

    @OptionGroup var state: StateOptions

    func run() async throws {
      try Terminal.reporting { () throws(Failure) in try state.seat().cancelTransfer(number, of: name) }
    }
  }
}

import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// `locwatch transfers`: files that are carried for programs.
struct TransfersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfers",
    abstract: "List and cancel the transfers of subscribers.",
    discussion: """
      A subscriber has files fetched or sent; they go on while it is suspended or
      gone (Docs/Subscribers.md).

        locwatch transfers
        locwatch transfers list maps
        locwatch transfers cancel maps 7
      """,
    subcommands: [List.self, Cancel.self], defaultSubcommand: List.self)

  /// `locwatch transfers list`
  struct List: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the transfers that have not ended, by number.",
      discussion: """
          locwatch transfers list
          locwatch transfers list maps
        """)

    @OptionGroup var owner: SubscriberChoice
    @OptionGroup var format: OutputFormatOptions
    @OptionGroup var state: StateOptions

    func perform() throws(Failure) {
      let seat = try state.seat()
      let list = try owner.all(in: state) { (name) throws(Failure) in try seat.transfers(of: name) }
      if list.isEmpty { Terminal.note("\(owner.said) no open transfers") }
      let header = owner.header + ["TRANSFER", "SESSION", "KIND", "STATE"]
      try format.print(list, header: header) { name, tree in
        owner.cell(name)
          + ["transfer", "session", "kind", "state"].map { tree[$0]?.string ?? tree[$0]?.text ?? "" }
      } json: { item, line in
        let (name, tree) = item
        line.open()
        line.member("subscriber", name)
        line.member("transfer", tree["transfer"]?.integer)
        line.member("session", tree["session"]?.string)
        line.member("kind", tree["kind"]?.string)
        line.member("discretionary", tree["discretionary"] == .boolean(true))
        line.member("state", tree["state"]?.string)
        line.close()
      }
    }
  }

  /// `locwatch transfers cancel`
  struct Cancel: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "cancel", abstract: "Cancel a transfer; what has come is erased.",
      discussion: """
          locwatch transfers cancel maps 7
        """)

    @Argument(
      help: ArgumentHelp("The subscriber.", valueName: "name"), completion: Candidates.subscribers)
    var name: String

    @Argument(help: ArgumentHelp("The transfer.", valueName: "number"))
    var number: Int

    @OptionGroup var format: SameFormatOptions
    @OptionGroup var state: StateOptions

    func perform() throws(Failure) {
      let isDone = try state.seat().cancelTransfer(number, of: name)
      if !isDone { Terminal.note("transfer \(number) will be cancelled when locwatch run starts") }
    }
  }
}

import ArgumentParser
import LocationFormats
import LocationLab
import LocationRuntime

extension PowerCommand {
  /// `locwatch power`: what was spent.
  struct Spent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the energy the daemon has booked, by component, subscriber and rule.",
      discussion: """
          locwatch power
          locwatch power spent --by-day
          locwatch power spent --json | jq -s 'map(.joules) | add'

        Modelled, with the profile of locwatch run; Docs/Power.md tells how.
        """)

    @Flag(help: "A row for each day.")
    var byDay = false

    @Flag(help: "One JSON object a line.")
    var json = false

    @OptionGroup var state: StateOptions

    func run() async throws {
      try Terminal.reporting { () throws(Failure) in
        let spent = try state.seat().energy()
        let account = EnergyAccount(spent.rows, byDay: byDay)
        if account.isEmpty, !json { return Terminal.note("nothing booked yet; locwatch run books") }
        try Terminal.print(json ? account.json : account.text + (spent.books?.text ?? ""))
      }
    }
  }
}

import ArgumentParser

/// `locwatch regions`: the places to watch.
struct RegionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "regions",
    abstract: "Manage the places to watch: add, import, show and check regions.",
    discussion: """
      The state file keeps them. It is in ~/.local/state/locwatch, or in
      /var/lib/locwatch for root; --state FILE names another. On the command line
      latitude comes first; in GeoJSON longitude does.

        locwatch regions add home --circle 48.1371,11.5754,120 --dwell 300
        locwatch regions import places.geojson
        locwatch regions list
        locwatch regions show home                        # with a map of dots
        locwatch regions move home --here
        locwatch regions near 48.1371,11.5754 -n 5
        locwatch regions check --regions places.geojson
        locwatch regions locate --regions places.geojson < points.ndjson
        locwatch regions export > backup.geojson

      The output is a table on a terminal and NDJSON in a pipe; --format overrides
      that. locate always prints NDJSON.
      """,
    subcommands: [
      RegionsList.self, RegionsShow.self, RegionsAdd.self, RegionsMove.self, RegionsRename.self,
      RegionsEdit.self, RegionsRemove.self, RegionsCheck.self,
      RegionsImport.self, RegionsExport.self, RegionsNear.self, RegionsLocate.self,
    ], defaultSubcommand: RegionsList.self)
}

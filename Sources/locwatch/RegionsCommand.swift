import ArgumentParser
import LocationRuntime

/// `locwatch regions`: the places to watch.
struct RegionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "regions",
    abstract: "The places to watch: add, import, look at and check them.",
    discussion: """
      Regions are kept in the state file: $XDG_STATE_HOME/locwatch/locwatch.db, or ~/.local/state/locwatch/,
      or /var/lib/locwatch/ for root and the system service; --state names another. Latitude comes first on the
      command line, longitude first in GeoJSON.

        locwatch regions add home --circle 48.1371,11.5754,120 --dwell 300
        locwatch regions import places.geojson
        locwatch regions list
        locwatch regions near 48.1371,11.5754 -n 5
        locwatch regions check --regions places.geojson
        locwatch regions locate --regions places.geojson < points.ndjson
        locwatch regions export > backup.geojson

      Output is a table on a terminal and NDJSON in a pipe; --format says otherwise.
      """,
    subcommands: [
      RegionsList.self, RegionsShow.self, RegionsAdd.self, RegionsRemove.self, RegionsCheck.self,
      RegionsImport.self, RegionsExport.self, RegionsNear.self, RegionsLocate.self,
    ])
}

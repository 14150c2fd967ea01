public import ArgumentParser
public import LocationCore
import LocationFormats

/// `--units`, for commands that tell distances and speeds.
struct UnitsOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The units of texts: metric (m, km, km/h), imperial (ft, mi, mph), nautical (m, nmi, kn) (default: $LOCWATCH_UNITS, else metric).",
      valueName: "units"))
  var units: MeasureUnits?

  /// The units asked for.
  ///
  /// - Throws: `.usage` where the environment names none.
  func choice() throws(Failure) -> MeasureUnits {
    if let units { return units }
    guard let word = EnvironmentVariable.value("LOCWATCH_UNITS"), !word.isEmpty else { return .metric }
    guard let units = MeasureUnits(rawValue: word) else {
      throw Failure(
        .usage, what: "LOCWATCH_UNITS is \"\(word)\"", remedy: "set it to metric, imperial or nautical")
    }
    return units
  }
}

extension MeasureUnits: ExpressibleByArgument {}

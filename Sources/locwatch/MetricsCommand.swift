import ArgumentParser
import LocationFormats
import LocationRuntime

/// `locwatch metrics`: numbers for Prometheus.
struct MetricsCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics",
    abstract: "Print metrics for Prometheus.",
    discussion: """
      Fixes, regions, subscribers, outlets and energy; no positions. The daemon can
      also write them to a file, for node_exporter's textfile collector.

        locwatch metrics
        locwatch metrics --format openmetrics
        locwatch run --metrics /var/lib/node_exporter/textfile/locwatch.prom
      """)

  @Option(help: "prometheus or openmetrics.")
  var format: MetricsFormat = .prometheus

  @OptionGroup var state: StateOptions

  func perform() throws(Failure) {
    try Terminal.print(MetricsText.describe(try state.seat().status(), as: format))
  }
}

extension MetricsFormat: ExpressibleByArgument {}

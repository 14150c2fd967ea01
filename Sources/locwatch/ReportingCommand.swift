import ArgumentParser
import LocationFormats

/// A command whose failure is printed in one line, and ends the program with its exit status.
protocol ReportingCommand: AsyncParsableCommand {
  /// Does what the command is for.
  func perform() async throws(Failure)
}

extension ReportingCommand {
  func run() async throws {
    do throws(Failure) {
      try await perform()
    } catch {
      throw Terminal.exit(for: error)
    }
  }
}

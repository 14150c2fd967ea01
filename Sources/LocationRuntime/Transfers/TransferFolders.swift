import Glibc
import LocationCore

/// What the process of one subscriber's transfers may write. Two are equal that lead to the same, for the same user.
struct TransferFolders: Equatable {
  /// What has come so far of each transfer.
  let parts: Descriptor
  /// The directory of the program; nil where the process opens it by its path.
  let files: Descriptor?
  /// Its path.
  let directory: String
  private let user: [String?]

  init(parts: Descriptor, files: Descriptor?, directory: String, confinement: Subscriber.Confinement?) {
    self.parts = parts
    self.files = files
    self.directory = directory
    user = [confinement?.user, confinement?.group]
  }

  /// In the order in which the process gets them.
  var descriptors: [Descriptor] { [parts] + (files.map { [$0] } ?? []) }

  static func == (one: TransferFolders, other: TransferFolders) -> Bool {
    one.user == other.user && one.identity == other.identity
  }

  private var identity: [FileNumber?] { descriptors.map { $0.status.map { FileNumber($0) } } }
}

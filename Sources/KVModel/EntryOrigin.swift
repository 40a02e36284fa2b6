/// Where an entry comes from and what vouches for it.
public struct EntryOrigin: Hashable, Sendable {
  /// What vouches for it.
  public let evidence: Evidence
  /// What no checksum can exclude.
  public let cautions: [Caution]
  /// The bytes of its record or element; nothing where the format does not tell.
  public let extent: Extent?
  /// The value's bytes as the record stores them; nothing where a format has no such bytes.
  public let raw: [UInt8]?

  /// An origin.
  public init(
    _ evidence: Evidence, cautions: [Caution] = [], at extent: Extent? = nil, raw: [UInt8]? = nil
  ) {
    self.evidence = evidence
    self.cautions = cautions
    self.extent = extent
    self.raw = raw
  }
}

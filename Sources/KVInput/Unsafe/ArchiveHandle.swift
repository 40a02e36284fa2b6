#if Archives && canImport(CArchive)
  import CArchive
  import KVBytes

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #else
    import Darwin
  #endif

  /// An archive that libarchive has opened for reading.
  ///
  /// The library is used only for ZIP and TAR, and is given no file to write to.
  ///
  /// Invariants: `handle` comes from `archive_read_new` and is valid until `deinit`. The library
  /// calls back only during calls of this type, with the address of this object, which is alive
  /// then. Bytes passed to it by a callback are in `buffer`, whose address is stable until
  /// `deinit`. Bytes that the library returns are copied before the next call.
  @safe final class ArchiveHandle {
    // A class, because the library keeps its address, and the handle must be freed once.

    private static let bufferCount = 1 << 16

    /// The functions of libarchive; `nil` if it cannot be loaded.
    private static let functions: kvfsck_archive_functions? = {
      // All members are set before they are used, or none is.
      unsafe withUnsafeTemporaryAllocation(of: kvfsck_archive_functions.self, capacity: 1) {
        guard let place = $0.baseAddress, unsafe kvfsck_archive_load(place) else {
          return nil
        }
        return unsafe place.pointee
      }
    }()

    private let library: kvfsck_archive_functions
    private let handle: OpaquePointer
    private let input: ArchiveInput
    private let buffer: UnsafeMutablePointer<UInt8>
    /// The entry of the last header, which the library owns, and which is valid until the next
    /// header is read.
    private var entry: OpaquePointer?
    /// The thread's locale during reading.
    private let locale: locale_t?

    /// The name of a locale in which the library returns the names of TAR archives as they are.
    ///
    /// To UTF-8, it would convert them, and change letters with accents to one of their spellings.
    /// In a locale with ASCII only, that conversion fails, and the library takes the bytes. Only the
    /// C library of GNU is known to let it fail; others put in some other letter.
    #if canImport(Glibc)
      private static let localeName = "C"
    #else
      private static let localeName = "C.UTF-8"
    #endif

    /// Opens an archive of type `kind` with the bytes of `input`.
    ///
    /// If `isStream` is `true`, a ZIP archive is read by the headers before its members, and not by
    /// its directory. What is compressed is a TAR archive even if its first header is damaged, unless
    /// `isUncertain` is `true`.
    ///
    /// - Throws: The reason if the archive cannot be opened.
    init(
      _ input: ArchiveInput, _ kind: ArchiveKind, isStream: Bool, isUncertain: Bool
    ) throws(ArchiveFailure) {
      guard let library = Self.functions else {
        throw ArchiveFailure(
          reason: "it is an archive, and libarchive.so.13 is missing or cannot be loaded")
      }
      self.library = library
      guard let handle = unsafe library.archive_read_new() else {
        throw ArchiveFailure(reason: "out of memory")
      }
      unsafe self.handle = handle
      self.input = input
      unsafe buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.bufferCount)
      unsafe locale = newlocale(LC_CTYPE_MASK, Self.localeName, nil)
      unsafe _ = library.archive_read_set_read_callback(handle) { _, object, place in
        unsafe ArchiveHandle.at(object).read(to: place)
      }
      if input.isSeekable {
        unsafe _ = library.archive_read_set_seek_callback(handle) { _, object, offset, whence in
          unsafe ArchiveHandle.at(object).seek(offset, whence)
        }
      }
      unsafe _ = library.archive_read_set_callback_data(
        handle, Unmanaged.passUnretained(self).toOpaque())
      support(kind, isStream: isStream, isUncertain: isUncertain)
      guard unsafe library.archive_read_open1(handle) == ARCHIVE_OK else {
        throw ArchiveFailure(reason: input.damage ?? message)
      }
    }

    deinit {
      unsafe _ = library.archive_read_free(handle)
      unsafe buffer.deallocate()
      if let locale = unsafe locale { unsafe freelocale(locale) }
    }

    private func support(_ kind: ArchiveKind, isStream: Bool, isUncertain: Bool) {
      if kind == .filtered {
        unsafe _ = library.archive_read_support_filter_xz(handle)
        unsafe _ = library.archive_read_support_filter_bzip2(handle)
        unsafe _ = library.archive_read_support_filter_zstd(handle)
      }
      guard kind != .zip else {
        // With both, the library would go without an unreadable directory and not say so. The format
        // that is set explicitly is that of streams, and the first member may be damaged.
        if isStream {
          unsafe _ = library.archive_read_set_format(handle, ARCHIVE_FORMAT_ZIP)
        } else {
          unsafe _ = library.archive_read_support_format_zip_seekable(handle)
        }
        return
      }
      unsafe _ = library.archive_read_support_format_tar(handle)
      // Zeros end a TAR archive, but may also follow a damaged header.
      unsafe _ = library.archive_read_set_format_option(
        handle, "tar", "read_concatenated_archives", "1")
      // The format is set explicitly, because its detection needs the first header, which may be
      // damaged; and after the option, which would unset it.
      if !isUncertain { unsafe _ = library.archive_read_set_format(handle, ARCHIVE_FORMAT_TAR) }
    }

    // MARK: Reading

    /// Reads the next header.
    func next() -> ArchiveStep {
      let previous = unsafe uselocale(locale)
      defer { unsafe _ = uselocale(previous) }
      unsafe entry = nil
      let status = unsafe library.archive_read_next_header(handle, &entry)
      switch status {
      case ARCHIVE_EOF: return .end
      case ARCHIVE_OK, ARCHIVE_WARN:
        guard let entry = unsafe entry else { return .end }
        return .member(unsafe header(of: entry))
      case ARCHIVE_RETRY: return .damaged(message)
      default: return .failed(message)
      }
    }

    /// Reads the next piece of the current member.
    func piece() -> ArchivePiece {
      var start: UnsafeRawPointer?
      var count = 0
      var offset: Int64 = 0
      let status = unsafe library.archive_read_data_block(handle, &start, &count, &offset)
      switch status {
      case ARCHIVE_EOF: return .end(at: Int(offset))
      case ARCHIVE_OK, ARCHIVE_WARN:
        let bytes =
          unsafe start.map { unsafe Array(UnsafeRawBufferPointer(start: $0, count: count)) } ?? []
        return .bytes(bytes, at: Int(offset), warning: status == ARCHIVE_OK ? nil : message)
      default: return .failed(message, isFinal: status == ARCHIVE_FATAL)
      }
    }

    /// Skips the rest of the current member.
    ///
    /// - Returns: The reason if that failed; otherwise `nil`.
    func skip() -> String? {
      unsafe library.archive_read_data_skip(handle) < ARCHIVE_WARN ? message : nil
    }

    /// The offset of the last header in the archive, or in the decompressed bytes of a compressed
    /// one.
    var headerOffset: Int { Int(unsafe library.archive_read_header_position(handle)) }

    /// The number of bytes that were read after the place where the next header was looked for.
    var countAfterHeaderOffset: Int {
      Int(unsafe library.archive_filter_bytes(handle, 0)) - headerOffset
    }

    private var message: String {
      unsafe library.archive_error_string(handle).map { unsafe String(cString: $0) }
        ?? "unknown reason"
    }

    private func header(of entry: OpaquePointer) -> ArchiveHeader {
      let size =
        unsafe library.archive_entry_size_is_set(entry) != 0
        ? library.archive_entry_size(entry) : nil
      let link = unsafe bytes(library.archive_entry_hardlink(entry))
      let kind: ArchiveHeader.Kind =
        switch UInt32(unsafe library.archive_entry_filetype(entry)) {
        case 0o100000: link.map { .link(to: $0) } ?? .file
        case 0o040000: .folder
        case 0o120000:
          link.map { .link(to: $0) }
            ?? .symbolicLink(to: unsafe bytes(library.archive_entry_symlink(entry)) ?? [])
        case 0o010000: link.map { .link(to: $0) } ?? .special("a named pipe")
        case 0o140000: link.map { .link(to: $0) } ?? .special("a socket")
        default: link.map { .link(to: $0) } ?? .special("a device")
        }
      let name =
        unsafe bytes(library.archive_entry_pathname(entry))
        ?? bytes(library.archive_entry_pathname_utf8(entry))
      return ArchiveHeader(
        name: name ?? [], kind: kind, count: size.flatMap { Int(exactly: $0) },
        isEncrypted: unsafe library.archive_entry_is_encrypted(entry) != 0)
    }

    private func bytes(_ text: UnsafePointer<CChar>?) -> [UInt8]? {
      guard let text = unsafe text else { return nil }
      return unsafe Array(UnsafeBufferPointer(start: text, count: strlen(text)))
        .map { UInt8(bitPattern: $0) }
    }

    // MARK: Callbacks

    private static func at(_ object: UnsafeMutableRawPointer?) -> ArchiveHandle {
      guard let object = unsafe object else { preconditionFailure("it was set before opening") }
      return unsafe Unmanaged<ArchiveHandle>.fromOpaque(object).takeUnretainedValue()
    }

    private func read(to place: UnsafeMutablePointer<UnsafeRawPointer?>?) -> Int {
      let piece = input.next(after: Int(unsafe library.archive_filter_bytes(handle, 0)))
      precondition(piece.count <= Self.bufferCount)
      unsafe piece.withUnsafeBufferPointer { bytes in
        if let start = bytes.baseAddress { unsafe buffer.update(from: start, count: bytes.count) }
      }
      unsafe place?.pointee = UnsafeRawPointer(buffer)
      return piece.count
    }

    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
      let base: Int? =
        switch whence {
        case SEEK_SET: 0
        case SEEK_CUR: input.position
        default: input.seek(to: nil)
        }
      guard let base, let target = Int(exactly: offset).map({ base.addingReportingOverflow($0) }),
        !target.overflow, let found = input.seek(to: target.partialValue)
      else { return Int64(ARCHIVE_FATAL) }
      return Int64(found)
    }
  }
#endif

import KVBytes
package import KVReport
import KVSystem

#if Viewer && canImport(CCurses)
  import CCurses

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #else
    import Darwin
  #endif
#endif

/// The terminal as one screen, by ncurses.
package enum Screen {
  /// Why a screen could not be shown, or was left.
  package enum Failure: Error {
    /// The tool was built without the trait.
    case notBuilt
    /// Stdin or stdout is no terminal, or one of a kind that has no cursor to move.
    case noTerminal
    /// A signal asked for the end, or nobody is at the terminal any more.
    case interrupted
  }

  /// Whether the library was there when the tool was built.
  package static var isBuilt: Bool {
    #if Viewer && canImport(CCurses)
      true
    #else
      false
    #endif
  }

  #if !Viewer || !canImport(CCurses)
    /// Shows nothing.
    package static func show(
      _ model: inout some ScreenModel, inColor: Bool
    ) throws(Failure) { throw .notBuilt }
  #else
    /// How long a key is waited for until it is asked whether a signal has come, in milliseconds.
    private static let patience: Int32 = 100

    /// Shows `model` and hands it keys until it has enough of them; then, or when it is interrupted,
    /// the terminal is as it was.
    ///
    /// From now on the process ends by itself when a signal asks for it.
    package static func show(
      _ model: inout some ScreenModel, inColor: Bool
    ) throws(Failure) {
      guard Terminal.isInteractive(.input), Terminal.isInteractive(.output) else {
        throw .noTerminal
      }
      useUTF8()
      guard let screen = unsafe kv_screen() else { throw .noTerminal }
      defer { unsafe delscreen(screen) }
      guard kv_is_addressable() else {
        endwin()
        throw .noTerminal
      }
      Interruption.hold()
      defer { endwin() }
      prepare(inColor: inColor)
      try run(&model)
    }

    /// Has the C library take text for UTF-8: as the environment says, or else as the first locale does
    /// that the system has for that.
    private static func useUTF8() {
      for name in ["", "C.UTF-8", "en_US.UTF-8"] where unsafe setlocale(LC_CTYPE, name) != nil {
        if unsafe String(cString: nl_langinfo(nl_item(CODESET))) == "UTF-8" { return }
      }
    }

    private static func prepare(inColor: Bool) {
      cbreak()
      noecho()
      nonl()
      curs_set(0)
      unsafe keypad(kv_window(), true)
      // Long enough for the rest of a key's sequence.
      set_escdelay(25)
      guard inColor, has_colors(), start_color() == OK else { return }
      // On whatever background the terminal has.
      use_default_colors()
      for color in ScreenStyle.Color.allCases where color != .standard {
        init_pair(Int16(color.rawValue), Int16(color.rawValue), -1)
      }
    }

    private static func run(_ model: inout some ScreenModel) throws(Failure) {
      while true {
        model.size = ScreenSize(
          width: Int(unsafe getmaxx(kv_window())), height: Int(unsafe getmaxy(kv_window())))
        draw(model.lines())
        unsafe wtimeout(kv_window(), patience)
        var key = try awaited()
        // Keys that came meanwhile count before the next screen is made.
        unsafe wtimeout(kv_window(), 0)
        while let pressed = key {
          guard model.press(pressed) else { return }
          key = read()
        }
      }
    }

    private static func awaited() throws(Failure) -> ScreenKey? {
      while true {
        if let key = read() { return key }
        guard !Interruption.isRequested, Terminal.isInteractive(.input) else { throw .interrupted }
      }
    }

    private static func draw(_ lines: [ScreenLine]) {
      unsafe werase(kv_window())
      for (row, line) in lines.enumerated() {
        for span in line.spans {
          // Each where it belongs, also where the terminal has another width for a character before it.
          unsafe wmove(kv_window(), Int32(row), Int32(span.column))
          let style = span.style
          let color = has_colors() ? Int16(style.color.rawValue) : 0
          kv_set_style(style.isBold, style.isDim, style.isReversed, color)
          unsafe waddnstr(kv_window(), span.text, Int32(span.text.utf8.count))
        }
      }
      unsafe wrefresh(kv_window())
    }

    /// The next key; `nil` where none comes in time.
    private static func read() -> ScreenKey? {
      var code: UInt32 = 0
      switch unsafe wget_wch(kv_window(), &code) {
      case OK: return Unicode.Scalar(code).map { ScreenKey(typed: $0) } ?? .other
      case KEY_CODE_YES: return key(Int32(code))
      default: return nil
      }
    }

    private static func key(_ code: Int32) -> ScreenKey {
      switch code {
      case KEY_UP: .up
      case KEY_DOWN: .down
      case KEY_LEFT: .left
      case KEY_RIGHT: .right
      case KEY_PPAGE: .pageUp
      case KEY_NPAGE: .pageDown
      case KEY_HOME: .home
      case KEY_END: .end
      case KEY_ENTER: .enter
      case KEY_BACKSPACE: .backspace
      default: .other
      }
    }
  #endif
}

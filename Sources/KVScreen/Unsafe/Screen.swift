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

/// A full-screen terminal interface, drawn with ncurses.
package enum Screen {
  /// Why a screen could not be shown, or ended.
  package enum Failure: Error {
    /// The tool was built without the trait `Viewer`.
    case notBuilt
    /// Standard input or output is not a terminal, or the terminal cannot move its cursor.
    case noTerminal
    /// A signal requested the end, or the terminal was closed.
    case interrupted
  }

  /// Whether the tool was built with ncurses.
  package static var isBuilt: Bool {
    #if Viewer && canImport(CCurses)
      true
    #else
      false
    #endif
  }

  #if !Viewer || !canImport(CCurses)
    /// Throws `.notBuilt`: this build has no screen.
    package static func show(
      _ model: inout some ScreenModel, inColor: Bool
    ) throws(Failure) { throw .notBuilt }
  #else
    /// How long to wait for a key before checking for a signal, in milliseconds.
    private static let patience: Int32 = 100

    /// Shows `model` and passes keys to it until it returns `false`; then, or if interrupted,
    /// restores the terminal.
    ///
    /// From now on, a signal no longer ends the process; it has to end by itself.
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

    /// Makes the C library use UTF-8: with the locale of the environment if it does, or else with
    /// the first known locale that does.
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
      // Long enough for the rest of an escape sequence to arrive.
      set_escdelay(25)
      guard inColor, has_colors(), start_color() == OK else { return }
      // Keep the terminal's own background.
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
        // Process all keys that have arrived before drawing the next screen.
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
          // Position each span: the terminal may disagree about the width of a character before it.
          unsafe wmove(kv_window(), Int32(row), Int32(span.column))
          let style = span.style
          let color = has_colors() ? Int16(style.color.rawValue) : 0
          kv_set_style(style.isBold, style.isDim, style.isReversed, color)
          unsafe waddnstr(kv_window(), span.text, Int32(span.text.utf8.count))
        }
      }
      unsafe wrefresh(kv_window())
    }

    /// Returns the next key; `nil` if none arrives in time.
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

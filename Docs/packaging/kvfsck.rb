# For Homebrew; not tried. Docs/INSTALL.md says how to install it from a tap of your own.
class Kvfsck < Formula
  desc "Check, read and repair the key-value files of mobile apps"
  homepage "https://github.com/OWNER/kvfsck"
  license "Apache-2.0"
  head "https://github.com/OWNER/kvfsck.git", branch: "main"

  depends_on xcode: ["26.0", :build]
  depends_on "libarchive"
  depends_on :macos
  uses_from_macos "ncurses"
  uses_from_macos "sqlite"
  uses_from_macos "zlib"

  def install
    # The formula of libarchive is not linked, as macOS has an older one.
    ENV.prepend_path "PKG_CONFIG_PATH", Formula["libarchive"].opt_lib/"pkgconfig"
    system "Docs/packaging/install", "--prefix", prefix, "--", "--disable-sandbox"
    pkgshare.install "Fixtures/mmkv/damaged/flip_keylen_fwb"
  end

  test do
    assert_match "clean, 29 entries", shell_output(<<~SHELL)
      #{bin}/kvfsck repair #{pkgshare}/flip_keylen_fwb/kv --out #{testpath}/repaired -y >/dev/null
      #{bin}/kvfsck check #{testpath}/repaired
    SHELL
  end
end

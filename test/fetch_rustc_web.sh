#!/bin/sh
# Unpacks Debian's rustc-web (a third Rust toolchain for the tests) into a folder, without installing it.
# usage: test/fetch_rustc_web.sh [FOLDER]      default: $MIRDC_RUSTC_WEB, else .toolchain/rustc-web
# Afterwards FOLDER/bin/rustc works. Exit status 0: it is there; 1: it could not be had.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-${MIRDC_RUSTC_WEB:-$here/.toolchain/rustc-web}}

works() { "$folder/bin/rustc" -vV 2>/dev/null | grep -q '^release: '; }
if works; then
  echo "rustc-web: $("$folder/bin/rustc" -V) in $folder"
  exit 0
fi

candidate() { apt-cache show rustc-web 2>/dev/null | sed -n 's/^Version: //p' | head -n 1; }
version=$(candidate)
if [ -z "$version" ] && [ "$(id -u)" = 0 ]; then
  apt-get update -q >/dev/null 2>&1 || true
  version=$(candidate)
fi
case $version in
  "") echo "rustc-web: apt does not know the package (Debian 12 with security updates has it)" >&2
      exit 1 ;;
esac
minor=$(echo "$version" | sed 's/^\([0-9]*\.[0-9]*\).*/\1/')
llvm=$(apt-cache depends "libstd-rust-web-$minor" 2>/dev/null | sed -n 's/.*Depends: \(libllvm[0-9]*\).*/\1/p' | head -n 1)
[ -n "$llvm" ] || { echo "rustc-web: cannot tell which libllvm $version needs" >&2; exit 1; }

mkdir -p "$folder/debs"
cd "$folder/debs"
apt-get download rustc-web "libstd-rust-web-$minor" libstd-rust-web-dev "$llvm" >&2 ||
  { echo "rustc-web: the packages cannot be downloaded" >&2; exit 1; }
for deb in ./*.deb; do dpkg -x "$deb" "$folder"; done
rm -r "$folder/debs"

# Debian keeps the compiler's libraries in the system's folder; here they lie below FOLDER.
mkdir -p "$folder/bin"
cat > "$folder/bin/rustc" <<'LAUNCHER'
#!/bin/sh
root=$(cd "$(dirname "$0")/.." && pwd)
LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
exec "$root/usr/bin/rustc" "$@"
LAUNCHER
chmod +x "$folder/bin/rustc"
works || { echo "rustc-web: the unpacked compiler does not start" >&2; exit 1; }
echo "rustc-web: $("$folder/bin/rustc" -V) in $folder"

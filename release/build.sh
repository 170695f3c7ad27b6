#!/usr/bin/env bash
# Builds the release for Linux: a static program that needs nothing of the machine it runs on, with completions and
# manual pages, as an archive with its checksum. Neither the time nor the place of the build goes into it.
#
#   release/build.sh [FOLDER]     the folder for the archive (target/dist)
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(rustc -vV | sed -n 's/^host: //p')
target_dir=${CARGO_TARGET_DIR:-$PWD/target}
dist=${1:-$target_dir/dist}
version=$(cargo metadata --no-deps --format-version 1 | sed 's/.*"name":"holdpoint","version":"\([^"]*\)".*/\1/')
name=holdpoint-$version-$target

# As bench/hook.py counts it: static and without PIE, so that a hook starts without a loader. No path of this machine
# goes into the program.
cargo_home=${CARGO_HOME:-$HOME/.cargo}
flags="-C target-feature=+crt-static -C relocation-model=static"
flags="$flags --remap-path-prefix=$PWD=. --remap-path-prefix=$cargo_home=cargo --remap-path-prefix=$target_dir=target"
RUSTFLAGS=$flags cargo build --quiet --release --locked --bin holdpoint --target "$target" --target-dir "$target_dir"
program=$target_dir/$target/release/holdpoint

if ldd "$program" >/dev/null 2>&1; then
  echo "error: $program is not static" >&2
  exit 1
fi
# It must work where there is nothing but git and a shell.
env -i PATH=/usr/bin:/bin "$program" demo >/dev/null

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$dist" "$work/$name/completions"
cp "$program" README.md LICENSE-APACHE LICENSE-MIT "$work/$name/"
for shell in bash zsh fish elvish powershell; do
  "$program" shell completions "$shell" > "$work/$name/completions/holdpoint.$shell"
done
"$program" shell man --to "$work/$name/man/man1" >/dev/null

when=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
tar --create --directory "$work" --sort=name --owner=0 --group=0 --numeric-owner --mode='u=rwX,go=rX' \
  --mtime="@$when" "$name" | gzip --no-name --best > "$dist/$name.tar.gz"
(cd "$dist" && sha256sum "$name.tar.gz" > "$name.tar.gz.sha256")
"$program" --version
ls -l "$dist/$name.tar.gz"
cat "$dist/$name.tar.gz.sha256"

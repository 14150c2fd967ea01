# What scripts/demo and scripts/test share: to be sourced, not run.
#
# Takes a Debian 12 machine that has git and a Swift toolchain to one that builds the project.
# Exit codes follow sysexits: 69 for what is not there and can't be fetched, 77 for what is not permitted.

# The Swift toolchain does not start without the first line and neither compiles nor links without the second.
toolchain_packages=(
  libcurl4 libncurses6 libsqlite3-0 libxml2
  binutils libc6-dev libgcc-12-dev libstdc++-12-dev pkg-config
)

# The C libraries of Package.swift.
library_packages=(
  libcurl4-openssl-dev libexpat1-dev libgeos-dev libgps-dev libnats-dev libsqlite3-dev libssl-dev libsystemd-dev
  libyaml-dev zlib1g-dev
)

# A gpsd, its tools and python3's gps.fake that feeds it, for the end-to-end tests. gpsfake itself is in
# gpsd-clients, which depends on a gigabyte of desktop. The browser opens the pages of `replay --report` and of `serve`,
# whose map is Leaflet. GeoClue hands fixes to desktop programs. The bus and its
# mock stand for the desktop that shows notifications. mosquitto with its clients and openssl are the other side of
# outlets; systemd-analyze judges the units. The shells try their completions, gpsbabel reads what others wrote.
# nats-server is the cluster of a fleet. PipeWire with its session manager and playerctl are the desktop of a player.
# Avahi publishes services, on a network of its own.
test_packages=(
  gpsd gpsd-tools python3-gps chromium-headless-shell dbus geoclue-2.0 libjs-leaflet python3-dbusmock mosquitto
  mosquitto-clients nats-server openssl systemd fish gpsbabel zsh pipewire-bin pipewire-pulse wireplumber
  pulseaudio-utils playerctl avahi-daemon avahi-utils iproute2
)

say() { printf '%s: %s\n' "$program" "$*"; }

# Ends the script with one line on standard error: fail STATUS TEXT.
fail() {
  local status=$1
  shift
  printf '%s: %s\n' "$program" "$*" >&2
  exit "$status"
}

# Answers --help with the comment at the head of the script, and refuses more words than it takes: usage MOST "$@".
usage() {
  local most=$1 script
  script=$(dirname "${BASH_SOURCE[0]}")/../../$program
  shift
  case ${1:-} in
    -h | --help)
      sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$script"
      exit 0
      ;;
    -*) fail 64 "no option $1; $program --help tells what there is" ;;
  esac
  [ $# -le "$most" ] || fail 64 "one word too many: ${*:$((most + 1)):1}; $program --help tells what there is"
}

# Looks at programs that are to be packed. A package can't name Swift's runtime, which Debian does not have.
require_static() {
  local file
  for file in "$@"; do
    [ -f "$file" ] && [ -x "$file" ] || fail 66 "there is no program $file"
    [[ $(objdump -p "$file") != *NEEDED*libswift* ]] \
      || fail 70 "$file needs Swift's runtime; link the program with --static-swift-stdlib"
  done
}

# Puts a Swift toolchain on PATH, installs what is missing of the named packages, and looks at the toolchain's version.
prepare() {
  local version
  command -v swift >/dev/null || PATH=$PATH:/opt/swift/usr/bin
  command -v swift >/dev/null \
    || fail 69 "no Swift toolchain: put swift on PATH or in /opt/swift/usr/bin (https://www.swift.org/install/linux)"
  install_missing "$@"
  version=$(swift --version 2>&1) || fail 69 "swift does not run: ${version##*$'\n'}"
  version=$(sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' <<<"$version" | head -n 1)
  [ "$(printf '%s\n' 6.2 "$version" | sort -V | head -n 1)" = 6.2 ] \
    || fail 69 "$(command -v swift) is Swift ${version:-of an unknown version}; 6.2 or later is needed"
  say "using Swift $version in $(command -v swift)"
}

# Needs neither root nor network where nothing is missing.
install_missing() {
  local missing=() as_root=() try
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "not a Debian system, nothing is installed; what is needed, by Debian's names: $*"
    return
  fi
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo)
    # Without a terminal nobody can answer sudo's question.
    [ -t 0 ] || as_root+=(-n)
    command -v sudo >/dev/null && "${as_root[@]}" true 2>/dev/null \
      || fail 77 "packages are missing and neither root nor sudo is at hand; as root: apt-get install ${missing[*]}"
  fi
  say "installing ${missing[*]}"
  local log
  log=$(mktemp)
  for try in 1 2; do
    [ $try -eq 1 ] || { say "apt-get failed, trying once more" && sleep 5; }
    if apt update && apt install --no-install-recommends "${missing[@]}"; then
      rm -f "$log"
      return
    fi
  done
  # The first complaint is the cause; an unreachable mirror is only a warning to apt-get.
  fail 69 "apt-get: $(grep -m 1 -E '^(E:|W: Failed)' "$log" || true) (all of it: $log); to install: ${missing[*]}"
}

apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=300 "$@" \
    >>"$log" 2>&1 </dev/null
}

# Prints those of the named packages that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    # One word for each architecture in which the package is known; "not-installed" is among the words.
    [[ $(dpkg-query -W -f=' ${db:Status-Status}' "$package" 2>/dev/null) == *" installed"* ]] || echo "$package"
  done
}

# Fetches the Swift packages and builds; on a terminal with SwiftPM's own progress line, else quietly.
build() {
  local log
  log=$(mktemp)
  say "fetching Swift packages"
  swift package resolve >"$log" 2>&1 </dev/null \
    || fail 69 "Swift packages can't be fetched: $(grep -m 1 -oE '(fatal|^error): .*' "$log" || true) (all of it: $log)"
  say "building: swift build $*"
  if [ -t 1 ]; then
    swift build "$@" </dev/null || fail 70 "the build failed (above)"
  elif ! swift build "$@" >"$log" 2>&1 </dev/null; then
    grep -E '^(/.*: )?error: ' "$log" | awk '!seen[$0]++' >&2 || tail "$log" >&2
    fail 70 "the build failed (above; all of it: $log)"
  fi
  rm -f "$log"
}

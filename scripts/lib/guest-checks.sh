#!/bin/bash
# What scripts/test-guest runs in the virtual machine, as root, once for each boot. It prints a line for each check.
export LANG=C.UTF-8 HOME=/root
state=/var/lib/locwatch/locwatch.db

ok() { echo "ok $*"; }
bad() { echo "not ok $*"; }
note() { while IFS= read -r line; do echo "# $line"; done; }
check() { # check NAME COMMAND...
  local name=$1
  shift
  if "$@" > /tmp/said 2>&1; then ok "$name"; else bad "$name"; tail -5 /tmp/said | note; fi
}
within() { # within SECONDS COMMAND...: repeats it until it succeeds
  local end=$((SECONDS + $1))
  shift
  until "$@" > /dev/null 2>&1; do
    [ $SECONDS -lt $end ] || return 1
    sleep 1
  done
}
shows() { # shows TEXT COMMAND...: whether its output has the text
  local text=$1
  shift
  "$@" 2>&1 | tee /tmp/said | grep -q -e "$text"
}
main_pid() { systemctl show -p MainPID --value locwatch; }
restarts() { systemctl show -p NRestarts --value locwatch; }
is_other() { [ "$(main_pid)" != "$1" ] && [ "$(main_pid)" != 0 ] && systemctl -q is-active locwatch; }
# 1: it answers, and has no fix.
answers() { locwatch status --state $state > /dev/null || [ $? = 1 ]; }
is_inside() { locwatch status --state $state --format text | grep -q 'inside work'; }
logs() { journalctl -q -u locwatch --no-pager -o cat "$@"; }
frozen() { grep -qx 1 $(find /sys/fs/cgroup/system.slice/locwatch.service -name cgroup.freeze); }

# Plays a drive that begins now, a sentence at its time.
drive() { # drive FROM TO
  cat > /tmp/drive.yaml <<END
start: $(date -u -d '+2 seconds' +%FT%TZ)
seed: 7
by: car
steps: [at: [$1], stop_s: 5, to: [$2], stop_s: 25]
END
  locwatch synth /tmp/drive.yaml -o /tmp/drive.nmea || return
  while read -r line; do
    case $line in *RMC*)
      local time=${line#*,}
      time=${time%%[.,]*}
      while [ "$(date -u +%H%M%S)" \< "$time" ]; do sleep 0.1; done
      ;;
    esac
    printf '%s\r\n' "$line" > /dev/udp/127.0.0.1/10155
  done < /tmp/drive.nmea
}

first_boot() {
  date -u | note
  check "systemd is up" within 120 systemctl -q is-active multi-user.target
  check "the package made a user" getent passwd locwatch

  check "one command, and the daemon runs" locwatch on enter work --circle 52.5200,13.3777,150 --start -- touch /var/tmp/arrived
  check "the service is active" within 60 systemctl -q is-active locwatch
  check "the socket is active" systemctl -q is-active locwatch.socket
  check "the daemon answers" within 30 answers
  systemctl show -p MemoryCurrent,StatusText,Delegate locwatch | note
  drive 52.5163,13.3777 52.5200,13.3777
  check "the command ran on arrival" within 60 test -e /var/tmp/arrived
  locwatch events --state $state --format text | tail -3 | note

  local pid
  pid=$(main_pid)
  kill -9 "$pid"
  check "after kill -9 it runs again" within 60 is_other "$pid"
  check "it answers again" within 60 answers
  check "it still is in the region" is_inside
  pid=$(main_pid)
  check "it reloads" systemctl reload locwatch
  [ -z "$(grep -i fail /tmp/said)" ] || journalctl -q --no-pager -o cat -n 8 | note
  check "it has not ended by that" test "$(main_pid)" = "$pid"

  mkdir -p /etc/systemd/system/locwatch.service.d
  printf '[Service]\nWatchdogSec=10\n' > /etc/systemd/system/locwatch.service.d/watchdog.conf
  systemctl daemon-reload
  systemctl restart locwatch
  check "it runs with a short watchdog" within 60 answers
  sleep 25
  check "a daemon that lives is left alone" test "$(restarts)" -le 1
  pid=$(main_pid)
  kill -STOP "$pid"
  check "one that hangs is started anew" within 90 is_other "$pid"
  rm /etc/systemd/system/locwatch.service.d/watchdog.conf
  systemctl daemon-reload

  cat > /root/tea.py <<'END'
#!/usr/bin/env python3
import sys, json
for line in sys.stdin:
    message = json.loads(line)
    if message.get("type") == "launch" and message.get("cause") == "user":
        print(json.dumps({"notify": {"id": "tea", "title": "Tea", "after_s": 60}}), flush=True)
    event = message.get("id")
    if event: print(json.dumps({"ack": event}), flush=True)
END
  install -m 755 /root/tea.py /usr/local/bin/tea
  printf '#!/bin/sh\ncat >> /var/lib/locwatch/shown\n' > /usr/local/bin/show
  chmod 755 /usr/local/bin/show
  printf 'name: tea\ncommand: [/usr/local/bin/tea]\nstyle: resident\nservices: [visits]\nmodes: []\nauthorization: always\n' > /root/tea.yaml
  printf 'notifications:\n  notify_hook: [/usr/local/bin/show]\n' > /etc/locwatch.yaml
  for mode in root hardened; do
    [ $mode = root ] || install -m 644 /root/hardened.conf /etc/systemd/system/locwatch.service.d/hardened.conf
    printf '[Service]\nExecStart=\nExecStart=/usr/bin/locwatch run --config /etc/locwatch.yaml\n' > /etc/systemd/system/locwatch.service.d/config.conf
    systemctl daemon-reload
    systemctl restart locwatch
    check "$mode: it runs" within 60 answers
    ps -o user= -p "$(main_pid)" | note
    [ $mode = hardened ] || locwatch subscribers add /root/tea.yaml --state $state > /tmp/said 2>&1 || note < /tmp/said
    check "$mode: a program is launched" locwatch subscribers launch tea --state $state
    check "$mode: it has a notification" within 30 shows Tea locwatch notifications list tea --state $state
    rm -f /var/lib/locwatch/shown
    check "$mode: it leaves the foreground" locwatch subscribers background tea --state $state
    check "$mode: it is frozen" within 60 frozen
    cat /proc/"$(main_pid)"/cgroup | note
    frozen || { locwatch subscribers show tea --state $state --format text 2>&1; logs -n 6; find /sys/fs/cgroup/system.slice/locwatch.service -name cgroup.freeze -exec grep -H . {} +; } | note
    check "$mode: a notification is shown" within 120 test -s /var/lib/locwatch/shown
    locwatch subscribers quit tea --state $state > /dev/null 2>&1
  done
  systemd-analyze security locwatch.service 2> /dev/null | tail -1 | note
  locwatch capabilities 2>&1 | grep -E '^(sleep|freezer|suspension|precedence|screen-lock)' | note
  stat -c '%U %a %n' /var/lib/locwatch $state | note

  check "the bus service starts" systemctl start locwatch-bus
  check "it answers on the bus" busctl call locwatch.Daemon1 /locwatch/Daemon1 org.freedesktop.DBus.Peer Ping
  check "the page starts" systemctl start locwatch-serve
  check "it listens" within 30 test -s /var/lib/locwatch/web.token
  check "low power by the mains" systemctl start locwatch-mains locwatch-battery

  useradd -m anna
  loginctl enable-linger anna
  check "a user's manager runs" within 120 test -S "/run/user/$(id -u anna)/bus"
  as_anna() { runuser -u anna -- env HOME=/home/anna XDG_RUNTIME_DIR="/run/user/$(id -u anna)" DBUS_SESSION_BUS_ADDRESS="unix:path=/run/user/$(id -u anna)/bus" "$@"; }
  check "a user's one command" as_anna locwatch on enter cafe --circle 52.5300,13.3777,100 --start -- touch /home/anna/arrived
  check "a user's service is active" within 60 as_anna systemctl --user -q is-active locwatch
  check "a user's daemon answers" within 30 shows 'fixes from\|no fix' as_anna locwatch status --format text
  as_anna locwatch capabilities 2>&1 | grep -E '^(suspension|freezer|screen-lock)' | note

  logs -p warning | tail -5 | note
  rm -f /var/tmp/arrived
  touch /root/booted
  ok "the first boot is over"
  sync
  systemctl reboot
}

second_boot() {
  check "the service came with the boot" within 120 systemctl -q is-active locwatch
  check "the daemon answers after the boot" within 60 answers
  check "it knows that it was in the region" is_inside
  sleep 10
  check "it does not arrive twice" test ! -e /var/tmp/arrived
  check "the user's service came with the boot" within 120 systemctl -q is-active "user@$(id -u anna).service"
  logs -b | head -8 | note
  check "another unit of it is enabled" systemctl enable --now locwatch-serve.service
  check "the package is purged" apt-get purge -y locwatch
  check "nothing of it runs" test -z "$(pgrep -x locwatch -u root,locwatch)"
  # But for the drop-ins, which these checks have made.
  local left
  left=$(find /etc/systemd /usr/lib/systemd -name 'locwatch*.s*' -not -name '*.d' -not -path '*/user*')
  check "no unit is left" test -z "$left"
  echo "$left" | note
  ok "the last check"
  sync
  systemctl poweroff
}

exec 2>&1
if [ -e /root/booted ]; then second_boot; else first_boot; fi

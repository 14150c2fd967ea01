#!/bin/sh
# Low-power mode of locwatch while power-profiles-daemon has the profile power-saver, for as long as this runs.
#
# Its arguments go to locwatch: power-profile.sh --state /var/lib/locwatch/locwatch.db
set -eu

# gdbus says a line at its start, and one for each change; what is so already is no event for locwatch.
gdbus monitor --system --dest net.hadess.PowerProfiles | while read -r line; do
  case $(powerprofilesctl get) in
    power-saver) locwatch low-power on "$@" ;;
    *) locwatch low-power off "$@" ;;
  esac > /dev/null
done

#!/bin/sh
# A resident subscriber: keeps a list of the regions that were entered and left.
#
#   name: places
#   command: [/usr/local/share/locwatch/places.sh, /var/lib/places.txt]
#   services: [regions]
#
# Each line of standard input is a record; the event is done when its id is acknowledged.
out=${1:?where to write the list}

# The value of a key of a flat JSON object.
value() { printf '%s\n' "$line" | sed -n 's/.*"'"$1"'":"\{0,1\}\([^",}]*\).*/\1/p'; }

while IFS= read -r line; do
  id=$(value id)
  case $(value type) in
    launch) ;;  # why we run: the keys cause, event, budget_s, slept_s
    warn) ;;    # in so many seconds we are ended
    region.enter | region.exit)
      # An event may come twice, with the same id: write it once. Acknowledge what is safely written.
      grep -q "^$id " "$out" 2>/dev/null || echo "$id $(value time) $(value type) $(value region)" >>"$out"
      echo "{\"ack\":$id}"
      ;;
    # What has no id is not waited for, such as the news of a state.
    *) [ -z "$id" ] || echo "{\"ack\":$id}" ;;
  esac
done

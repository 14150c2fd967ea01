# A cluster of nats-servers on loopback ports, or each in a network of its own, for scripts/demo-fleet and
# scripts/fleet-test: to be sourced, not run. LOCWATCH_FLEET names the program.

children=() hosts=() namespaces=() bridge='' folder=''

fleet() { "$LOCWATCH_FLEET" "$@"; }

free_ports() {
  python3 -c '
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in sockets: s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in sockets])' "$1"
}

end_cluster() {
  local child
  trap - EXIT INT TERM
  for child in "${children[@]}"; do kill -9 "$child" 2>/dev/null || true; done
  wait 2>/dev/null || true
  remove_networks
  rm -rf "$folder"
}

# make_networks COUNT: a network namespace for each server, all on one bridge to which this machine belongs too. Sets
# namespaces and hosts; fails where that is not permitted.
make_networks() { connect_networks "$1" || { remove_networks && false; }; }

remove_networks() {
  local name
  for name in "${namespaces[@]}"; do ip netns del "$name" || true; done
  [ -z "$bridge" ] || ip link del "$bridge" || true
  hosts=() namespaces=() bridge=''
}

connect_networks() {
  local index net="10.213.$((RANDOM % 250))" name=lw$$
  ip link add "$name" type bridge 2>/dev/null || return 1
  bridge=$name
  trap end_cluster EXIT
  ip addr add "$net.254/24" dev "$bridge" && ip link set "$bridge" up || return 1
  for ((index = 0; index < $1; index++)); do
    ip netns add "$name-$index" || return 1
    namespaces+=("$name-$index")
    ip link add "$name-$index" type veth peer name eth0 netns "$name-$index" \
      && ip link set "$name-$index" master "$bridge" up \
      && ip -n "$name-$index" addr add "$net.$((index + 1))/24" dev eth0 \
      && ip -n "$name-$index" link set eth0 up && ip -n "$name-$index" link set lo up || return 1
    hosts[index]=$net.$((index + 1))
  done
}

# cut_off SERVER, connect SERVER: a server that has a network of its own loses all others, and finds them again. All run
# on meanwhile.
cut_off() { ip link set "${namespaces[$1]}" down; }
connect() { ip link set "${namespaces[$1]}" up; }

# begin_cluster SERVERS PARTITIONS: starts them, and waits until a fleet can be made. Sets folder, NATS_URL, server_pids.
# make_networks before it gives each a network of its own.
begin_cluster() {
  local count=$1 partitions=$2 index host ports routes="" urls="" tries=0
  command -v nats-server >/dev/null || PATH=$PATH:/usr/sbin
  folder=$(mktemp -d)
  trap end_cluster EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  read -r -a ports <<<"$(free_ports $((count * 3)))"
  for ((index = 0; index < count; index++)); do
    host=${hosts[index]:=127.0.0.1}
    routes+="${routes:+, }\"nats://$host:${ports[count + index]}\""
    urls+=",nats://$host:${ports[index]}"
  done
  export NATS_URL=${urls#,}
  mqtt_port=${ports[count * 2]}
  server_pids=()
  for ((index = 0; index < count; index++)); do
    host=${hosts[index]}
    {
      echo "server_name: n$index"
      echo "listen: \"$host:${ports[index]}\""
      echo "jetstream { store_dir: \"$folder/js$index\" }"
      echo "mqtt { listen: \"$host:${ports[count * 2 + index]}\" }"
      if [ "$count" -gt 1 ]; then
        echo "cluster { name: fleet, listen: \"$host:${ports[count + index]}\", routes: [$routes] }"
      fi
      fleet init --print-mapping --partitions "$partitions"
    } >"$folder/n$index.conf"
    start_server "$index"
  done
  until fleet init --partitions "$partitions" --replicas "$count" >/dev/null 2>"$folder/init.log"; do
    tries=$((tries + 1))
    [ $tries -lt 60 ] || { cat "$folder/init.log" "$folder"/n*.log >&2; exit 69; }
    sleep 0.5
  done
}

start_server() {
  local within=()
  [ ${#namespaces[@]} -eq 0 ] || within=(ip netns exec "${namespaces[$1]}")
  "${within[@]}" nats-server -c "$folder/n$1.conf" >>"$folder/n$1.log" 2>&1 &
  server_pids[$1]=$!
  children+=($!)
}

# start_fleet WORDS...: the program in the background; its process is in fleet_pid. Of `fleet WORDS... &` it would be a
# shell, and to kill that leaves the program behind.
start_fleet() {
  "$LOCWATCH_FLEET" "$@" &
  fleet_pid=$!
  children+=($!)
}

# start_worker NAME OPTIONS...: its process is in worker_pid.
start_worker() {
  local name=$1
  shift
  start_fleet worker --name "$name" "$@" >>"$folder/worker-$name.log" 2>&1
  worker_pid=$fleet_pid
}

# A cluster of nats-servers on loopback ports, for scripts/demo-fleet, scripts/fleet-test and Benchmarks/fleet: to be
# sourced, not run. LOCWATCH_FLEET names the program.

children=()

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
  rm -rf "$folder"
}

# begin_cluster SERVERS PARTITIONS: starts them, and waits until a fleet can be made. Sets folder, NATS_URL, server_pids.
begin_cluster() {
  local count=$1 partitions=$2 index ports routes="" urls="" tries=0
  command -v nats-server >/dev/null || PATH=$PATH:/usr/sbin
  folder=$(mktemp -d)
  trap end_cluster EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  read -r -a ports <<<"$(free_ports $((count * 3)))"
  for ((index = 0; index < count; index++)); do
    routes+="${routes:+, }\"nats://127.0.0.1:${ports[count + index]}\""
    urls+=",nats://127.0.0.1:${ports[index]}"
  done
  export NATS_URL=${urls#,}
  mqtt_port=${ports[count * 2]}
  server_pids=()
  for ((index = 0; index < count; index++)); do
    {
      echo "server_name: n$index"
      echo "listen: \"127.0.0.1:${ports[index]}\""
      echo "jetstream { store_dir: \"$folder/js$index\" }"
      echo "mqtt { listen: \"127.0.0.1:${ports[count * 2 + index]}\" }"
      if [ "$count" -gt 1 ]; then
        echo "cluster { name: fleet, listen: \"127.0.0.1:${ports[count + index]}\", routes: [$routes] }"
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
  nats-server -c "$folder/n$1.conf" >>"$folder/n$1.log" 2>&1 &
  server_pids[$1]=$!
  children+=($!)
}

# start_worker NAME OPTIONS...: its process is in worker_pid.
start_worker() {
  local name=$1
  shift
  "$LOCWATCH_FLEET" worker --name "$name" "$@" >>"$folder/worker-$name.log" 2>&1 &
  worker_pid=$!
  children+=($!)
}

# Start and stop the servers that tests use. Sourced by .ci/run and .ci/suite, in the root of the repository.

# The servers are next to this repository, or next to the one that it was cloned from.
tools=../shared/tools
[ -d "$tools" ] || tools="$(dirname "$(git config --get remote.origin.url || echo .)")/shared/tools"
[ -d "$tools" ] && tools="$(cd "$tools" && pwd)"
servers="$(mktemp -d)"

stop_servers() {
  local server
  for server in "$servers"/neo4j-*; do
    if [ -d "$server" ]; then "$tools/neo4j/neo4j" stop "$server" || true; fi
  done
  if [ -d "$servers/kubernetes" ]; then "$tools/kubernetes/cluster" stop "$servers/kubernetes" || true; fi
  rm -rf "$servers"
}
trap stop_servers EXIT

find_neo4j() {
  [ -x "$tools/neo4j/neo4j" ] || { echo "Neo4j not found, so its tests are skipped; see CONTRIBUTING.md" >&2; return 1; }
  export KGQA_TEST_NEO4J_COMMAND="$tools/neo4j/neo4j"
}

# Start as many Neo4j servers as given, for as many workers that test against them at once.
start_neo4j() {
  find_neo4j || return 0
  export KGQA_TEST_NEO4J_PASSWORD="test-$RANDOM$RANDOM$RANDOM" KGQA_TEST_NEO4J_URL=""
  local number port=$((20000 + RANDOM % 10000))
  for number in $(seq "$1"); do
    # In a server that lives for minutes, the compiler that optimises most takes more time than it saves. Without it,
    # the space for compiled code would be 48 MB, too little for what the queries use: Java would drop code and interpret.
    JAVA_TOOL_OPTIONS="-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC" \
      "$tools/neo4j/neo4j" start "$servers/neo4j-$number" "$((port + number))" "$KGQA_TEST_NEO4J_PASSWORD"
    KGQA_TEST_NEO4J_URL+="bolt://127.0.0.1:$((port + number)),"
  done
}

install_redis() {
  command -v redis-server >/dev/null ||
    { apt-get update && apt-get install -y --no-install-recommends redis-server; } >/dev/null 2>&1 ||
    echo "Redis cannot be installed, so its tests are skipped" >&2
}

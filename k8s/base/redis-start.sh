#!/bin/sh
# Start Redis as a cache and a counter, with one user, `kgqa`, which may run only their commands, and only on their keys.
# The password is in $REDIS_PASSWORD or in the file $REDIS_PASSWORD_FILE. Arguments are passed to redis-server.
set -eu
umask 077
folder="${TMPDIR:-/tmp}"
password="${REDIS_PASSWORD:-$(cat "$REDIS_PASSWORD_FILE")}"
case "$password" in
  *[![:space:]]*) ;;
  *) echo "the Redis password is empty: set it in the Secret redis or in KGQA_REWRITER_REDIS_PASSWORD" >&2; exit 1 ;;
esac
hash="$(printf %s "$password" | sha256sum | cut -d ' ' -f 1)"
printf '%s\n' "user default reset" "user kgqa on #$hash ~kgqa:* -@all +ping +getrange +pttl +set +del +incr +expire" >"$folder/users.acl"
unset REDIS_PASSWORD password
# Probes use the socket, which works with and without TLS.
exec redis-server --save "" --maxmemory 256mb --maxmemory-policy allkeys-lru --dir "$folder" \
  --aclfile "$folder/users.acl" --unixsocket "$folder/redis.sock" --unixsocketperm 700 "$@"

awk '/NOT NUL$/ { printf "%s:%d: column type is cut short: %s\n", FILENAME, FNR, $0; bad = 1 } END { exit bad ? 3 : 0 }' "$1" >&2

#!/bin/sh
: >"$TEST_SHARD_STATUS_FILE"
if [ "$TEST_SHARD_INDEX" -eq 2 ]; then
	echo "table 'returns': 3 rows, expected 4"
	exit 1
fi

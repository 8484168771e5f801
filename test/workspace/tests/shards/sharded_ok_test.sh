#!/bin/sh
: >"$TEST_SHARD_STATUS_FILE"

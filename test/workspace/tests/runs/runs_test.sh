#!/bin/sh
if [ "${TEST_RANDOM_SEED:-1}" -eq 2 ]; then
	echo 'seed 2: deck is not shuffled'
	exit 1
fi

#!/bin/sh
seq 1 60000 | sed 's/^/replayed event /'
echo 'replay: event 60001 has checksum 8f3c, expected 8f3d'
exit 1

#!/bin/sh
. ./good/sh/paths.sh
test "$(strip_slash /var/lib/)" = /var/lib

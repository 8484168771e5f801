#!/bin/sh
echo 'disk sdb1 is read-only' >&2
exit 2

#!/bin/sh
echo "no such account: 4711" >&2
exit 3

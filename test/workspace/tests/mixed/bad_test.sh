#!/bin/sh
echo 'backup is 3 days old, limit is 1'
exit 1

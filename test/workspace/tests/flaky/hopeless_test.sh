#!/bin/sh
echo 'replica 2 does not answer'
exit 1

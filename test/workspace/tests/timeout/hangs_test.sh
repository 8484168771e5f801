#!/bin/sh
echo 'waiting for the lock of the journal'
exec sleep 600

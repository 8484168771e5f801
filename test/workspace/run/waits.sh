#!/bin/sh
echo ready
exec sleep 600

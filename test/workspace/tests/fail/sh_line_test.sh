#!/bin/bash
set -u
echo "starting the server"
curl_options="--silent"
echo "waiting for port $server_port"

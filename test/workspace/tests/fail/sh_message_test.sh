#!/bin/sh
want='content-type: application/json'
got='content-type: text/html'
echo "GET /v1/orders: header differs: want '$want', got '$got'"
exit 1

#!/bin/sh
echo all well

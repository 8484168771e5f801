"""Validates SARIF logs against the schema of SARIF 2.1.0: sarif_check.py SCHEMA FILE... Exits 1 with a line a fault."""
import json
import sys

import jsonschema

schema_file, *logs = sys.argv[1:]
with open(schema_file) as text:
    schema = json.load(text)
validator = jsonschema.validators.validator_for(schema)(schema)
faults = 0
for log in logs:
    with open(log) as text:
        for fault in validator.iter_errors(json.load(text)):
            faults += 1
            print(f"{log}: {fault.json_path}: {fault.message[:300]}")
sys.exit(1 if faults else 0)

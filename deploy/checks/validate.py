"""Validates the Kubernetes objects on standard input, a JSON list, by the schemas of some versions. Prints each problem as a line."""
import functools
import json
import sys

import kubernetes_validate
from kubernetes_validate import utils

# The library would parse the definitions of all kinds again for each object.
utils.schema_contents = functools.cache(utils.schema_contents)
utils.all_versions = functools.cache(utils.all_versions)

objects = json.load(sys.stdin)
for version in sys.argv[1:]:
    for item in objects:
        name = f"{item['kind']} {item['metadata']['name']}"
        try:
            kubernetes_validate.validate(item, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            print(f"{name}: {'.'.join(map(str, error.path))}: {error.message}")
        except kubernetes_validate.SchemaNotFoundError:
            print(f"{name}: {version} has no schema of {item['apiVersion']}")

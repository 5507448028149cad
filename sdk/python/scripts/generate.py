"""Makes what git does not hold: types and resources from docs/openapi.json, and the synchronous client.

`src/webkiln/types.py` comes from datamodel-code-generator, `src/webkiln/_async/resources.py` from resources.py beside
this file, `src/webkiln/_sync` from `src/webkiln/_async` by unasync.
"""

import json
import shutil
from pathlib import Path

import unasync
from datamodel_code_generator import Formatter, InputFileType, PythonVersion, generate
from datamodel_code_generator.enums import DataModelType
from document import Document
from resources import resources_module

package = Path(__file__).parent.parent / "src/webkiln"
contract = Path(__file__).parents[3] / "docs/openapi.json"

HEAD = '"""The shapes of requests, answers and events. Made from docs/openapi.json by scripts/generate.py."""'
SYNC_NAMES = {
    "AsyncCalls": "Calls",
    "AsyncPages": "Pages",
    "AsyncStream": "Stream",
    "AsyncWebkiln": "Webkiln",
    "AsyncClient": "Client",
    "_async": "_sync",
    "async_sleep": "sleep",
    "async_in_thread": "in_thread",
    "aclose": "close",
    "aiter_lines": "iter_lines",
    "aread": "read",
}


def write_types(document: Document) -> None:
    schemas = {
        "openapi": "3.1.0",
        "info": {"title": "Webkiln", "version": "1"},
        "paths": {},
        "components": {"schemas": document.needed_schemas()},
    }
    generate(
        json.dumps(schemas),
        input_file_type=InputFileType.OpenAPI,
        output=package / "types.py",
        output_model_type=DataModelType.TypingTypedDict,
        target_python_version=PythonVersion.PY_310,
        custom_file_header=HEAD,
        use_closed_typed_dict=False,
        use_schema_description=True,
        use_field_description=True,
        formatters=[Formatter.BUILTIN],
    )


def write_sync() -> None:
    shutil.rmtree(package / "_sync", ignore_errors=True)
    rule = unasync.Rule(f"{package}/_async/", f"{package}/_sync/", additional_replacements=SYNC_NAMES)
    unasync.unasync_files([str(file) for file in sorted((package / "_async").glob("*.py"))], [rule])


def main() -> None:
    document = Document(json.loads(contract.read_text()))
    write_types(document)
    (package / "_async/resources.py").write_text(resources_module(document))
    write_sync()


if __name__ == "__main__":
    main()

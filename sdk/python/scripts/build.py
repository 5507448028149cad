"""Makes the generated modules before a wheel or a source distribution is built. A source distribution has them."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))


class GeneratedModules(BuildHookInterface[Any]):
    """What hatchling calls."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Makes the modules, if this is a checkout."""
        import generate

        if generate.contract.exists():
            generate.main()

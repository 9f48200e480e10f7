"""LanceDB without the client that nobody uses: it is not run before it is wanted, and is all there then."""

import subprocess
import sys
from pathlib import Path

CODE = """
import sys
from pathlib import Path
from memory_assets_tests.vectors.units import Both, found, store, unit
index = Both(Path(sys.argv[1]))
store(index, unit("u1", "word1"))
assert found(index, "word1") == ["u1"]
client = "lance_namespace_urllib3_client"
assert client in sys.modules and client + ".api" not in sys.modules
from lance_namespace_urllib3_client import ApiClient
import lance_namespace_urllib3_client
assert client + ".api" in sys.modules and lance_namespace_urllib3_client.TableApi and ApiClient().configuration
"""


def test_the_rest_client_is_run_when_it_is_asked_for(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CODE, str(tmp_path)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr

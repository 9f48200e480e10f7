"""A store that was brought back is whole only with its tables and its index: a backup put back, a damaged store saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.backup.recover import default_folder, recover
from memory_assets.backup.restore import restore
from memory_assets.log.database import STORE_FILE_NAME, Database
from memory_assets.log.errors import SharedLogDiffersError
from memory_assets.maintenance.rebuild import heal_index
from memory_assets.projections.fold import catch_up

if TYPE_CHECKING:
    from pathlib import Path

    from memory_assets.configuration import Resources
    from memory_assets.log.tip import Tip
    from memory_assets.progress import Progress
    from memory_assets.results.copies import Recovered, Restored


def restore_store(resources: Resources, source: Path, *, force: bool = False, progress: Progress | None = None) -> Restored:
    """Put a backup in the place of the store, then bring tables and search index in line with the settings.

    Raises:
        SharedLogDiffersError: the store mirrors a log, and the backup is of another one; nothing was changed.
    """
    log = resources.database_within(resources.settings.store.lock_timeout_seconds).mirror.store

    def accepted(tip: Tip) -> None:
        if log.is_shared and tip.seq and log.link_at(tip.seq) != tip.link_hash:
            raise SharedLogDiffersError(
                f"{source} is no copy of a mirror of the shared log", hint="name another one, or `memory mirror rebuild`"
            )

    restored = restore(resources.settings.store_folder, source, force=force, accepted=accepted, progress=progress)
    heal_index(resources, progress=progress)
    return restored


def recover_store(
    resources: Resources,
    store_file: Path | None = None,
    *,
    to: Path | None = None,
    backup: Path | None = None,
    progress: Progress | None = None,
) -> Recovered:
    """Save what can be read of a damaged store into a new one, and fold its tables; see ``backup.recover.recover``.

    Args:
        store_file: that of the settings when left out.
        to: the new store's folder; one beside the damaged file when left out.
    """
    damaged = store_file or resources.settings.store_folder / STORE_FILE_NAME
    folder = to or default_folder(damaged.absolute().parent)
    recovered = recover(damaged, folder, backup=backup, progress=progress)
    catch_up(Database(folder), resources.configured_versions, resolve=True)
    return recovered

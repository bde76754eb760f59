"""Which task a dataset row names."""

import os
from collections.abc import Mapping
from typing import Any


class NoTask(ValueError):
    pass


def task_ref_of(row: Mapping[str, Any], *, harbor_root: str | None, template: str | None) -> str:
    """`task_ref` as it stands, else a local folder: `local_task_path`, `<harbor_root>/<instance_id>`, the template.

    Columns are looked for in the row and in its `extra_info`. Raises NoTask with the columns that there are.
    """
    columns = {
        **_mapping(row.get("extra_info")),
        **{key: value for key, value in row.items() if value is not None},
    }
    ref = columns.get("task_ref")
    if ref:
        return str(ref)
    path = columns.get("local_task_path")
    if path:
        return f"harbor:{path}"
    instance = columns.get("instance_id")
    if instance and harbor_root:
        return f"harbor:{os.path.join(harbor_root, str(instance))}"
    if template:
        try:
            return f"harbor:{template.format_map(columns)}"
        except KeyError as error:
            raise NoTask(
                f"task_path_template {template!r} names a column {error} that the row has not"
            ) from error
    named = sorted(set(columns) - {"extra_info"})
    raise NoTask(
        "the row names no task: give it a column task_ref, local_task_path or instance_id (with harbor_root), "
        f"or set task_path_template; it has {', '.join(named)}"
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}

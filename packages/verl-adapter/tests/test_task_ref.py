import pytest

from liverl_verl.task_ref import NoTask, task_ref_of


def test_the_order_of_paths() -> None:
    row = {"instance_id": "fix-1", "extra_info": {"local_task_path": "/tasks/fix-1"}}
    assert task_ref_of(row, harbor_root="/root", template="/t/{instance_id}") == "harbor:/tasks/fix-1"
    row = {"instance_id": "fix-1", "extra_info": None}
    assert task_ref_of(row, harbor_root="/root", template="/t/{instance_id}") == "harbor:/root/fix-1"
    assert task_ref_of(row, harbor_root=None, template="/t/{instance_id}") == "harbor:/t/fix-1"
    assert task_ref_of({"task_ref": "repair/3"}, harbor_root=None, template=None) == "repair/3"


def test_a_row_without_a_task_says_what_it_lacks() -> None:
    with pytest.raises(NoTask, match=r"task_ref, local_task_path or instance_id.*it has index, uid"):
        task_ref_of({"uid": "u", "extra_info": {"index": 3}}, harbor_root=None, template=None)
    with pytest.raises(NoTask, match="names a column 'name'"):
        task_ref_of({"uid": "u"}, harbor_root=None, template="{name}")

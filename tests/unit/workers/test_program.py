"""Sealed files: what runs are given to read or execute."""

import fcntl
import os
from collections.abc import Iterator

import pytest

from code_judge_workers.sandbox.program import SEALS, lent, sealed_file


@pytest.fixture
def sealed() -> Iterator[int]:
    descriptor = sealed_file("program", b"binary")
    yield descriptor
    os.close(descriptor)


@pytest.fixture
def sealed_by_an_older_kernel() -> Iterator[int]:
    descriptor = os.memfd_create("program", os.MFD_ALLOW_SEALING)
    os.write(descriptor, b"binary")
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, SEALS)
    yield descriptor
    os.close(descriptor)


def test_a_sealed_file_cannot_be_written_shortened_or_grown(sealed: int) -> None:
    for change in (
        lambda: os.write(sealed, b"x"),
        lambda: os.ftruncate(sealed, 0),
        lambda: os.ftruncate(sealed, 100),
    ):
        with pytest.raises(PermissionError):
            change()


def test_a_run_is_lent_a_copy_where_it_could_change_the_rights_of_the_file(
    sealed_by_an_older_kernel: int,
) -> None:
    copy = lent(sealed_by_an_older_kernel)
    try:
        assert os.fstat(copy).st_ino != os.fstat(sealed_by_an_older_kernel).st_ino
        assert os.read(copy, 100) == b"binary"
    finally:
        os.close(copy)


def test_a_second_run_is_lent_the_same_content(sealed_by_an_older_kernel: int) -> None:
    for _ in range(2):
        copy = lent(sealed_by_an_older_kernel)
        try:
            assert os.read(copy, 100) == b"binary"
        finally:
            os.close(copy)

# SPDX-License-Identifier: GPL-2.0
"""What tests in Python have as fixtures (guest.py has the rest): a folder, programs, recordings, the module as it was."""
import os
import shutil
import tempfile

import pytest

pytest.register_assert_rewrite("guest", "perf_stacks", "report")

import guest  # noqa: E402  # after its asserts are to show what they compare
import perf_stacks  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def module():
    guest.insert_module()


@pytest.fixture(scope="module", autouse=True)
def folder():
    """The current folder while the case runs, which anyone may enter."""
    path = tempfile.mkdtemp(prefix="case.", dir="/tmp")
    os.chmod(path, 0o755)
    os.chdir(path)
    yield path
    os.chdir("/")
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
def symbols():
    """The kernel's: names by address, and the addresses of the module's own functions."""
    return perf_stacks.symbols_of_the_kernel()


@pytest.fixture
def programs():
    running = guest.Programs()
    yield running
    running.kill()


@pytest.fixture
def start_recording(programs):
    """start_recording(NAME, OPTION...): a recording that may not sample yet."""
    return lambda *arguments, **options: guest.Recording(programs, *arguments, **options)


@pytest.fixture
def record(start_recording):
    """record(NAME, OPTION...): a recording that samples."""
    return lambda *arguments, **options: start_recording(*arguments, **options).wait_begun()


@pytest.fixture
def set_file():
    """set_file(PATH, VALUE): a setting of the kernel's, until the test ends, if it is still there."""
    usual = {}

    def change(path, value):
        usual.setdefault(path, guest.read(path).strip())
        guest.write(path, value)
    yield change
    for path, value in usual.items():
        if os.path.exists(path):
            guest.write(path, value)


@pytest.fixture
def one_processor(set_file):
    """Only one is awake until the test ends."""
    if guest.SECOND_PROCESSOR.exists():
        set_file(guest.SECOND_PROCESSOR, 0)


@pytest.fixture
def processors(request):
    """One for a case that patches the kernel's code, unless the emulator is known to be good for two (PROCESSORS=2): in QEMU 7.2,
    a processor may go on with breakpoints that another one has removed already. A kernel that patches itself hangs there, without
    this module, too."""
    if os.environ.get("PROCESSORS", "1") == "1":
        request.getfixturevalue("one_processor")


@pytest.fixture
def set_parameter(set_file):
    """set_parameter(NAME, VALUE): the module's, until the test ends."""
    return lambda name, value: set_file(guest.parameter(name), value)

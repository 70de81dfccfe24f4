# SPDX-License-Identifier: GPL-2.0
# Expected: 12 s
"""The doctor names what is wrong with a machine, what mends it, and says so in its exit status."""
import json
import os
import pathlib
import re
import shutil
import stat

import pytest

import guest

AS_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
DEVICE = pathlib.Path("/dev/uwind")
RATE = "/proc/sys/kernel/perf_event_max_sample_rate"
RELEASE = os.uname().release
FINDINGS = 13


class Findings(str):
    """What the doctor prints."""

    def has(self, pattern):
        return re.search(pattern, self, re.MULTILINE)


def examine(*prefix, status=0):
    return Findings(guest.run(*prefix, "uwind", "doctor", status=status))


def examine_as_json(status):
    return json.loads(guest.run("uwind", "doctor", "--format", "json", status=status))


@pytest.fixture
def device():
    """Its mode may change."""
    mode = stat.S_IMODE(DEVICE.stat().st_mode)
    yield DEVICE
    DEVICE.chmod(mode)


@pytest.fixture(scope="class")
def removed_module():
    guest.remove_module()
    yield
    guest.insert_module()


@pytest.fixture
def kernel_config(folder):
    """What the kernel says that it was built with."""
    path, saved = pathlib.Path("/boot/config-" + RELEASE), pathlib.Path(folder, "config.saved")
    path.parent.mkdir(exist_ok=True)
    if path.exists():
        shutil.copy(path, saved)
    yield path
    path.unlink()
    if saved.exists():
        shutil.move(saved, path)


@pytest.fixture
def locked_down(folder):
    """A command's prefix: it sees a kernel that is locked down."""
    if "securityfs" not in guest.read("/proc/filesystems"):
        pytest.skip("needs securityfs, which this kernel does not have")
    pathlib.Path("locked").write_text("none [integrity] confidentiality\n", encoding="ascii")
    return ("unshare", "-m", "sh", "-c", f"""mount -t securityfs securityfs /sys/kernel/security &&
        mount --bind '{folder}/locked' /sys/kernel/security/lockdown && exec "$@" """, "sh")


def test_a_good_machine_lacks_nothing():
    found = examine()
    print(found)
    assert not found.has("^missing")
    assert found.has(r"^ok +module +version .*, ABI [0-9]+")
    assert found.has("^ok +device +/dev/uwind is root:[a-z]+ 06")
    assert found.has("^ok +self ")
    assert found.has("^ok +functions ")
    assert found.has("^ok +btf " if os.path.exists("/sys/kernel/btf/uwind") else "^warning +btf ")  # 6.1's headers are without
    assert found.has(f"^ok +kernel +{re.escape(RELEASE)} on ")


def test_that_functions_are_not_traced_is_told(set_file):
    set_file("/proc/sys/kernel/ftrace_enabled", 0)
    assert examine().has("^warning +functions +kernel.ftrace_enabled is 0; .*; to mend: sysctl kernel.ftrace_enabled=1")


def test_json_says_the_same():
    found = examine_as_json(status=0)
    assert found["module_loaded"] and len(found["findings"]) == FINDINGS


def test_who_may_not_open_the_device_is_told_what_mends_it():
    assert examine(*AS_NOBODY, status=1).has("^missing +device +.*nobody may not open it; .*; to mend: ")


def test_who_may_open_the_device_sees_only_their_own_processes(device):
    device.chmod(0o666)
    found = examine(*AS_NOBODY)
    assert found.has("^ok +device ")
    assert found.has("^warning +privilege +nobody has no CAP_PERFMON; so you see only your own processes")


def test_a_device_that_nobody_may_open_is_shown_with_its_mode(device):
    device.chmod(0o600)
    assert examine(*AS_NOBODY, status=1).has("^missing +device +/dev/uwind is root:[a-z]+ 0600")


def test_a_privilege_of_root_that_is_missing_is_named():
    found = examine("setpriv", "--inh-caps=-all", "--bounding-set=-sys_ptrace")
    assert found.has("^warning +privilege +root has no CAP_SYS_PTRACE; so ")


def test_a_rate_that_the_kernel_has_lowered_is_named(set_file):
    """It does so by itself where a sample takes long."""
    set_file(RATE, 500)
    assert examine().has("^warning +sampling +.* is 500; .*sysctl kernel.perf_event_max_sample_rate=")


@pytest.mark.usefixtures("removed_module")
class TestWithoutTheModule:
    def test_that_is_named(self):
        assert examine(status=69).has("^missing +module +is not loaded.*; so .*; to mend: .*modprobe uwind")
        assert not examine_as_json(status=69)["module_loaded"]

    def test_an_option_that_the_kernel_lacks_is_named(self, kernel_config):
        options = "".join(f"CONFIG_{name}=y\n" for name in ("MODULES", "NET", "TRACEPOINTS", "MMU_NOTIFIER"))
        guest.write(kernel_config, options)
        assert examine(status=69).has("^missing +options +the kernel was built without CONFIG_PERF_EVENTS; so ")
        guest.write(kernel_config, options + "CONFIG_PERF_EVENTS=y\n")
        assert examine(status=69).has("^ok +options ")

    def test_a_module_that_a_locked_kernel_refuses_is_to_be_signed(self, locked_down):
        found = examine(*locked_down, status=69)
        assert found.has(r"^missing +signing +lockdown is integrity; .*uwind.ko is not signed; so .*; to mend: sign it")


def test_a_module_that_a_locked_kernel_has_accepted_is_good(locked_down):
    assert examine(*locked_down).has("^ok +signing +lockdown is integrity, and the module was accepted")

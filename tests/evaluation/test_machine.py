"""The kind of a machine: what may move last bits is in it, and what names the machine is not."""

import os
import platform
import subprocess
import sys

import pytest

from agbench.evaluation import machine, provenance

X86 = {"avx", "avx2", "fma", "sse4.2", "bmi2", "avx512f"}


@pytest.fixture
def linux(monkeypatch):
    """Pretend to be a Linux machine with an x86 processor of some features and glibc 2.36."""
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(platform, "libc_ver", lambda: ("glibc", "2.36"))
    monkeypatch.setattr("numba.config.CPU_FEATURES", None)

    def features(*names):
        result = {name: name in names for name in X86 | set(names)}
        monkeypatch.setattr("llvmlite.binding.get_host_cpu_features", lambda: result)

    features("avx", "avx2", "fma", "sse4.2", "bmi2")
    return features


def test_a_kind_is_system_processor_features_and_c_library(linux):
    assert machine.kind() == "linux x86-64 avx2 fma glibc-2.36"
    linux("avx", "avx2", "fma", "avx512f", "aes")
    assert machine.kind() == "linux x86-64 avx2 avx512f fma glibc-2.36"
    linux("sse4.2")
    assert machine.kind() == "linux x86-64 glibc-2.36"


def test_what_the_environment_switches_off_is_named(linux, monkeypatch):
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.check=1:glibc.cpu.hwcaps=-AVX2,-FMA,-ERMS,-AVX512F")
    assert machine.kind() == "linux x86-64 avx2 fma glibc-2.36 (library without avx2 fma)"
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX2_Usable,FMA")
    assert machine.kind() == "linux x86-64 avx2 fma glibc-2.36 (library without avx2)"
    monkeypatch.delenv("GLIBC_TUNABLES")
    monkeypatch.setattr("numba.config.CPU_FEATURES", "")
    assert machine.kind() == "linux x86-64 avx2 fma glibc-2.36 (compiled without avx2 fma)"
    monkeypatch.setattr("numba.config.CPU_FEATURES", "+avx,+avx2,-fma")
    assert machine.kind() == "linux x86-64 avx2 fma glibc-2.36 (compiled without fma)"


def test_other_systems_are_named_by_what_their_library_is_part_of(linux, monkeypatch):
    monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    monkeypatch.setattr("sysconfig.get_config_var", lambda name: "cpython-311-x86_64-linux-musl")
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-FMA")
    assert machine.kind() == "linux x86-64 avx2 fma musl"
    linux("neon", "fp-armv8")
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    monkeypatch.setattr(platform, "mac_ver", lambda: ("14.5", ("", "", ""), "arm64"))
    assert machine.kind() == "macos arm64 neon macos-14"


def test_a_kind_can_be_written_into_a_result_and_does_not_name_the_machine():
    result = provenance.machine()
    assert result["kind"] == machine.kind()
    assert len(result["kind"]) < 300
    assert platform.node() not in result["kind"].split()


def test_the_settings_of_a_real_process_are_seen():
    script = "from agbench.evaluation.machine import kind; print(kind())"
    result = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "NUMBA_CPU_NAME": "generic"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    features = machine._strongest(machine._processor())
    assert result.endswith(f"compiled without {' '.join(features)})" if features else machine._library())

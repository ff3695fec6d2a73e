"""Adapters are tried where their framework is: `make hosts` makes an environment for each."""

from __future__ import annotations

from bench.hosts.drivers import HOSTS, list_installed

# These import their framework, which the environment of all other tests has not.
collect_ignore_glob = [
    f"test_{host.replace('-', '_')}{rest}.py"
    for host in {*HOSTS} - {*list_installed()}
    for rest in ("", "_*")
]

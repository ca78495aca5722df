"""Which results are stale: a fingerprint of the code that an entry point can reach.

`parsing` reads a module's source. `reachability` follows names from module to module, and `stamps` writes the
result to a file that a rule takes as input. The package under study is read and never imported.
"""

from private_experts.replication.workflow.fingerprint.reachability import Source
from private_experts.replication.workflow.fingerprint.stamps import write_stamps

__all__ = ["Source", "write_stamps"]

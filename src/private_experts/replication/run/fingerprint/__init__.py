"""Which results are stale: a fingerprint of the code that an entry point can reach.

`parsing` reads a module's source, and `memo` keeps what it found (`meaning`) for the next run. `reachability` follows
names from module to module, and `stamps` writes the result to a file that a rule takes as input. The package under
study is read and never imported.
"""

from private_experts.replication.run.fingerprint.reachability import Source, reach
from private_experts.replication.run.fingerprint.stamps import LOCKED, fingerprint, recalled, recalled_pins, stamp

__all__ = ["LOCKED", "Source", "fingerprint", "reach", "recalled", "recalled_pins", "stamp"]

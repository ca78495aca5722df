"""``python -m private_experts`` is the command ``private-experts``."""

import sys

from private_experts.replication.workflow.cli import main

if __name__ == "__main__":
    sys.exit(main())

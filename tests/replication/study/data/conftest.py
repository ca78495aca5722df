from functools import partial

import pytest
from tqdm import tqdm

from private_experts.replication.study.data import delphi, http_client


@pytest.fixture(scope="module", autouse=True)
def quick():
    """Let downloads find the servers of tests, try again at once, and show no progress."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("NO_PROXY", "no_proxy"):
            patch.setenv(name, "127.0.0.1")
        patch.setattr(delphi, "tqdm", partial(tqdm, disable=True))
        patch.setattr(http_client, "RETRIES", http_client.RETRIES.new(backoff_factor=0))
        yield

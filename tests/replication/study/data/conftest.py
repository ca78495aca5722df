import pytest

from private_experts.replication.study.data import http_client


@pytest.fixture(scope="module", autouse=True)
def quick():
    """Let downloads find the servers of tests, and try again at once."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("NO_PROXY", "no_proxy"):
            patch.setenv(name, "127.0.0.1")
        patch.setattr(http_client, "RETRIES", http_client.RETRIES.new(backoff_factor=0))
        yield

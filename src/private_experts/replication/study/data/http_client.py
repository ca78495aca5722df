"""HTTP requests to a data service, tried again by urllib3 while the service fails."""

from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3 import Retry

from private_experts.errors import InputError

TIMEOUT = 120.0  # seconds without a byte
LARGEST = 1 << 30  # bytes of a response, unpacked: the study's columns of all states and weeks have a tenth
BUSY = (202, 500, 502, 503, 504)  # 202: Socrata is still preparing the response
# There may be no network, so a host to which there is no connection is tried only twice; one that is silent, thrice.
RETRIES = Retry(
    total=5,
    connect=1,
    read=2,
    status_forcelist=BUSY,
    backoff_factor=1,
    raise_on_status=False,
    respect_retry_after_header=False,
)


class Unreachable(InputError):  # noqa: N818 - callers read "except Unreachable"
    """The service did not respond, or responded that it could not, in every attempt."""


def get(
    url: str,
    parameters: Mapping[str, str],
    auth: tuple[str, str] | None = None,
    remedies: Mapping[int, str] = MappingProxyType({}),
) -> str:
    """Return the text of a response; `remedies` are statuses that need action by the user, with what to do.

    A name and a key (`auth`) go into a header, so that they are in no address and no message.
    """
    host = urlsplit(url).netloc
    content = bytearray()
    try:
        with requests.Session() as session:
            for scheme in ("http://", "https://"):
                session.mount(scheme, HTTPAdapter(max_retries=RETRIES))
            session.headers["Connection"] = "close"  # one that is kept alive would stay open after an error
            with session.get(url, params=parameters, auth=auth, timeout=TIMEOUT, stream=True) as response:
                for chunk in response.iter_content(1 << 16):
                    content += chunk
                    if len(content) > LARGEST:
                        raise InputError(f"{host}: the response has more than {LARGEST:,} bytes; ask for fewer states")
    except requests.RequestException as error:
        cause = " ".join(str(error).rpartition(": ")[2].split()).strip("()'\"")  # without urllib3's nested errors
        raise Unreachable(f"{host}: no complete response ({cause}); run again later") from error
    status = f"HTTP {response.status_code} {response.reason}"
    if response.status_code in remedies:
        raise InputError(f"{host}: {status}; {remedies[response.status_code]}")
    if response.status_code in (*BUSY, requests.codes.too_many_requests):
        raise Unreachable(f"{host}: {status}; run again later")
    if response.status_code != requests.codes.ok:
        raise InputError(f"{url}: {status}; check hospital.source and the address")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{host}: the response is not UTF-8 text; run again later") from error
    if "html" in response.headers.get("Content-Type", "") or text.lstrip().startswith("<"):
        raise InputError(f"{host}: the response is a web page instead of data; open {url} in a browser")
    return text

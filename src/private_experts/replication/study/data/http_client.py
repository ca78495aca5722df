"""HTTP requests to a data service, tried again by urllib3 while the service fails."""

from collections.abc import Mapping
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3 import Retry

from private_experts.errors import InputError

TIMEOUT = 120.0  # seconds without a byte
LARGEST = 1 << 30  # bytes of a response, unpacked: the study's columns of all states and weeks have a tenth
BUSY = (202, 500, 502, 503, 504)  # 202: Socrata is still preparing the response
# A host to which there is no connection is tried only twice; one that is silent, thrice.
RETRIES = Retry(
    total=5,
    connect=1,
    read=2,
    status_forcelist=BUSY,
    backoff_factor=1,
    raise_on_status=False,
    respect_retry_after_header=False,
)


def get(url: str, parameters: Mapping[str, str]) -> str:
    """Return the text of a response; raise `InputError` where none is whole, in every attempt."""
    host = urlsplit(url).netloc
    content = bytearray()
    try:
        with requests.Session() as session:
            for scheme in ("http://", "https://"):
                session.mount(scheme, HTTPAdapter(max_retries=RETRIES))
            session.headers["Connection"] = "close"  # one that is kept alive would stay open after an error
            with session.get(url, params=parameters, timeout=TIMEOUT, stream=True) as response:
                for chunk in response.iter_content(1 << 16):
                    content += chunk
                    if len(content) > LARGEST:
                        raise InputError(
                            f"{host}: the response has more than {LARGEST:,} bytes; ask for fewer states"
                        )
    except requests.RequestException as error:
        # without urllib3's nested errors
        cause = " ".join(str(error).rpartition(": ")[2].split()).strip("()'\"")
        raise InputError(f"{host}: no complete response ({cause}); run again later") from error
    status = f"HTTP {response.status_code} {response.reason}"
    if response.status_code in (*BUSY, requests.codes.too_many_requests):
        raise InputError(f"{host}: {status}; run again later")
    if response.status_code != requests.codes.ok:
        raise InputError(f"{url}: {status}; check hospital.healthdata")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{host}: the response is not UTF-8 text; run again later") from error
    if "html" in response.headers.get("Content-Type", "") or text.lstrip().startswith("<"):
        raise InputError(f"{host}: the response is a web page instead of data; open {url} in a browser")
    return text

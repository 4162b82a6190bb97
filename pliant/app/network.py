"""The address under which others on the same network find a server of this machine."""

import socket
from urllib.parse import urlsplit

EVERYWHERE = {"0.0.0.0": socket.AF_INET, "::": socket.AF_INET6}
# Nothing is sent there: a datagram socket that is connected only chooses the way.
FAR = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}


def network_address(address: str, host: str) -> str | None:
    """`address` as others may open it, where `host` listens everywhere; None where it does not, or no network is."""
    family = EVERYWHERE.get(host)
    if family is None:
        return None
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((FAR[family], 9))
            own = probe.getsockname()[0]
    except OSError:
        return None
    parts = urlsplit(address)
    name = f"[{own}]" if family == socket.AF_INET6 else own
    return parts._replace(netloc=f"{name}:{parts.port}").geturl()

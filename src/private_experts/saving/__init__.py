"""The state of a game in a file, so that another process goes on with it bit for bit."""

from typing import TYPE_CHECKING

from private_experts.lazy import attach

if TYPE_CHECKING:
    from private_experts.saving.state import load, load_state_dict, save, state_dict

attach(__name__)

__all__ = ["load", "load_state_dict", "save", "state_dict"]

"""The old name of `streams`, which goes in version 0.4."""

from private_experts.lazy import attach_renamed

attach_renamed(__name__)

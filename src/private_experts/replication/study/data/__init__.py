"""The hospital reports: obtained, checked, and cleaned to panels."""

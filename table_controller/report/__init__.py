"""The printable report of an incident: what was sensed and expected, the ruling with its article, who decided."""

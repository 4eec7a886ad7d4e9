"""How every device of a table is: found, version, last seen, how often it errs, and what to do next."""

from table_controller.doctor.examination import Difference, Finding, examine, of_health, unlike
from table_controller.doctor.health_file import HealthFile, read_health

__all__ = ["Difference", "Finding", "HealthFile", "examine", "of_health", "read_health", "unlike"]

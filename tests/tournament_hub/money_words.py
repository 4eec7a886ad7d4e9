"""What must not be read anywhere where money is off."""

from __future__ import annotations

import re

MONEY = re.compile(
    r"€|\$|£|\beuros?\b|\bcents?\b|\bargent\b|\bmoney\b|\bcash\b|\bprizes?\b|\bprize.?pool\b|\bpayouts?\b|\bpay(?:s|ed)\b"
    r"|\bbuy.?ins?\b|\bre-?buys?\b|\bre-?caves?\b|\badd.?ons?\b|\bbount(?:y|ies)\b|\bprimes?\b|\brake\b|\bfees?\b"
    r"|\bdroits? d.entrée\b|\bcagnotte\b|\bdotation\b|\bgains?\b|\bplaces? payées?\b|\bremboursé",
    re.IGNORECASE,
)
"""Words of money in French and English, as they could stand on a screen, in an export or in a log."""

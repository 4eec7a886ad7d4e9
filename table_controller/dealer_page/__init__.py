"""The dealer's page: an amateur is led through the evening by one screen, with sensors, with some, or with none."""

from table_controller.dealer_page.page import DealerPage

__all__ = ["DealerPage"]

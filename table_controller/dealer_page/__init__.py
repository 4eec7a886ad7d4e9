"""The dealer's page: an amateur is led through the evening by one screen, with sensors, with some, or with none."""

"""Retrieve answers in several ways behind one contract."""

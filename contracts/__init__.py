"""Define the messages of the services, and the files that they share."""

"""Judge plans that ran: what they leave unread, what they contradict, and how far to trust them."""

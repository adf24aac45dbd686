"""Users and how they prove who they are, the notices that they get, and the senders of submit scripts."""

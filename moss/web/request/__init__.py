"""What surrounds every request: who asks, what they may do, how often, and how errors look."""

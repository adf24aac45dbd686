"""The surroundings of every request: who asks, what they may do and how often, and how errors look."""

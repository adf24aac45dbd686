"""Archives: recognised by their content, unpacked in memory and within limits."""

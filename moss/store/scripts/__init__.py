"""Work that submit scripts bring, without a course being named for it."""

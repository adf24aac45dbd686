"""Worker processes that may hang or die, what each submission may cost them, and results without copying."""

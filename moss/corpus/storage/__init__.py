"""How a corpus lies on disk: segments, the manifest that names them, and how they are rewritten."""

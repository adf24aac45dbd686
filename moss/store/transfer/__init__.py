"""Export of a whole course to an archive, and import from one."""

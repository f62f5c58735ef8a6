"""Question -> topic entities -> relation paths -> reasoning paths."""

"""The command line, thin: each command's code lives in the room that it belongs to."""

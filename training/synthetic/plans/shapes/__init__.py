"""Ask questions of many shapes: each shape pairs the slots of its wordings with a plan."""

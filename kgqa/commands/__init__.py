"""Groups of commands of the program `kgqa`, one file each."""

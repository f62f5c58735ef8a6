"""Knowledge graphs: the store protocol, the embedded store, importing."""

"""Say what to do if no answerer responds."""

from services.instances import Instance, running_instances


def reach_advice() -> str:
    """Return how to reach an answerer: where each `kgqa up` on this machine runs, or how to start one."""
    running = [described(instance) for _, instance in running_instances()]
    if not running:
        return "Start it with: kgqa up"
    one_of_them = "it" if len(running) == 1 else "one of them"
    return f"kgqa up runs at {' and '.join(running)}; set KGQA_URL or --url to {one_of_them}"


def described(instance: Instance) -> str:
    """Return the URL of an instance with its graphs."""
    return f"{instance.url} (graph{'s' if len(instance.graphs) > 1 else ''} {instance.label})"

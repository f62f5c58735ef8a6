"""Say what to do if no answerer responds."""

from services.instances import running_instances


def reach_advice() -> str:
    """Return how to reach an answerer: where the latest `kgqa up` on this machine runs, or how to start one."""
    running = running_instances()
    if not running:
        return "Start it with: kgqa up"
    [_, instance] = running[0]
    return f"kgqa up runs at {instance.url}; set KGQA_URL or --url to it"

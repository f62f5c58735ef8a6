"""Measurements that write their own figures into docs/benchmarks.md."""

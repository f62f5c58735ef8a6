"""Limit the threads of numpy's matrix products."""

from threadpoolctl import threadpool_limits


def use_one_matrix_thread() -> None:
    """Let each matrix product of this process use one thread.

    A second thread slows down products as small as those of the models, by a factor of twenty on busy cores.
    """
    threadpool_limits(1, "blas")

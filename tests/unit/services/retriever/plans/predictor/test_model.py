from threadpoolctl import threadpool_info, threadpool_limits

from services.retriever.plans.predictor.model import PlanModel
from services.retriever.plans.predictor.plan_manifest import BASE_MODEL


def test_matrix_products_use_one_thread_although_no_relation_paths_are_trained() -> None:
    with threadpool_limits(2, "blas"):
        PlanModel(BASE_MODEL)
        assert {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"} <= {1}

"""Configure a shared Redis server from the environment: `KGQA_*_REDIS_*`."""

from pydantic import SecretStr, field_validator

from shared.settings import Seconds, ServiceSettings


class RedisSettings(ServiceSettings):
    """Hold the address of a Redis server that replicas share; without `redis_url`, there is none.

    A user and a password in that URL take precedence over `redis_user` and `redis_password`.
    """

    redis_url: SecretStr | None = None
    redis_user: str | None = None
    redis_password: SecretStr | None = None
    redis_timeout_s: Seconds = 0.25

    @classmethod
    def redis_variable(cls) -> str:
        """Return the beginning of the names of these settings."""
        return f"{cls.model_config.get('env_prefix', '')}REDIS"

    @field_validator("redis_url")
    @classmethod
    def _check_redis_url(cls, url: SecretStr | None) -> SecretStr | None:
        if url is not None:
            from shared.outbound.redis_connection import check_url  # the Redis client is slow to import

            check_url(url.get_secret_value(), cls.redis_variable())
        return url

    @property
    def redis_secret(self) -> str | None:
        """Return the password, if one is set apart from the URL."""
        return self.redis_password.get_secret_value() if self.redis_password else None

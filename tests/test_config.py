"""The server's settings: from the environment and back, and refused in one sentence when they cannot be."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moss.config import Config, ConfigError, environment_of, from_environment, variable

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@given(
    st.builds(
        Config,
        data=st.just(Path("somewhere/else")),
        port=st.integers(0, 65535),
        workers=st.integers(1, 64),
        oidc_name=TEXT,
        oidc_create=st.booleans(),
        public_url=TEXT.map(lambda text: f"https://{text}"),
        database_url=TEXT.map(lambda text: f"postgresql://{text}"),
    )
)
def test_a_process_that_is_given_the_variables_has_the_same_settings(config):
    assert from_environment(environment_of(config)) == config


def test_every_setting_has_a_variable_and_a_help():
    assert all(each.metadata["help"] and variable(each.name).startswith("MOSS_") for each in fields(Config))


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({"MOSS_PORT": "eighty"}, "MOSS_PORT must be a whole number, not 'eighty'"),
        ({"MOSS_PORT": "70000"}, "port must be between 0 and 65535, not 70000"),
        ({"MOSS_WORKERS": "0"}, "workers must be at least 1, not 0"),
        ({"MOSS_JOB_MEGABYTES": "10"}, "job-megabytes must be at least 512, not 10"),
        ({"MOSS_PUBLIC_URL": "moss.example.org"}, "public-url must begin with http:// or https://"),
        ({"MOSS_DATABASE_URL": "mysql://secret@x/y"}, "database-url must begin with postgresql://"),
        ({"MOSS_MAIL_URL": "smtp://x"}, "mail-url needs mail-from"),
        ({"MOSS_OIDC_CREATE": "perhaps"}, "MOSS_OIDC_CREATE must be yes or no, not 'perhaps'"),
        ({"MOSS_OIDC_ISSUER": "https://x"}, "oidc-issuer and oidc-client-id must be given together"),
    ],
)
def test_what_cannot_be_is_refused_without_telling_secrets(environment, sentence):
    with pytest.raises(ConfigError) as refused:
        from_environment(environment)
    assert str(refused.value).startswith(sentence)
    assert "secret" not in str(refused.value)


def test_secrets_are_not_shown():
    config = Config(database_url="postgresql://u:hush@h/d", mail_url="smtp://u:hush@h", mail_from="a@b",
                    oidc_client_secret="hush")  # fmt: skip
    assert "hush" not in repr(config)

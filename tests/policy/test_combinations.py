"""Check every overlay with the sets of components that the gate leaves out."""

from pathlib import Path

import pytest

from tests.unit.deployment.images import container_images, unpinned
from tests.unit.deployment.rendered import needs_kubectl, render_with
from tests.unit.deployment.test_combinations import COMBINATIONS, OF_THE_GATE, assert_secrets_are_files, shown

pytestmark = [pytest.mark.policy, needs_kubectl]


@pytest.mark.parametrize("chosen", [one for one in COMBINATIONS if one not in OF_THE_GATE], ids=shown)
def test_images_are_pinned_and_secrets_are_files(chosen: tuple[str, tuple[str, ...]], tmp_path: Path) -> None:
    overlay, components = chosen
    rendered = render_with(components, overlay, tmp_path)
    assert unpinned(list(container_images(rendered))) == []
    assert_secrets_are_files(rendered)

"""The section `[web]` of `palabre.toml`."""

from typing import Literal

from pydantic import Field

from palabre.app.settings.sections import Section
from palabre.app.settings.values import OptionalWebAddress


class WebSettings(Section):
    """Who searches the web; nobody unless you say so. Asked in this order until one answers."""

    searxng_url: OptionalWebAddress = Field(
        default="", description="Address of a SearXNG server whose owner allows JSON."
    )
    search_api_base: OptionalWebAddress = Field(
        default="",
        description="Address of a search service of yours: `?q=` is added, and it answers "
        '`{"results": [{"title", "snippet", "url"}]}`.',
    )
    search: Literal["configured", "duckduckgo"] = Field(
        default="configured",
        description="`duckduckgo` also asks the public page of DuckDuckGo Lite, last; "
        "`configured` asks nobody but the servers above.",
    )

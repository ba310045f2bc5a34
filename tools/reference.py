"""Write what is made from the code: settings, commands and metrics in `docs/`, the page's texts.

`python tools/reference.py` writes them, `--check` exits with 1 if one is not up to date.
"""

import json
import sys
from pathlib import Path
from typing import get_args

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from palabre.adapters.telemetry.prometheus import KIND, PREFIX
from palabre.app.settings.aliases import ALIASES, UNUSED_NAMES, UNUSED_PREFIXES
from palabre.app.settings.keys import ANY_NAME, Key
from palabre.app.settings.load import KEYS
from palabre.core.chat.commands import Command, ranked
from palabre.core.engine.node_types import FAMILIES, NodeType, Param, family_title
from palabre.core.engine.states import ARROWS, Subject, diagram, event_title, state_title
from palabre.core.telemetry.metrics import METRICS, Metric
from palabre.features import commands, nodes
from palabre.kernel.registry import discover
from palabre.texts import LANGUAGES, Language, catalogue, say

ROOT = Path(__file__).resolve().parents[1]
MADE = "<!-- Made by tools/reference.py: change the code, then run it. -->\n"
PLACES = {
    "data_dir": "the user's data dir, such as `~/.local/share/palabre`",
    "cache_dir": "the user's cache dir, such as `~/.cache/palabre`",
}
PAGE_TEXTS = Path("src/palabre/surfaces/rooms/web/i18n")
PAGE_TABLES = ("client.", "page.")
ADMIN_TABLE = "page.admin."
LIMITS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}

SETTINGS = """# Settings

Every setting has a default; Palabre starts without a file. Values come from four places, later
ones win: the default, the file `palabre.toml`, variables of the environment, options of the
command line. `palabre config show` prints every value and where it was set;
`palabre config check FILE` reads a file and reports every mistake at once.

The file is the first of: `--config FILE`, the one that `PALABRE_CONFIG` names, `palabre.toml` in
the working directory, `palabre.toml` in the user's configuration dir (`~/.config/palabre`).
Relative paths in the file start at the file. Lists in a variable are separated by commas; an
empty variable counts as unset.

Secrets are never written in the file. Give them as a variable, or put them in a file of their own
and name it: `api_key_file = "key.txt"`, or the variable with `_FILE` at its end.

```toml
language = "en"

[server]
port = 4000

[models]
provider = "lab"

[models.openai.lab]
base_url = "http://127.0.0.1:8080/v1"
api_key_file = "lab.key"
```
"""

OTHER_NAMES = """
## Variables of other names

Those that users of the existing programs have set already keep working. The `PALABRE_` variable of
the same key wins.

"""

METRICS_HEAD = f"""# Metrics

`GET /metrics` answers in the text format of Prometheus; all of these are there from the start.

| metric | type | unit | meaning | label `{KIND}` |
|---|---|---|---|---|
"""

ENGINE_WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "states": "# States of runs and steps",
        "about": """Nothing else can happen to a run or a step than what these arrows say. A run
ends as the first of these that one of its steps ended as: cancelled, failed, not_configured,
blocked, completed. A run that waits for a person is `running`, its step is `waiting`.""",
        "run": "## Runs",
        "step": "## Steps",
        "head": "| state | name |\n|---|---|\n",
        "nodes": "# Kinds of nodes",
        "columns": "node, what it does, takes, makes, parameters, where",
    },
    "fr": {
        "states": "# États des runs et des étapes",
        "about": """Il ne peut arriver à un run ou à une étape que ce que disent ces flèches. Un run
finit comme la première de ces fins que connaît une de ses étapes : cancelled, failed,
not_configured, blocked, completed. Un run qui attend quelqu'un est `running`, son étape est
`waiting`.""",
        "run": "## Runs",
        "step": "## Étapes",
        "head": "| état | nom |\n|---|---|\n",
        "nodes": "# Sortes de nœuds",
        "columns": "nœud, ce qu'il fait, prend, donne, réglages, où",
    },
}


def settings_page() -> str:
    """Return the reference of all settings."""
    parts = [MADE, SETTINGS]
    section: tuple[str, ...] | None = None
    for key in KEYS.all:
        if key.path[:-1] != section:
            section = key.path[:-1]
            parts.append(_heading(section))
        parts.append(_row(key))
    rows = (f"| `{name}` | `{key}` |\n" for name, key in sorted(ALIASES.items()))
    parts += [OTHER_NAMES, "| variable | key |\n|---|---|\n", *rows]
    names = [*sorted(UNUSED_NAMES), *(f"{prefix}..." for prefix in UNUSED_PREFIXES)]
    unused = ", ".join(f"`{name}`" for name in names)
    parts.append(f"\nKnown, not used by this version yet: {unused}.\n")
    return "".join(parts)


def _heading(section: tuple[str, ...]) -> str:
    name = ".".join("<name>" if part == ANY_NAME else part for part in section)
    title = f"`[{name}]`" if section else "At the top of the file"
    header = "| key | default | meaning | variable |\n|---|---|---|---|\n"
    return f"\n## {title}\n\n{header}"


def _row(key: Key) -> str:
    meaning = " ".join(part for part in (key.field.description, _limits(key.field)) if part)
    variable = key.variable.replace(f"__{ANY_NAME}__", "__<NAME>__")
    return f"| `{key.path[-1]}` | {_default(key)} | {meaning} | `{variable}` |\n"


def _default(key: Key) -> str:
    if key.name in PLACES:
        return PLACES[key.name]
    value = key.field.get_default(call_default_factory=True, validated_data={})
    if value is PydanticUndefined:
        return "needed"
    if value is None:
        return "none"
    return f"`{json.dumps(list(value) if isinstance(value, tuple) else value)}`"


def _limits(field: FieldInfo) -> str:
    found = [
        f"{words} {getattr(part, name)}"
        for part in field.metadata
        for name, words in LIMITS.items()
        if getattr(part, name, None) is not None
    ]
    choices = [f"`{choice}`" for choice in get_args(field.annotation) if isinstance(choice, str)]
    words = ", ".join(found) or (f"one of {', '.join(choices)}" if choices else "")
    return f"{words[0].upper()}{words[1:]}." if words else ""


def commands_page() -> str:
    """Return the reference of all slash commands, in both languages."""
    rows = map(_command, ranked(discover(commands, "COMMAND", Command)))
    head = "# Commands\n\nWhat can be typed in a room; `/help` lists the same.\n\n"
    return "".join([MADE, head, "| English | français |\n|---|---|\n", *rows])


def _command(command: Command) -> str:
    cells = [
        f"`{say(command.form, language)}`: {say(command.about, language)}".replace("|", "\\|")
        for language in ("en", "fr")
    ]
    return f"| {' | '.join(cells)} |\n"


def metrics_page() -> str:
    """Return the reference of all metrics."""
    return "".join([MADE, METRICS_HEAD, *map(_metric, METRICS.values())])


def _metric(metric: Metric) -> str:
    suffix = "_total" if metric.type == "counter" else ""
    cells = (f"`{PREFIX}{metric.name}{suffix}`", metric.type, metric.unit, metric.help)
    return f"| {' | '.join(cells)} | {metric.kinds} |\n"


def states_page(language: Language) -> str:
    """Return the page of all states, with their diagrams."""
    words = ENGINE_WORDS[language]
    parts = [f"{words['states']}\n\n{words['about']}\n"]
    parts += [_subject("run", language), _subject("step", language)]
    return "\n".join(parts)


def _subject(subject: Subject, language: Language) -> str:
    words = ENGINE_WORDS[language]
    drawn = diagram(subject, lambda event: say(event_title(event), language))
    states = dict.fromkeys(each.after for each in ARROWS if each.subject == subject)
    rows = "".join(f"| `{each}` | {say(state_title(each), language)} |\n" for each in states)
    return f"{words[subject]}\n\n```mermaid\n{drawn}```\n\n{words['head']}{rows}"


def nodes_page(language: Language) -> str:
    """Return the page of all kinds of nodes, by family."""
    words = ENGINE_WORDS[language]
    types = discover(nodes, "NODE", NodeType)
    parts = [f"{words['nodes']}\n"]
    for family in FAMILIES:
        rows = "".join(_node(each, language) for each in types.values() if each.family == family)
        if rows:
            head = f"| {words['columns'].replace(', ', ' | ')} |\n|---|---|---|---|---|---|\n"
            parts.append(f"## {say(family_title(family), language)}\n\n{head}{rows}")
    return "\n".join(parts)


def _node(node_type: NodeType, language: Language) -> str:
    cells = (
        f"`{node_type.name}` {say(node_type.title, language)}",
        say(node_type.about, language),
        ", ".join(f"`{each.name}`" for each in node_type.inputs),
        ", ".join(f"`{each.name}`" for each in node_type.outputs),
        "<br>".join(_param(each, language) for each in node_type.params),
        ", ".join(node_type.runtimes),
    )
    return f"| {' | '.join(cells)} |\n"


def _param(param: Param, language: Language) -> str:
    limits = [f">= {param.least}"] if param.least is not None else []
    limits += [f"<= {param.most}"] if param.most is not None else []
    limits += [", ".join(param.choices)] if param.choices else []
    needed = " *" if param.required else f" = {param.default}" if param.default is not None else ""
    told = f" ({'; '.join(limits)})" if limits else ""
    return f"`{param.name}{needed}`{told}: {say(param.about, language)}"


def page_texts(language: Language) -> str:
    """Return the module with the web client's texts; its codes have no table in front."""
    return _texts_module(language, PAGE_TABLES, without=ADMIN_TABLE)


def admin_texts(language: Language) -> str:
    """Return the module with the texts that only the pages of the administration need."""
    return _texts_module(language, (ADMIN_TABLE,), of="page.")


def _texts_module(
    language: Language, tables: tuple[str, ...], *, of: str = "", without: str = "-"
) -> str:
    rows = "".join(
        f"  {json.dumps(code.removeprefix(of or table))}: {_quoted(words)},\n"
        for table in tables
        for code, words in catalogue(language).items()
        if code.startswith(table) and not code.startswith(without)
    )
    made = f"// Made by tools/reference.py from texts/{language}.toml: change that, then run it.\n"
    return f"{made}export default {{\n{rows}}};\n"


def _quoted(words: str) -> str:
    return json.dumps(words, ensure_ascii=False)


def pages() -> dict[Path, str]:
    """Return each file that is made, by its path below the root."""
    made = {"settings": settings_page, "commands": commands_page, "metrics": metrics_page}
    documents = {Path(f"docs/{name}.md"): page() for name, page in made.items()}
    texts = {PAGE_TEXTS / f"{each}.js": page_texts(each) for each in LANGUAGES}
    admin = {PAGE_TEXTS / f"admin_{each}.js": admin_texts(each) for each in LANGUAGES}
    return documents | texts | admin | engine_pages()


def engine_pages() -> dict[Path, str]:
    """Return the pages about the engine, in both languages."""
    folders: dict[Language, str] = {"en": "docs/engine", "fr": "docs/fr/engine"}
    made = {"states": states_page, "nodes": nodes_page}
    return {
        Path(folder) / f"{name}.md": f"{MADE}{page(language)}"
        for language, folder in folders.items()
        for name, page in made.items()
    }


def main(arguments: list[str]) -> int:
    old = []
    for path, content in pages().items():
        file = ROOT / path
        if file.is_file() and file.read_text(encoding="utf-8") == content:
            continue
        old.append(path)
        if "--check" not in arguments:
            file.write_text(content, encoding="utf-8")
    if "--check" not in arguments:
        return 0
    for path in old:
        print(f"{path}: not up to date; run python tools/reference.py")
    return bool(old)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Seed 000 §5.8: how a persona answers."""

import asyncio
from dataclasses import replace
from itertools import pairwise

import httpx2
import pytest
from tests.support.rooms import BATTY, PHARMACIUS, house, is_final, is_own_list, texts

from palabre.adapters.models.ollama import OllamaProvider
from palabre.app.settings import Settings
from palabre.core.chat.model import Utterance
from palabre.core.models.model import ModelInfo
from palabre.core.models.registry import ModelRegistry
from palabre.core.models.slots import CallSlots
from palabre.core.personas.model import Example
from palabre.kernel.errors import UpstreamError
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.clock import FrozenClock
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.models import Answer, ScriptedProvider
from palabre.testing.ollama import running as running_ollama
from palabre.testing.personas import a_persona

# --- what is shown of an answer ---------------------------------------------------------------

SHOWN = {
    "plain": (("Bonjour.",), "Bonjour."),
    "whole tags": (("<think>", "hm", "</think>", "Oui."), "Oui."),
    "glued": (("<think>hm</think>Oui.",), "Oui."),
    "split tags": (("<thi", "nk>h", "m</th", "ink>Ou", "i."), "Oui."),
    "text before": (("Ah, <think>hm</think>oui.",), "Ah, oui."),
    "two blocks": (("<think>a</think>Un <think>b</think>deux.",), "Un deux."),
    "other case": (("<THINK>hm</Think>Oui.",), "Oui."),
    "unopened": (("hm</think>Oui.",), "Oui."),
    "literal in code": (("Écris `<think>` ici.",), "Écris `<think>` ici."),
    "literal in a block": (("```\n<think>\n```\nVoilà.",), "```\n<think>\n```\nVoilà."),
    "less than": (("1 <", " 2 et <th", "éâtre>"), "1 < 2 et <théâtre>"),
    "bold prefix": (("**Batty** :\nJ'ai vu.",), "J'ai vu."),
    "prefix": (("Batty : J'ai vu.",), "J'ai vu."),
    "tight prefix": (("Batty: J'ai vu.",), "J'ai vu."),
    "bold colon": (("**Batty :** J'ai vu.",), "J'ai vu."),
    "small prefix": (("batty : J'ai vu.",), "J'ai vu."),
    "split prefix": (("**Ba", "tty*", "* ", ":", "\n", "J'ai vu."), "J'ai vu."),
    "prefix after thought": (("<think>x</think>\nBatty : J'ai vu.",), "J'ai vu."),
    "prefix, then bold": (("Batty : **J'ai** vu.",), "**J'ai** vu."),
    "prefix, then italics": (("Batty: *soupir* J'ai vu.",), "*soupir* J'ai vu."),
    "no colon": (("Batty a vu.",), "Batty a vu."),
    "longer word": (("Battyste : oui.",), "Battyste : oui."),
    "other's name": (("Schaeffer : oui.",), "Schaeffer : oui."),
    "name inside": (("Moi, Batty : oui.",), "Moi, Batty : oui."),
    "bold text": (("**J'ai vu.** Oui.",), "**J'ai vu.** Oui."),
    "spaces around": (("\n\n  Oui.  \n",), "Oui."),
}


async def test_thoughts_and_the_speakers_own_name_are_left_out() -> None:
    """§5.7 — Les tokens <think>...</think> (qwen3 reasoning) sont filtres du streaming
    §5.7 — Le message final contient le texte complet nettoye
    §5.8 — Suppression des blocs <think>...</think> (reasoning tokens qwen3)
    §5.8 — Suppression du prefix self-reference: **Schaeffer** :\\n ou Schaeffer :
    """
    answers = [Answer(pieces) for pieces, _ in SHOWN.values()]
    async with house(*answers, rate_limit_messages=1000) as place:
        ana = await place.enter("ana")
        for case, (_, wanted) in SHOWN.items():
            await ana.say("@Batty ?")
            seen = await ana.until(lambda f: is_final(f, "Batty"))
            assert (case, seen[-1]["text"]) == (case, wanted)
            shown = "".join(f["text"] for f in seen if f["type"] == "chunk")
            assert (case, shown.strip()) == (case, wanted)


async def test_no_piece_of_a_thought_is_ever_shown() -> None:
    """§5.7 — si un token contient <think>, les chunks suivants sont supprimes jusqu'a </think>"""
    whole = "<think>secret</think>Oui, <think>secret</think>non."
    answers = [Answer((whole[:cut], whole[cut:])) for cut in range(1, len(whole), 3)]
    async with house(*answers, rate_limit_messages=1000) as place:
        ana = await place.enter("ana")
        for _ in answers:
            await ana.say("@Batty ?")
            seen = await ana.until(lambda f: is_final(f, "Batty"))
            assert "".join(f["text"] for f in seen if f["type"] == "chunk") == "Oui, non."


@pytest.mark.parametrize("pieces", [(), ("", " \n"), ("<think>hm",), ("Batty :",)], ids=repr)
async def test_an_empty_answer_is_a_line_and_no_message(pieces: tuple[str, ...]) -> None:
    """§5.8 — Suppression des blocs <think>...</think> (reasoning tokens qwen3)"""
    async with house(Answer(pieces)) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty ?")
        assert texts(await ana.so_far()) == [
            "@Batty ?",
            "Batty est en train d'ecrire...",
            "Batty reste silencieux : le modèle n'a rien répondu.",
        ]
        assert [said.nick for said in place.store.utterances] == ["ana"]


# --- several answers --------------------------------------------------------------------------


async def test_two_replies_of_one_persona_never_mix() -> None:
    """§5.8 — 1. Sur reception de chunk pour un nick donne: concatener text au buffer de ce nick"""
    answers = [Answer(("a", "b", "c"), delay_s=0.005), Answer(("d", "e", "f"), delay_s=0.005)]
    async with house(*answers) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.say("@Batty un ?")
        await bob.say("@Batty deux ?")
        first = await ana.until(lambda f: is_final(f, "Batty"))
        second = await ana.until(lambda f: is_final(f, "Batty"))
        assert [f["text"] for f in first if f.get("nick") == "Batty"] == ["a", "b", "c", "abc"]
        assert [f["text"] for f in second if f.get("nick") == "Batty"] == ["d", "e", "f", "def"]
        typing = [f for f in first + second if "ecrire" in f["text"]]
        assert len(typing) == 2
        assert second.index(typing[1]) == 0


async def test_two_personas_answer_at_the_same_time() -> None:
    """§5.8 — Concurrence limitee a MAX_OLLAMA_CONCURRENT (defaut 3, via p-limit)"""
    gate = asyncio.Event()
    async with house(Answer(gate=gate)) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty @Schaeffer ?")
        await ana.until_text("est en train d'ecrire")
        await ana.until_text("est en train d'ecrire")
        assert place.provider.open_calls == 2
        gate.set()
        await ana.so_far()


async def test_a_persona_answers_in_each_channel_for_itself() -> None:
    """§5.8 — Concurrence limitee a MAX_OLLAMA_CONCURRENT (defaut 3, via p-limit)"""
    gate = asyncio.Event()
    async with house(Answer(gate=gate)) as place:
        ana, bob = await place.company("ana", "bob")
        await bob.command("/join #ailleurs")
        await bob.until_text("Canal change")
        await ana.say("@Batty ?")
        await ana.until_text("est en train d'ecrire")
        await bob.say("@Batty ?")
        await bob.until_text("est en train d'ecrire")
        gate.set()
        await bob.until(lambda f: is_final(f, "Batty"))


# --- personas who call on one another -----------------------------------------------------------


async def test_a_persona_that_is_named_in_an_answer_answers_in_turn() -> None:
    """§5.8 — Apres reponse, scan des @mentions dans le texte genere
    §5.8 — Si une autre persona est mentionnee: declenchement d'une reponse en chaine
    """
    async with house("Demande à @Schaeffer.", "J'écoute.") as place:
        ana = await place.enter("ana")
        await ana.say("@Batty ?")
        await ana.until(lambda f: is_final(f, "Schaeffer"))
        asked = place.provider.requests[1].messages[-1].content
        assert "Batty" in asked
        assert "Demande à @Schaeffer." in asked


async def test_a_chain_has_at_most_three_hops_of_one_reply_each() -> None:
    """§5.8 — depth < maxInterPersonaDepth (defaut 3)
    §5.8 — Max 3 niveaux de profondeur pour eviter les boucles infinies
    """
    async with house("@Batty @Schaeffer @Pharmacius, et vous ?") as place:
        ana = await place.enter("ana")
        await ana.say("@Batty ?")
        speakers = []
        for _ in range(4):
            seen = await ana.until(lambda f: f["type"] == "message" and f["nick"] != "ana")
            speakers.append(seen[-1]["nick"])
        assert speakers == ["Batty", "Schaeffer", "Batty", "Schaeffer"]
        await asyncio.sleep(0.1)  # ten times the pause that comes before a hop
        assert await ana.so_far() == []


async def test_a_persona_does_not_call_on_itself() -> None:
    """§5.8 — Si une autre persona est mentionnee"""
    async with house("Moi, @Batty, j'ai vu.") as place:
        ana = await place.enter("ana")
        await ana.say("@Batty ?")
        await ana.until(lambda f: is_final(f, "Batty"))
        await asyncio.sleep(0.05)
        assert await ana.so_far() == []


async def test_the_pause_before_a_hop_can_be_set() -> None:
    """§5.8 — apres interPersonaDelayMs (defaut 500ms)"""
    async with house("@Schaeffer ?", "Oui.", chain_delay_s=0.3) as place:
        ana = await place.enter("ana")
        started_s = asyncio.get_running_loop().time()
        await ana.say("@Batty ?")
        await ana.until(lambda f: is_final(f, "Schaeffer"))
        assert asyncio.get_running_loop().time() - started_s >= 0.3


def test_the_pause_before_a_hop_is_half_a_second() -> None:
    """§5.8 — apres interPersonaDelayMs (defaut 500ms)"""
    rooms = Settings().rooms
    assert (rooms.chain_delay_s, rooms.chain_depth) == (0.5, 3)


# --- Ollama -----------------------------------------------------------------------------------

SCRIPT = """
tokens_per_s = 100000
first_token_delay_s = 0
split = "bytes"

[[answer]]
when = "panne"
error = "http"
status = 500
message = "out of memory"

[[answer]]
when = "coupure"
tokens = ["Un", " deux"]
error = "in_stream"
after_tokens = 1
message = "boom"

[[answer]]
tokens = ["<think>", "hm", "</think>", "Xéna", "kis ", "…"]
"""


def ollama(url: str, most: int = 3) -> ModelRegistry:
    provider = OllamaProvider(CallSlots(most, 64), url, timeout_s=30)
    return ModelRegistry([provider], default_model="qwen3:8b", clock=FrozenClock())


async def ledger(url: str) -> list[dict]:
    async with httpx2.AsyncClient() as http:
        told = (await http.get(f"{url}/sim/requests")).json()
    return [each for each in told["requests"] if each["path"] == "/api/chat"]


async def test_the_call_to_ollama_is_that_of_the_seed() -> None:
    """§5.8 — Appel streaming a POST /api/chat avec stream: true
    §5.8 — Chaque ligne NDJSON {"message":{"content":"..."}} produit un chunk
    §5.8 — Context dynamique: num_ctx calcule selon estimateNumCtx() (4096-32768, arrondi a 2048)
    §5.8 — keep_alive: "30m" pour garder le modele en VRAM
    """
    async with running_ollama(SCRIPT) as url, house(models=ollama(url)) as place:
        ana = await place.enter("ana")
        await ana.say("@Schaeffer, que penses-tu de Xenakis?")
        seen = await ana.until(lambda f: is_final(f, "Schaeffer"))
        assert [(f["type"], f["text"]) for f in seen[2:]] == [
            ("chunk", "Xéna"),
            ("chunk", "kis "),
            ("chunk", "…"),
            ("message", "Xénakis …"),
        ]
        (call,) = await ledger(url)
        assert (call["method"], call["path"]) == ("POST", "/api/chat")
        body = call["body"]
        assert body["model"] == "qwen3:8b"
        assert body["stream"] is True
        assert body["keep_alive"] == "30m"
        assert body["options"] == {"num_ctx": 4096, "num_predict": 2048}
        assert [each["role"] for each in body["messages"]] == ["system", "user"]


async def test_failures_of_ollama_are_told_in_the_seeds_words() -> None:
    """§5.7 — Erreurs Ollama: "<nick>: erreur Ollama — <message>" """
    async with running_ollama(SCRIPT) as url, house(models=ollama(url)) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty panne")
        assert (await ana.until_text("erreur"))[-1]["text"].startswith(
            "Batty: erreur Ollama — Ollama returned 500: Internal Server Error"
        )
        await ana.say("@Batty coupure")
        assert (await ana.until_text("erreur"))[-1]["text"] == "Batty: erreur Ollama — boom"


async def test_an_ollama_that_does_not_answer_is_told_in_the_seeds_words() -> None:
    """§5.7 — Erreurs Ollama: "<nick>: erreur Ollama — <message>" """
    async with house(models=ollama("http://127.0.0.1:9")) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty ?")
        told = (await ana.until_text("Batty: "))[-1]["text"]
        assert told.startswith("Batty: erreur Ollama — ")
        assert len(told) > len("Batty: erreur Ollama — ")


async def test_so_many_calls_run_at_once_and_the_others_wait_in_silence() -> None:
    """§5.8 — Concurrence limitee a MAX_OLLAMA_CONCURRENT (defaut 3, via p-limit)"""
    script = SCRIPT.replace("first_token_delay_s = 0", "first_token_delay_s = 0.2")
    async with running_ollama(script) as url, house(models=ollama(url, 1)) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty @Schaeffer ?")
        seen = await ana.so_far()
        order = [f["type"] for f in seen if f["type"] != "chunk"]
        assert order == ["message", "system", "message", "system", "message"]


# --- prompts ----------------------------------------------------------------------------------


async def test_the_prompt_is_persona_then_message_then_what_was_said_before() -> None:
    """§12 — A->>A: enrichir avec memoire persona
    §12 — A->>O: inference/stream
    """
    async with house("Oui.", personas=(BATTY, PHARMACIUS)) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty un")
        await ana.say("@Batty deux")
        await ana.so_far()
        system, user = place.provider.requests[-1].messages
        assert (system.role, system.content) == ("system", "Tu es Batty.")
        assert user.role == "user"
        asked, context = user.content.split("\n\n")
        assert asked == "@Batty deux"
        assert context.split("\n")[1:] == ["ana: @Batty un", "Batty: Oui."]
        assert user.content.count("@Batty deux") == 1


async def test_the_memory_of_a_persona_is_in_its_prompt(tmp_path) -> None:
    """§11 — La memoire est injectee dans le systemPrompt sous forme de bloc [Memoire]"""
    path = tmp_path / "v2-local" / "persona-memory" / "batty.json"
    path.parent.mkdir(parents=True)
    path.write_text(
        '{"version":2,"personaId":"batty","workingMemory":{"facts":["Aime la pluie"],'
        '"summary":"On parla de mort"}}'
    )
    async with house("Oui.", data_dir=tmp_path) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty ?")
        await ana.so_far()
        system = place.provider.requests[0].messages[0].content
        assert system == "Tu es Batty.\n\n[Memoire]\n- Aime la pluie\nOn parla de mort"


async def test_a_prompt_holds_the_newest_4000_characters_of_the_channel() -> None:
    """§12 — A->>A: enrichir avec memoire persona"""
    clock, store = FrozenClock(), MemoryMessageStore()
    for number in range(10):
        await store.append(
            Utterance(clock.now(), ChannelName("#general"), Nick("bob"), f"{number}" * 990)
        )
    async with house("Oui.", store=store, clock=clock) as place:
        ana = await place.enter("ana")
        await ana.say("Q" * 5000)  # longer than what the store keeps of one message
        await ana.so_far()
        asked, context = place.provider.requests[-1].messages[-1].content.split("\n\n")
        assert asked == "Q" * 5000
        assert [line[:6] for line in context.split("\n")[1:]] == [f"bob: {n}" for n in "6789"]


async def test_a_small_model_is_given_less_and_the_question_last() -> None:
    """§12 — A->>O: inference/stream"""
    batty = replace(
        a_persona("Batty", prompt="Long."),
        short_prompt="Court.",
        examples=(Example("Qui es-tu ?", "Un homme."),),
    )
    small = ModelInfo("ollama", "qwen3:8b", parameters=500_000_000)
    provider = ScriptedProvider("Oui.", name="ollama", models=(small,))
    async with house(personas=(batty,), provider=provider) as place:
        ana = await place.enter("ana")
        await ana.say("un")
        await ana.say("deux")
        await ana.so_far()
        told = provider.requests[-1].messages
        assert told[0].role == "system"
        assert told[0].content.startswith("Court.")
        assert "Long." not in told[0].content
        pairs = [(ask.content, answer.content) for ask, answer in pairwise(told[1:])]
        assert pairs.index(("Qui es-tu ?", "Un homme.")) < pairs.index(("un", "Oui."))
        assert told[-1].role == "user"
        assert told[-1].content.startswith("deux")


async def test_a_persona_may_have_a_shorter_longest_answer() -> None:
    """§5.8 — Appel streaming a POST /api/chat avec stream: true"""
    short = replace(PHARMACIUS, max_tokens=400)
    async with house("Oui.", personas=(short, BATTY)) as place:
        ana = await place.enter("ana")
        await ana.say("@Pharmacius ?")
        await ana.say("@Batty ?")
        await ana.so_far()
        assert [each.max_tokens for each in place.provider.requests] == [400, 2048]


async def test_a_failed_answer_lets_the_next_one_be_given() -> None:
    """§5.8 — Timeout: 5 minutes par appel"""
    failed = Answer(("Je",), error=UpstreamError(detail="Ollama took too long"))
    async with house(failed, "Oui.") as place:
        ana = await place.enter("ana")
        await ana.say("@Batty ?")
        await ana.until_text("Batty: erreur Ollama — Ollama took too long")
        await ana.say("@Batty ?")
        seen = await ana.until(lambda f: is_final(f, "Batty") or is_own_list(f))
        assert seen[-1]["text"] == "Oui."

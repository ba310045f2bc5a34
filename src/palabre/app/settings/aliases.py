"""Variables of other names: the ones users of the existing programs have set already."""

ALIASES = {
    "PALABRE_ENV": "environment",
    "ADMIN_SUBNET": "auth.admin_subnet",
    "ADMIN_TOKEN": "auth.admin_token",
    "OLLAMA_URL": "models.ollama.url",
    "MAX_OLLAMA_CONCURRENT": "models.ollama.max_concurrent",
    "DATABASE_URL": "storage.database_url",
    "VISION_MODEL": "models.vision_model",
    "RAG_EMBEDDING_MODEL": "knowledge.embedder",
    "RAG_CHUNK_SIZE": "knowledge.chunk_chars",
    "RAG_MAX_RESULTS": "knowledge.max_results",
    "RAG_MIN_SIMILARITY": "knowledge.min_similarity",
    "SEARXNG_URL": "web.searxng_url",
    "WEB_SEARCH_API_BASE": "web.search_api_base",
    "COMFYUI_URL": "media.comfyui_url",
    "TTS_ENABLED": "speech.enabled",
    "TTS_URL": "speech.url",
    "KXKM_PERSONA_MEMORY_UPDATE_EVERY": "memory.update_every",
    "KXKM_PERSONA_MEMORY_EXTRACTION_MIN_FACTS": "memory.min_facts",
    "KXKM_PERSONA_MEMORY_EXTRACTION_MAX_FACTS": "memory.max_facts",
    "KXKM_PERSONA_MEMORY_EXTRACTION_WINDOW": "memory.window",
    "KXKM_PERSONA_MEMORY_FACTS_LIMIT": "memory.working_facts",
    "KXKM_PERSONA_MEMORY_SOURCE_MESSAGES_LIMIT": "memory.source_messages",
    "KXKM_PERSONA_MEMORY_ARCHIVAL_FACTS_LIMIT": "memory.archive_facts",
    "KXKM_PERSONA_MEMORY_ARCHIVAL_SUMMARIES_LIMIT": "memory.archive_summaries",
    "KXKM_PERSONA_MEMORY_COMPAT_FACTS_LIMIT": "memory.compat_facts",
}
"""Variable -> the key that it sets. The `PALABRE_...` variable of the key wins over it."""

CONFIG_VARIABLE = "PALABRE_CONFIG"
"""Names the file to read."""

UNUSED_NAMES = frozenset(
    {
        "AGENT_WECHAT_TOKEN",
        "CHATSERVER_CONFIG_DIR",
        "CHATSERVER_MODEL_API_KEY",
        "OPENAI_API_KEY",
    }
)
UNUSED_PREFIXES = ("NODE_ENGINE_",)


def is_unused(variable: str) -> bool:
    """Whether *variable* is known by name but not used by this version yet."""
    return variable in UNUSED_NAMES or variable.startswith(UNUSED_PREFIXES)

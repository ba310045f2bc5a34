"""Personas as models, for programs that speak the protocol of OpenAI."""

"""What models are told when a tool is not used as they meant. In the language of the personas."""

NO_SUCH_TOOL = "Outil inconnu : {name}. Réponds sans lui."
TOO_MANY = "Pas plus de {most} outils par réponse : celui-ci n'a pas été utilisé."
TIMED_OUT = "L'outil {name} n'a pas répondu en {limit_s:g} secondes. Réponds sans lui."
FAILED = "L'outil {name} a échoué : {reason}. Réponds sans lui."
NOTHING = "(Aucun résultat)"
CUT = "\n[…]"

NOT_JSON = "Les arguments doivent être un objet JSON. L'outil n'a pas été utilisé."
TOO_LONG = "Les arguments dépassent {most} caractères. L'outil n'a pas été utilisé."
MISSING = "Il manque l'argument {name}. L'outil n'a pas été utilisé."
WRONG_TYPE = "L'argument {name} doit être de type {kinds}. L'outil n'a pas été utilisé."

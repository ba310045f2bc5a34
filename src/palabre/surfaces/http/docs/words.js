// The page's own words. What routes say of themselves is in English.

const FR = {
  title: "routes HTTP",
  find: "Chercher",
  none: "Aucune route ne correspond.",
  body: "Corps",
  answers: "Réponses",
  parameters: "Paramètres",
  columns: ["nom", "où", "quoi"],
  open: "Ouverte à tous.",
  needs: (permission) => (permission ? `Demande une session avec ${permission}.` : "Demande une session."),
  network: "Depuis le réseau des administrateurs seulement.",
  problem: (why) => `Les routes ne peuvent être montrées : ${why}. Rechargez la page.`,
};

const EN = {
  title: "HTTP routes",
  find: "Find",
  none: "No route matches.",
  body: "Body",
  answers: "Answers",
  parameters: "Parameters",
  columns: ["name", "in", "what"],
  open: "Open to all.",
  needs: (permission) => (permission ? `Needs a session with ${permission}.` : "Needs a session."),
  network: "From the administrators' network alone.",
  problem: (why) => `The routes cannot be shown: ${why}. Reload the page.`,
};

export const language = navigator.languages.find((each) => /^(fr|en)\b/.test(each))?.slice(0, 2) ?? "en";
export const words = language === "fr" ? FR : EN;

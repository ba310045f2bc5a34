// Runs before the first paint: a remembered theme wins over the system's.

try {
  const theme = localStorage.getItem("palabre-theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // A browser that refuses storage follows the system.
}

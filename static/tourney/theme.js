// Light, dark or as the device says. Runs in <head> before the first paint, so nothing flashes.
(() => {
  const root = document.documentElement;
  const device = matchMedia("(prefers-color-scheme: dark)");
  const choices = ["auto", "light", "dark"];
  const stored = () => {
    try {
      const choice = localStorage.getItem("theme");
      return choices.includes(choice) ? choice : "auto";
    } catch {
      return "auto"; // storage is forbidden in some private windows: follow the device
    }
  };
  const fixed = root.dataset.look; // a screen of the hall has the look its organizer chose
  let choice = choices.includes(fixed) ? fixed : stored();
  const show = () => {
    root.dataset.themeChoice = choice;
    root.dataset.bsTheme = choice === "auto" ? (device.matches ? "dark" : "light") : choice;
  };
  show();
  device.addEventListener("change", show);
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.(".theme-toggle")) return;
    choice = choices[(choices.indexOf(choice) + 1) % choices.length];
    try {
      localStorage.setItem("theme", choice);
    } catch {
      // the choice then lasts for this page only
    }
    show();
  });
})();

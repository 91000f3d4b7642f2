// The views, in their order: NAME is `views/NAME.js` with `views/NAME.css`, the icon NAME and the
// address `#/NAME`; `g KEY` goes there.
export const VIEWS = [
  { name: "live", label: "Live", key: "l" },
  { name: "search", label: "Search", key: "s" },
  { name: "sessions", label: "Sessions", key: "e" },
  { name: "context", label: "Context", key: "c" },
  { name: "knowledge", label: "Knowledge", key: "k" },
  { name: "files", label: "Files", key: "f" },
  { name: "health", label: "Health", key: "h" },
  { name: "erase", label: "Erase", key: "x" },
  { name: "settings", label: "Settings", key: "," },
];

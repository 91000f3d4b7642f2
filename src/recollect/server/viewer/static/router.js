// The address after `#` is the state that a link keeps: #/VIEW/PART/…?NAME=VALUE
import { signal } from "./lib.js";

/** What is shown: {view, path: ["decoded", …], query: {name: "value"}}. */
export const route = signal(parse(location.hash));

/** Return the address of a view: href("sessions", ["KEY"], {at: 4}). Empty values are left out. */
export function href(view, path = [], query = {}) {
  const parts = [view, ...path].map(encodeURIComponent).join("/");
  const pairs = Object.entries(query).filter(([, value]) => value !== "" && value != null);
  const tail = new URLSearchParams(pairs).toString();
  return `#/${parts}${tail && "?"}${tail}`;
}

/** Show a view; with `replace` the step back leads past this one. */
export function go(address, { replace = false } = {}) {
  if (address === location.hash) return;
  history[replace ? "replaceState" : "pushState"](null, "", address);
  route.value = parse(address);
}

/** Change what the address of this moment keeps: amend({open: "f12"}). */
export function amend(changes, { replace = true } = {}) {
  const { view, path, query } = route.peek();
  go(href(view, path, { ...query, ...changes }), { replace });
}

addEventListener("hashchange", () => (route.value = parse(location.hash)));
addEventListener("popstate", () => (route.value = parse(location.hash)));

function parse(hash) {
  const [path, tail = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [view, ...rest] = path.split("/").map(decoded);
  return { view: view || "live", path: rest, query: Object.fromEntries(new URLSearchParams(tail)) };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

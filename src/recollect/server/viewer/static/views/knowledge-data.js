// What the parts of Knowledge show: facts, people, and how both are named.
import { get } from "../api.js";
import { dateOf, useAnswer, useGet, useProjects, useTick } from "../ui.js";

const PAGE = 500;
export const MOST = 5_000;
export const CHANGES = /^facts?\.|erased|pruned|withdrawn|returned|reset|restored$/;

/** Return the facts of a status, or those that were true at a time, the newest first. */
export function useFacts({ status = "current", on = "" } = {}) {
  const query = on ? { as_of: on, limit: PAGE } : { status, limit: PAGE };
  const read = async (signal, before = [], cursor = "") => {
    const page = await get("/api/facts", { ...query, cursor }, { signal });
    const facts = [...before, ...page.facts];
    return page.cursor && facts.length < MOST ? read(signal, facts, page.cursor) : facts;
  };
  return useAnswer(read, [status, on], useTick(CHANGES));
}

/** Return the people with their accounts, [] for a token that may not list them. */
export const usePeople = () => useGet("/api/identities", {}, useTick(/^identity\./));

/** Return how facts are named: {kind, whom, project, slot}, each a text of a fact. */
export function useNames() {
  const people = usePeople().value?.identities ?? [];
  const projects = useProjects();
  return {
    kind: (fact) => fact.kind.replaceAll("_", " "),
    whom: (fact) => fact.name ?? (fact.subject === "project" ? "The project" : who(fact, people)),
    project: ({ project: path }) =>
      projects.find(({ paths }) => paths.includes(path))?.name ?? path?.split("/").pop() ?? "",
    slot: (fact) => fact.slot?.replaceAll("|", ", ") ?? "",
  };
}

function who({ user_id: user }, people) {
  const own = people.find(({ accounts }) => accounts.some(({ account }) => account === user));
  return own?.user_id ?? user ?? "You";
}

/** Return from when to when a fact is true. */
export function periodOf(fact) {
  const from = dateOf(fact.valid_from);
  if (!fact.valid_to) return `since ${from}`;
  const to = dateOf(fact.valid_to);
  return from === to ? `on ${from}` : `${from} to ${to}`;
}

// Requests with the token of this tab. The token is in session storage, never in an address.
import { signal } from "./lib.js";
import { go } from "./router.js";

const KEY = "recollect.token";
const WAIT_FOR_TABS_MS = 250;
const tabs = new BroadcastChannel("recollect");
const refused = new Set();

/** "asking": other tabs are asked for a token; "out": there is none; "in": there is one. */
export const access = signal(sessionStorage.getItem(KEY) ? "in" : "asking");
/** Why the code of the address was refused, or the token is not valid any more. */
export const refusal = signal(null);

/** An answer that is an error: `code`, `message`, `hint` and `status` as the server says. */
class ApiError extends Error {
  constructor(status, { code, message, hint }) {
    super(message);
    Object.assign(this, { status, code, hint });
  }
}

/** Get JSON: await get("/api/sessions", {limit: 20}, {signal}). Empty values are left out. */
export const get = (path, query, more) => call("GET", path, { query, ...more });
/** Post JSON: await post("/api/search", {query: "tea"}, {signal}). */
export const post = (path, body = {}, more) => call("POST", path, { body, ...more });
export const put = (path, body, more) => call("PUT", path, { body, ...more });
export const patch = (path, body, more) => call("PATCH", path, { body, ...more });
export const remove = (path, query, more) => call("DELETE", path, { query, ...more });

const call = async (...request) => (await send(...request)).json();

/** Return an answer to read from; raise ApiError, or AbortError where `signal` ends it. */
export async function send(method, path, { query, body, signal, headers = {} } = {}) {
  const sent = sessionStorage.getItem(KEY);
  if (sent) headers.authorization = `Bearer ${sent}`;
  if (body !== undefined) headers["content-type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path + queryOf(query), {
      ...{ method, headers, signal, cache: "no-store", credentials: "omit" },
      body: JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, {
      code: "unreachable",
      message: "the worker does not answer",
      hint: "start it with `recollect serve --daemon`",
    });
  }
  if (answer.ok) return answer;
  const error = new ApiError(answer.status, await errorOf(answer));
  if (answer.status === 401 && sent) leave(sent, error);
  throw error;
}

function queryOf(query = {}) {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== "" && value != null)
    .flatMap(([name, value]) => [value].flat().map((each) => [name, each]));
  return pairs.length ? `?${new URLSearchParams(pairs)}` : "";
}

async function errorOf(answer) {
  try {
    return (await answer.json()).error;
  } catch {
    return { code: "unreadable", message: `the answer was ${answer.status}`, hint: "" };
  }
}

/** Get in: with the code of the address, else with the token of another tab. */
export async function enter() {
  const [, code] = location.hash.match(/^#code(?:=|$)([^&]*)/) ?? [];
  if (code !== undefined) {
    const to = new URLSearchParams(location.hash.slice(1)).get("to") ?? "";
    go(`#/${to.replace(/^[#/]+/, "")}`, { replace: true });
    await exchange(code);
  }
  if (access.value !== "in") ask();
}

async function exchange(code) {
  sessionStorage.removeItem(KEY);
  access.value = "asking";
  try {
    const { token } = await post("/api/viewer/token", { code });
    keep(token);
    tabs.postMessage({ token });
  } catch (error) {
    refusal.value = error;
  }
}

function keep(token) {
  sessionStorage.setItem(KEY, token);
  refusal.value = null;
  access.value = "in";
}

function leave(token, error) {
  refused.add(token);
  if (sessionStorage.getItem(KEY) !== token) return; // another one came meanwhile
  sessionStorage.removeItem(KEY);
  refusal.value = error;
  ask();
}

function ask() {
  access.value = "asking";
  tabs.postMessage({ asks: true });
  setTimeout(() => access.value === "asking" && (access.value = "out"), WAIT_FOR_TABS_MS);
}

tabs.onmessage = ({ data }) => {
  const own = sessionStorage.getItem(KEY);
  if (data.asks && own) tabs.postMessage({ token: own });
  else if (data.token && access.value !== "in" && !refused.has(data.token)) keep(data.token);
};

// The memory of OpenCode: hands what happens to recollect, and adds what it answers to the system
// prompt. Written by `recollect init opencode`; `recollect init opencode --remove` takes it out.
// OpenCode 2 calls `setup`, OpenCode 1 calls `server`. Nothing here throws: OpenCode goes on.
import { spawn } from "node:child_process";

const COMMAND = [];
const EVENT = "EVENT";
const MOST_MS = 2000;

function report(event, payload) {
  const [program, ...rest] = COMMAND.map((word) => (word === EVENT ? event : word));
  return new Promise((resolve) => {
    try {
      const child = spawn(program, rest, { stdio: ["pipe", "pipe", "ignore"], timeout: MOST_MS });
      let printed = "";
      child.stdout.on("data", (part) => (printed += part));
      child.on("error", () => resolve({}));
      child.on("close", () => {
        try {
          resolve(JSON.parse(printed));
        } catch {
          resolve({});
        }
      });
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify(payload));
    } catch {
      resolve({});
    }
  });
}

// What a session was given, and what it said last.
function sessions(cwd) {
  const contexts = new Map();
  const said = new Map();
  const parents = new Map();  // a sub-agent has a session of its own
  const of = (id, fields) => ({ session_id: parents.get(id) ?? id, cwd, ...fields });
  return {
    begins: (id, parent) => parent && parents.set(id, parents.get(parent) ?? parent),
    says: (id, text) => said.set(id, text),
    async prompt(id, messageId, text) {
      if (!id || parents.has(id)) return;
      if (!contexts.has(id)) contexts.set(id, (await report("start", of(id))).context ?? "");
      const { context } = await report("prompt", of(id, { message_id: messageId, text }));
      if (context) contexts.set(id, context);
    },
    tool: (id, fields) => report("tool", of(id, fields)),
    async turnEnded(id, messageId) {
      const text = said.get(id);
      said.delete(id);
      if (text && !parents.has(id)) await report("answer", of(id, { message_id: messageId, text }));
    },
    failed: (id, messageId, error) => report("failed", of(id, { message_id: messageId, error })),
    async ended(id) {
      contexts.delete(id);
      if (!parents.delete(id)) await report("end", of(id));
    },
    context: (id) => contexts.get(id),
  };
}

const textOf = (error) => String(error?.message ?? error?.data?.message ?? error ?? "failed");

async function setup(ctx) {
  const memory = sessions(ctx.location?.directory ?? process.cwd());
  const turns = new Map();
  await ctx.session.hook("prompt", async (event) => {
    turns.set(event.sessionID, event.messageID);
    await memory.prompt(event.sessionID, event.messageID, event.prompt?.text ?? "");
  });
  await ctx.session.hook("context", (event) => {
    const text = memory.context(event.sessionID);
    if (text) event.system.push({ type: "text", text });
  });
  await ctx.tool.hook("execute.after", async (event) => {
    await memory.tool(event.sessionID, {
      call_id: event.id,
      tool: event.tool,
      input: event.input,
      output: event.result?.content ?? event.result?.output,
      error: event.status === "error" ? textOf(event.error) : undefined,
    });
  });
  const stopping = new AbortController();
  const handlers = {
    "session.created": (data) => memory.begins(data.sessionID, data.parentID),
    "session.text.ended": (data) => memory.says(data.sessionID, data.text),
    "session.execution.succeeded": (data) =>
      memory.turnEnded(data.sessionID, turns.get(data.sessionID)),
    "session.execution.failed": (data) =>
      memory.failed(data.sessionID, turns.get(data.sessionID), textOf(data.error)),
    "session.deleted": (data) => memory.ended(data.sessionID),
  };
  // Other projects of the same OpenCode share the stream: only sessions that asked here are ours.
  (async () => {
    for await (const event of ctx.event.subscribe({ signal: stopping.signal })) {
      const isOurs = event.type === "session.created" || turns.has(event.data?.sessionID);
      if (isOurs) await handlers[event.type]?.(event.data);
    }
  })().catch(() => {});
  return () => stopping.abort();
}

async function server({ directory }) {
  const memory = sessions(directory ?? process.cwd());
  const turns = new Map();
  const spoken = new Map();
  const handlers = {
    "session.created": ({ info }) => info && memory.begins(info.id, info.parentID),
    "message.updated": ({ info }) =>
      info?.role === "assistant" && spoken.set(info.id, info.sessionID),
    "message.part.updated": ({ part }) =>
      part?.type === "text" && spoken.has(part.messageID) && memory.says(part.sessionID, part.text),
    "session.idle": ({ sessionID }) => memory.turnEnded(sessionID, turns.get(sessionID)),
    "session.error": ({ sessionID, error }) =>
      sessionID && memory.failed(sessionID, turns.get(sessionID), textOf(error)),
    "session.deleted": ({ info }) => info && memory.ended(info.id),
  };
  return {
    event: async ({ event }) => {
      await handlers[event.type]?.(event.properties ?? {});
    },
    "chat.message": async (input, output) => {
      const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic);
      turns.set(input.sessionID, output.message.id);
      const text = typed.map((part) => part.text).join("\n");
      await memory.prompt(input.sessionID, output.message.id, text);
    },
    "tool.execute.after": async (input, output) => {
      const { sessionID, callID, tool, args } = input;
      await memory.tool(sessionID, { call_id: callID, tool, input: args, output: output.output });
    },
    "experimental.chat.system.transform": async (input, output) => {
      const text = memory.context(input.sessionID);
      if (text) output.system.push(text);
    },
  };
}

export default { id: "recollect", setup, server };

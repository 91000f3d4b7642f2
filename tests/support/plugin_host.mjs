// Hosts the memory plugin as OpenClaw does, for tests: reads one JSON object a line, answers one.
//   {"plugin": path, "config": {…}}                      registers it, answers what it registered
//   {"hook": name, "event": {…}, "context": {…}}         answers what the handler returns
//   {"tool": name, "context": {…}, "given": {…}}         answers what the tool returns
//   {"prompt": {"availableTools": […], "citationsMode"}} answers the lines of the system prompt
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const hooks = new Map();
let factory, names, capability;
const logged = [];
const logger = { warn: (text) => logged.push(text), info: (text) => logged.push(text) };

async function answer(asked) {
  if (asked.plugin) {
    const { default: plugin } = await import(pathToFileURL(asked.plugin).href);
    plugin.register({
      pluginConfig: asked.config,
      logger,
      registerMemoryCapability: (given) => (capability = given),
      registerTool: (make, options) => ([factory, names] = [make, options.names]),
      on: (name, handler, options) => hooks.set(name, { handler, options }),
    });
    return { id: plugin.id, tools: names, hooks: [...hooks.keys()] };
  }
  if (asked.hook) {
    const registered = hooks.get(asked.hook);
    return { returned: (await registered.handler(asked.event, asked.context)) ?? null, logged };
  }
  if (asked.prompt) {
    const availableTools = new Set(asked.prompt.availableTools);
    return { lines: capability.promptBuilder({ ...asked.prompt, availableTools }) };
  }
  const tools = factory(asked.context) ?? [];
  const tool = tools.find((each) => each.name === asked.tool);
  return tool ? { returned: await tool.execute("call-1", asked.given) } : { returned: null };
}

for await (const line of createInterface({ input: process.stdin })) {
  let told;
  try {
    told = await answer(JSON.parse(line));
  } catch (error) {
    told = { failed: String(error) };
  }
  process.stdout.write(`${JSON.stringify(told)}\n`);
}

// The one place that knows where Preact, htm and signals are.
import { h, render } from "./vendor/preact.js";
import htm from "./vendor/htm.js";

export { render };
export { useEffect, useErrorBoundary, useLayoutEffect } from "./vendor/hooks.js";
export { useMemo, useRef, useState } from "./vendor/hooks.js";
export { effect, signal } from "./vendor/signals.js";
export const html = htm.bind(h);

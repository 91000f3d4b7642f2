// Markdown as nodes: blocks with their lines. Markup in it is text, and only http(s) is a link.
import { html } from "../lib.js";
import { Prose, clean } from "./text.js";

const DEEPEST = 8;
const MOST_INLINE = 8_000; // what is longer is shown as plain text, step by step
const MOST_ROWS = 500;
const MOST_COLUMNS = 40;
// Each is read in one pass: no two parts of a pattern take the same characters.
const FENCE = /^ {0,3}(?:(`{3,})[^`]*$|(~{3,}))/;
const HEADING = /^ {0,3}(#{1,6})\s(.*)$/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])( |$)/;
const DELIMITERS = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/;
const SPANS = [
  /\\(?<plain>[!-/:-@[-`{-~])/,
  /(?<ticks>`{1,2})(?<code>[^`\n]{1,2000})\k<ticks>/,
  /!?\[(?<label>[^\][\n]{0,500})\]\((?<to>https?:\/\/[^\s()<>]{1,2000})\)/,
  /<?(?<url>https?:\/\/[^\s<>"'`()[\]]{1,2000})>?/,
  /(?<strongs>\*\*|(?<!\w)__)(?=\S)(?<strong>[^\n]{1,1000}?)\k<strongs>/,
  /(?<ems>\*|(?<!\w)_)(?=[^\s*_])(?<em>[^*_\n]{1,500})\k<ems>(?!\w)/,
  /~~(?<gone>[^~\n]{1,500})~~/,
];
const INLINE = new RegExp(SPANS.map(({ source }) => source).join("|"), "gi");

/** Return the blocks of a text: [{kind, from, to, …}], with the first and last line of each. */
export function blocksOf(text) {
  const spaced = (tabs) => "    ".repeat(tabs.length);
  return parse(text.replace(/^\t+/gm, spaced).split("\n"), 1, 0);
}

/** One block, and what is in it: <${Block} block=${block} />. */
export const Block = ({ block }) => BLOCKS[block.kind](block);

function parse(lines, first, depth) {
  const blocks = [];
  for (let at = 0; at < lines.length;) {
    const { end, ...block } = lines[at].trim() ? blockAt(lines, at, first, depth) : { end: at + 1 };
    if (block.kind) blocks.push({ ...block, from: first + at, to: first + end - 1 });
    at = end;
  }
  return blocks;
}

function blockAt(lines, at, first, depth) {
  const line = lines[at];
  // What is in a block is read when that is shown.
  const inner = (inside) => () => parse(inside, first + at, depth + 1);
  const [, ticks, waves] = line.match(FENCE) ?? [];
  if (ticks ?? waves) return codeAt(lines, at, ticks ?? waves);
  const [, level, title] = line.match(HEADING) ?? [];
  if (level) return { kind: "heading", level: level.length, text: title.trim(), end: at + 1 };
  if (RULE.test(line)) return { kind: "rule", end: at + 1 };
  if (depth < DEEPEST && QUOTE.test(line)) {
    const end = endOf(lines, at, (each) => QUOTE.test(lines[each]));
    return { kind: "quote", blocks: inner(lines.slice(at, end).map(unquoted)), end };
  }
  if (depth < DEEPEST && ITEM.test(line)) return itemAt(lines, at, inner);
  if (line.includes("|") && DELIMITERS.test((lines[at + 1] ?? "").trim())) {
    const end = endOf(lines, at, (each) => lines[each].includes("|"));
    return { kind: "table", rows: lines.slice(at, end), end };
  }
  const end = endOf(lines, at + 1, (each) => lines[each].trim() && !begins(lines[each]));
  return { kind: "paragraph", text: lines.slice(at, end).join("\n"), end };
}

const unquoted = (line) => line.replace(QUOTE, "");
const begins = (line) => [FENCE, HEADING, RULE, QUOTE, ITEM].some((kind) => kind.test(line));
const indentOf = (line) => line.search(/\S/);

function endOf(lines, at, isIn) {
  while (at < lines.length && isIn(at)) at++;
  return at;
}

function codeAt(lines, at, mark) {
  const isEnd = (line) => line.trim().startsWith(mark) && !line.trim().replaceAll(mark[0], "");
  const end = endOf(lines, at + 1, (each) => !isEnd(lines[each]));
  const text = lines.slice(at + 1, end).join("\n");
  return { kind: "code", text, end: Math.min(lines.length, end + 1) };
}

/** Return an item of a list: each is a block of its own, so that each has its lines. */
function itemAt(lines, at, inner) {
  const [head, before, mark] = lines[at].match(ITEM);
  const least = before.length + 2;
  const end = endOf(lines, at + 1, (each) => {
    if (!lines[each].trim()) return indentOf(lines[each + 1] ?? "") >= least;
    const isLazy = lines[each - 1].trim() && !begins(lines[each]);
    return isLazy || indentOf(lines[each]) >= least;
  });
  const inset = (line) => line.slice(Math.min(head.length, Math.max(0, indentOf(line))));
  const [first, ...rest] = lines.slice(at, end);
  const text = first.slice(head.length);
  const [check] = text.match(/^\[[ xX]\] /) ?? [];
  const blocks = inner([check ? text.slice(check.length) : text, ...rest.map(inset)]);
  return { kind: "item", number: parseInt(mark, 10), check, blocks, end };
}

function rowOf(row, Tag) {
  const cells = row
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .slice(0, MOST_COLUMNS);
  const texts = cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
  return html`<tr>
    ${texts.map((text) => html`<${Tag} dir="auto">${inline(text)}<//>`)}
  </tr>`;
}

/** Return a text with its spans; `depth` ends what lies in itself, as a link in a link. */
function inline(text, depth = 0) {
  if (text.length > MOST_INLINE) return html`<${Prose} text=${text} most=${MOST_INLINE} />`;
  if (depth > DEEPEST) return clean(text);
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    parts.push(clean(text.slice(at, match.index)), span(match.groups, depth + 1));
    at = match.index + match[0].length;
  }
  return [...parts, clean(text.slice(at))];
}

function span({ plain, code, to, label, url, strong, em, gone }, depth) {
  if (plain) return plain;
  if (code) return html`<code>${clean(code)}</code>`;
  if (url) return html`<${Away} to=${url}>${clean(url)}<//>`;
  if (to) return html`<${Away} to=${to}>${clean(label || to)}<//>`;
  if (strong) return html`<strong>${inline(strong, depth)}</strong>`;
  if (em) return html`<em>${inline(em, depth)}</em>`;
  return html`<s>${inline(gone, depth)}</s>`;
}

/** A link that leaves the viewer; it is followed by a click alone. */
const Away = ({ to, children }) =>
  html`<a href=${to} title=${clean(to)} target="_blank" rel="noopener noreferrer">${children}</a>`;

const inside = (blocks) =>
  blocks().map((each) => html`<${Block} key=${each.from} block=${each} />`);

const BLOCKS = {
  // Under the name of the file, which is a heading of the second level.
  heading: ({ level, text }) => {
    const Tag = `h${Math.min(6, level + 2)}`;
    return html`<${Tag} class="md-heading md-${level}" dir="auto">${inline(text)}<//>`;
  },
  rule: () => html`<hr />`,
  paragraph: ({ text }) => html`<div class="md-text" dir="auto">${inline(text)}</div>`,
  code: ({ text }) =>
    html`<div class="md-code sunk"><${Prose} text=${text} most=${MOST_INLINE} mono /></div>`,
  quote: ({ blocks }) => html`<blockquote dir="auto">${inside(blocks)}</blockquote>`,
  item: ({ number, check, blocks }) => {
    const Tag = Number.isNaN(number) ? "ul" : "ol";
    return html`<${Tag} start=${number || null} class=${check ? "md-checks" : ""} dir="auto">
      <li>
        ${check && html`<span class="md-check">${/x/i.test(check) ? "☑" : "☐"}</span>`}
        ${inside(blocks)}
      </li>
    <//>`;
  },
  table: ({ rows: [head, , ...rows] }) =>
    html`<div class="md-table" role="region" aria-label="Table" tabindex="0">
      <table>
        <thead>
          ${rowOf(head, "th")}
        </thead>
        <tbody>
          ${rows.slice(0, MOST_ROWS).map((row) => rowOf(row, "td"))}
        </tbody>
      </table>
      ${rows.length > MOST_ROWS && html`<p class="soft">Further rows are in the source.</p>`}
    </div>`,
};

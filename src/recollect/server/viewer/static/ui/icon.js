// Icons: lines in a square of 20, in the colour of the text beside them.
import { html } from "../lib.js";

const PATHS = {
  live: "M2 10h3.5l2.5-6 4 12 2.5-6H18",
  search: "M9 15a6 6 0 1 0 0-12 6 6 0 0 0 0 12zm4.4-1.6L18 18",
  sessions: "M5 3v14M5 11c6 0 10-1 10-6M15 3v2",
  context: "M10 3 2.5 7 10 11l7.5-4zM2.5 10.5 10 14.5l7.5-4M2.5 14 10 18l7.5-4",
  knowledge:
    "M7.5 15h5M8 18h4M10 2a5.5 5.5 0 0 0-3 10c.4.3.5.8.5 3h5c0-2.2.1-2.7.5-3a5.5 5.5 0 0 0-3-10z",
  files: "M5 2h7l4 4v12H5zM12 2v4h4M8 11h5M8 14h5",
  health: "M10 17S3 13 3 7.8A3.7 3.7 0 0 1 10 6a3.7 3.7 0 0 1 7 1.8C17 13 10 17 10 17z",
  erase: "M8 17 3 12l8-9 6 6-7 8H8zM7 7.5l6 6M8 17h9",
  settings: "M3 6h7m4 0h3M3 14h3m4 0h7M12 4v4M8 12v4",
  message: "M3 4h14v10H9l-4 3v-3H3z",
  observation:
    "M2 10s3-5.5 8-5.5S18 10 18 10s-3 5.5-8 5.5S2 10 2 10zm8 2.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4z",
  fact: "M4 10.5 8 14.5 16 5.5",
  event: "M10 6.5v4l2.5 1.5M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15z",
  episode: "M4 3h11v14H4zM4 7h11M8 3v4",
  pin: "M7 3h6l-1 6 3 3H5l3-3zM10 12v5",
  pause: "M7 4v12M13 4v12",
  play: "M6 4l10 6-10 6z",
  theme: "M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14",
  close: "M5 5l10 10M15 5 5 15",
  down: "M5 8l5 5 5-5",
  filter: "M3 5h14M6 10h8M8.5 15h3",
  copy: "M7 7V3h10v10h-4M3 7h10v10H3z",
  right: "M8 5l5 5-5 5",
  fork: "M5 3v14M5 12c6 0 9-1 9-6M11.5 7.5 14 5l2.5 2.5",
  link: "M8.5 11.5l3-3M7 9 5 11a2.8 2.8 0 0 0 4 4l2-2M9 7l2-2a2.8 2.8 0 0 1 4 4l-2 2",
  export: "M10 3v9M6.5 8.5 10 12l3.5-3.5M4 16h12",
  tool: "M12.5 3a4 4 0 0 0-3.8 5.3L3 14l3 3 5.7-5.7A4 4 0 0 0 17 7.5l-2.5 1.2-1.9-1.9L13.7 4z",
  compaction: "M4 3h12M4 17h12M10 4.5v4M8 7l2 2 2-2M10 15.5v-4M8 13l2-2 2 2",
  checkpoint: "M5 17V3M5 4h10l-2 3 2 3H5",
  rewind: "M4 10a6 6 0 1 0 2-4.5L4 7M4 3v4h4",
  never: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM5 5l10 10",
};

/** <${Icon} name="search" />; it has no name of its own for a screen reader. */
export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
    <path d=${PATHS[name]} />
  </svg>`;
}

/** <${IconButton} icon="close" label="Close" title="Close: Esc" act=${fn} />; `children` instead */
export const IconButton = ({ icon, label, title = label, act, children }) =>
  html`<button type="button" class="icon-button" aria-label=${label} title=${title} onClick=${act}>
    ${children ?? html`<${Icon} name=${icon} />`}
  </button>`;

// What views are made of, by one name; ui/lines.js and ui/markdown.js come with who needs them.
export * from "./ui/answer.js";
export * from "./ui/both.js";
export * from "./ui/dialog.js";
export * from "./ui/form.js";
export * from "./ui/icon.js";
export * from "./ui/keys.js";
export * from "./ui/list.js";
export * from "./ui/page.js";
export * from "./ui/parts.js";
export * from "./ui/projects.js";
export * from "./ui/record.js";
export * from "./ui/session-title.js";
export * from "./ui/text.js";
export * from "./ui/time.js";
export * from "./ui/toast.js";

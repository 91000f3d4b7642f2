// The projects that one can choose from.
import { get } from "../api.js";
import { useEffect, useState } from "../lib.js";

/** Return the projects as `/api/projects` has them; none for a token that may not list them. */
export function useProjects() {
  const [projects, setProjects] = useState([]);
  useEffect(() => {
    get("/api/projects").then(
      (answer) => setProjects(answer.projects),
      () => {},
    );
  }, []);
  return projects;
}

/** Return {names, own, scope, isKnown} of a name: its project, and what a request takes for it. */
export function useProject(name) {
  const projects = useProjects();
  const own = projects.find((each) => each.name === name);
  const isKnown = !name || projects.length > 0;
  const names = projects.map((each) => each.name);
  return { names, own, scope: own ? (own.root ?? own.id) : name, isKnown };
}

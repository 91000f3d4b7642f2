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

/** Which program serves: torchlint of the user's environment. This module knows nothing of the editor. */

import { existsSync } from "node:fs";
import { join } from "node:path";

export interface Wishes {
  /** The settings `torchlint.path` and `torchlint.interpreter`, empty where they are not set. */
  path: string;
  interpreter: string;
  /** The interpreter that the Python extension has selected, empty without one. */
  selected: string;
  folders: readonly string[];
}

export interface Program {
  command: string;
  args: string[];
  /** Why this one, for the output. */
  reason: string;
}

// Not `-m torchlint`: that would import a `torchlint` of the folder that is linted.
const ENTRY = "import sys; sys.path[:] = filter(None, sys.path); from torchlint.cli import main; main()";

/** Return the program to start, from the plainest wish to the best guess. */
export function program(wishes: Wishes, exists: (file: string) => boolean = existsSync): Program {
  if (wishes.path) {
    return { command: wishes.path, args: ["server"], reason: "the setting torchlint.path" };
  }
  if (wishes.interpreter) {
    return ofInterpreter(wishes.interpreter, "the setting torchlint.interpreter");
  }
  if (wishes.selected) {
    return ofInterpreter(wishes.selected, "the interpreter that the Python extension has selected");
  }
  const own = wishes.folders.flatMap(environments).find(exists);
  if (own !== undefined) {
    return ofInterpreter(own, "the environment of the workspace");
  }
  return { command: "torchlint", args: ["server"], reason: "the command on PATH" };
}

function ofInterpreter(interpreter: string, reason: string): Program {
  return { command: interpreter, args: ["-c", ENTRY, "server"], reason };
}

function environments(folder: string): string[] {
  return [".venv", "venv"].flatMap((name) => [
    join(folder, name, "bin", "python"),
    join(folder, name, "Scripts", "python.exe"),
  ]);
}

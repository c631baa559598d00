/** Which program serves. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { program, Wishes } from "../src/server";

const NONE: Wishes = { path: "", interpreter: "", selected: "", folders: [] };
const OWN = join("/project", ".venv", "bin", "python");

test("a command of the user's is run as it is", () => {
  const found = program({ ...NONE, path: "/opt/torchlint", interpreter: "/usr/bin/python3", selected: "/conda/python" });

  assert.deepEqual([found.command, found.args], ["/opt/torchlint", ["server"]]);
});

test("an interpreter of the user's comes before the selected one, and that before the workspace's", () => {
  const wishes = { ...NONE, interpreter: "/usr/bin/python3", selected: "/conda/python", folders: ["/project"] };
  const all = () => true;

  assert.equal(program(wishes, all).command, "/usr/bin/python3");
  assert.equal(program({ ...wishes, interpreter: "" }, all).command, "/conda/python");
  assert.equal(program({ ...wishes, interpreter: "", selected: "" }, all).command, OWN);
});

test("an interpreter does not import what is in the folder that is linted", () => {
  const [option, code, word] = program({ ...NONE, interpreter: "/usr/bin/python3" }).args;

  assert.deepEqual([option, word], ["-c", "server"]);
  assert.match(code, /sys\.path\[:\] = filter\(None, sys\.path\).*from torchlint/);
});

test("an environment of any folder is found, and nothing of one that is not there", () => {
  const second = join("/second", "venv", "Scripts", "python.exe");
  const folders = ["/project", "/second"];

  assert.equal(program({ ...NONE, folders }, (file) => file === second).command, second);
  assert.deepEqual(program({ ...NONE, folders }, () => false).command, "torchlint");
});

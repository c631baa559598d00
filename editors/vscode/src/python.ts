/** The interpreter that the Python extension has selected, by its public API. */

import * as vscode from "vscode";

interface Environments {
  getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
  resolveEnvironment(path: { path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
  onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
}

const EXTENSION = "ms-python.python";

async function environments(): Promise<Environments | undefined> {
  const extension = vscode.extensions.getExtension<{ environments?: Environments }>(EXTENSION);
  return (await extension?.activate())?.environments;
}

/** Return the path of the selected interpreter; empty without the Python extension, or without a selection. */
export async function selectedInterpreter(folder: vscode.Uri | undefined): Promise<string> {
  const found = await environments();
  const environment = await found?.resolveEnvironment(found.getActiveEnvironmentPath(folder));
  return environment?.executable.uri?.fsPath ?? "";
}

/** Call back when another interpreter is selected. */
export async function onSelection(callback: () => void): Promise<vscode.Disposable | undefined> {
  return (await environments())?.onDidChangeActiveEnvironmentPath(callback);
}

/** torchlint in VS Code: starts the server of the user's environment, and starts it again when that changes. */

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  LanguageClientOptions,
  RevealOutputChannelOn,
  ServerOptions,
} from "vscode-languageclient/node";

import { onSelection, selectedInterpreter } from "./python";
import { Program, program } from "./server";

const NAME = "torchlint";
const INSTALL = 'pip install "torchlint[lsp]"';

let client: LanguageClient | undefined;
let output: vscode.LogOutputChannel;
// One start after the other, however fast the settings change.
let turn: Promise<void> = Promise.resolve();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  output = vscode.window.createOutputChannel(NAME, { log: true });
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("torchlint.restart", restart),
    vscode.commands.registerCommand("torchlint.showOutput", () => output.show()),
    vscode.commands.registerCommand("torchlint.fixFile", fixFile),
    vscode.commands.registerCommand("torchlint.showDebugInformation", showDebugInformation),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (["enable", "path", "interpreter"].some((key) => change.affectsConfiguration(`${NAME}.${key}`))) {
        void restart();
      }
    }),
  );
  const selection = await onSelection(() => void restart());
  if (selection !== undefined) {
    context.subscriptions.push(selection);
  }
  await restart();
}

export function deactivate(): Promise<void> {
  return (turn = turn.then(stop));
}

function restart(): Promise<void> {
  return (turn = turn.then(stop).then(start));
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  try {
    await running?.dispose();
  } catch (error) {
    output.warn(`The server did not stop in time: ${String(error)}`);
  }
}

async function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration(NAME);
  if (!settings.get<boolean>("enable", true)) {
    output.info("Not started: torchlint.enable is off.");
    return;
  }
  const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file");
  const found = program({
    path: settings.get("path", ""),
    interpreter: settings.get("interpreter", ""),
    selected: await selectedInterpreter(folders[0]?.uri),
    folders: folders.map((folder) => folder.uri.fsPath),
  });
  output.info(`Starting ${found.command}: ${found.reason}.`);
  client = new LanguageClient(NAME, NAME, serverOptions(found, folders[0]?.uri.fsPath), clientOptions());
  try {
    await client.start();
    output.info(`Started ${client.initializeResult?.serverInfo?.name} ${client.initializeResult?.serverInfo?.version}.`);
  } catch (error) {
    client = undefined;
    output.error(String(error));
    void tellOfFailure(found);
  }
}

function serverOptions(found: Program, cwd: string | undefined): ServerOptions {
  return { command: found.command, args: found.args, options: { cwd } };
}

function clientOptions(): LanguageClientOptions {
  return {
    documentSelector: [
      { scheme: "file", language: "python" },
      { scheme: "vscode-notebook-cell", language: "python" },
    ],
    outputChannel: output,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        void tellOfEnd();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
  };
}

async function tellOfFailure(found: Program): Promise<void> {
  const choice = await vscode.window.showErrorMessage(
    `torchlint did not start with ${found.command}. Is it installed there? ${INSTALL}`,
    "Copy Command",
    "Show Output",
    "Open Settings",
  );
  switch (choice) {
    case "Copy Command":
      await vscode.env.clipboard.writeText(found.command === NAME ? INSTALL : `"${found.command}" -m ${INSTALL}`);
      break;
    case "Show Output":
      output.show();
      break;
    case "Open Settings":
      await vscode.commands.executeCommand("workbench.action.openSettings", NAME);
      break;
  }
}

async function tellOfEnd(): Promise<void> {
  // While it starts, its failure is told; when it is stopped, it is not a surprise.
  if (client === undefined || !client.isRunning()) {
    return;
  }
  const choice = await vscode.window.showErrorMessage("The torchlint server has stopped.", "Restart", "Show Output");
  if (choice === "Restart") {
    await restart();
  } else if (choice === "Show Output") {
    output.show();
  }
}

async function fixFile(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document !== undefined) {
    await ask("torchlint.applyAutofix", [document.uri.toString()]);
  }
}

async function showDebugInformation(): Promise<void> {
  if (client !== undefined) {
    await ask("torchlint.printDebugInformation", []);
  }
  output.show();
}

async function ask(command: string, words: unknown[]): Promise<void> {
  if (client === undefined) {
    void vscode.window.showWarningMessage("The torchlint server is not running.");
    return;
  }
  await client.sendRequest(ExecuteCommandRequest.type, { command, arguments: words });
}

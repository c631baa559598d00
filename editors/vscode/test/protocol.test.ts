/** The program that the extension starts serves what the extension counts on, spoken to in its protocol. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import {
  CodeAction,
  CodeActionRequest,
  createProtocolConnection,
  ExitNotification,
  ExecuteCommandRequest,
  ApplyWorkspaceEditRequest,
  DidOpenTextDocumentNotification,
  InitializedNotification,
  InitializeRequest,
  InitializeResult,
  ProtocolConnection,
  PublishDiagnosticsNotification,
  PublishDiagnosticsParams,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  WorkspaceEdit,
} from "vscode-languageserver-protocol/node";

import manifest from "../package.json";
import { program } from "../src/server";

const TEXT = `import torch

model = torch.nn.Linear(2, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
total = 0
for x in torch.ones(3, 2).cuda():
    loss = model(x).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss
`;

interface Session {
  connection: ProtocolConnection;
  started: InitializeResult;
  folder: string;
  edits: WorkspaceEdit[];
}

async function serving(body: (session: Session) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "torchlint-"));
  // What is in the folder that is linted must not be what is run.
  writeFileSync(join(folder, "torchlint.py"), "raise SystemExit('the wrong one')\n");
  const found = program({ path: "", interpreter: process.env.TORCHLINT_PYTHON ?? "python3", selected: "", folders: [] });
  const server = spawn(found.command, found.args, { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  const connection = createProtocolConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  const edits: WorkspaceEdit[] = [];
  try {
    connection.onRequest(ApplyWorkspaceEditRequest.type, (asked) => {
      edits.push(asked.edit);
      return { applied: true };
    });
    connection.listen();
    const started = await connection.sendRequest(InitializeRequest.type, {
      processId: process.pid,
      rootUri: pathToFileURL(folder).toString(),
      capabilities: {
        textDocument: { publishDiagnostics: { relatedInformation: true, codeDescriptionSupport: true } },
        workspace: { applyEdit: true },
      },
    });
    await connection.sendNotification(InitializedNotification.type, {});
    await body({ connection, started, folder, edits });
    await connection.sendRequest(ShutdownRequest.type);
    await connection.sendNotification(ExitNotification.type);
  } finally {
    connection.dispose();
    server.kill();
    rmSync(folder, { recursive: true });
  }
}

function opened(session: Session, name: string): Promise<PublishDiagnosticsParams> {
  const uri = pathToFileURL(join(session.folder, name)).toString();
  const told = new Promise<PublishDiagnosticsParams>((resolve) => {
    session.connection.onNotification(PublishDiagnosticsNotification.type, (found) => {
      if (found.uri === uri) {
        resolve(found);
      }
    });
  });
  const textDocument = { uri, languageId: "python", version: 1, text: TEXT };
  void session.connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
  return told;
}

test("findings have their rules with links, their traces, and actions that fix them", () =>
  serving(async (session) => {
    const { uri, diagnostics } = await opened(session, "train.py");
    const kept = diagnostics.find((one) => one.code === "kept-graph");
    assert.ok(kept);

    const actions = (await session.connection.sendRequest(CodeActionRequest.type, {
      textDocument: { uri },
      range: kept.range,
      context: { diagnostics: [kept] },
    })) as CodeAction[];

    assert.equal(session.started.serverInfo?.name, "torchlint");
    assert.match(kept.codeDescription?.href ?? "", /kept_graph\.py$/);
    assert.ok(kept.relatedInformation?.length);
    const kinds = actions.map((action) => action.kind);
    assert.ok(kinds.includes("quickfix") && kinds.includes("source.fixAll.torchlint"), String(kinds));
  }));

test("the commands of the menu are commands of the server", () =>
  serving(async (session) => {
    const { uri } = await opened(session, "train.py");
    const known = session.started.capabilities.executeCommandProvider?.commands ?? [];
    assert.ok(known.includes("torchlint.applyAutofix") && known.includes("torchlint.printDebugInformation"));
    // The client registers the server's commands by itself: one of the same name would not start.
    assert.ok(!manifest.contributes.commands.some(({ command }) => known.includes(command)));

    await session.connection.sendRequest(ExecuteCommandRequest.type, {
      command: "torchlint.applyAutofix",
      arguments: [uri],
    });

    const [edit] = session.edits;
    const texts = Object.values(edit.changes ?? {}).flatMap((edits) => edits.map((one) => one.newText));
    assert.deepEqual(texts, ["    total += loss.detach()\n"]);
  }));

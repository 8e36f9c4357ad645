// Runs MCP servers of a test: scripted ones over stdio, with the real processes and files.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import type {
  HostUi,
  McpContext,
  McpServerDefinition,
  McpServers,
  Ports,
  Tool,
  UiDisplay,
  UiQuestion,
} from '../../src/contracts/index.ts';
import { createMcpServers } from '../../src/mcp/index.ts';
import type { UiAnswer } from '../../src/protocol/index.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

export const ports = createSystemPorts();
afterAll(() => ports.close());

const SCRIPT = join(import.meta.dirname, 'scripted-server.mjs');

/** What a scripted server lists and how it misbehaves: see scripted-server.mjs. */
export type Script = Readonly<Record<string, unknown>>;

export function defineScripted(
  name: string,
  script: Script = {},
  server: { env?: Record<string, string>; cwd?: string } = {},
): McpServerDefinition {
  const json = JSON.stringify(script);
  const args = [SCRIPT, json.length > 50_000 ? writeScript(json) : json];
  return { name, source: 'test', server: { type: 'stdio', command: process.execPath, args, env: {}, ...server } };
}

/** The system limits the length of arguments. */
function writeScript(json: string): string {
  const path = join(createTemporaryDirectory(), 'script.json');
  writeFileSync(path, json);
  return path;
}

export function defineTool(name: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { name, description: `The tool ${name}`, inputSchema: { type: 'object' }, ...fields };
}

export interface McpFixture {
  readonly servers: McpServers;
  readonly notices: string[];
  readonly logs: { event: string; facts?: Record<string, unknown> | undefined }[];
  readonly cwd: string;
  /** By the name that the server gave it. */
  tool(name: string): Tool;
}

export interface FixtureOptions extends Partial<Omit<McpContext, 'ports'>> {
  readonly ports?: Partial<Ports>;
}

export function createMcpFixture(
  definitions: readonly McpServerDefinition[],
  options: FixtureOptions = {},
): McpFixture {
  const notices: string[] = [];
  const logs: McpFixture['logs'] = [];
  const cwd = createTemporaryDirectory();
  const servers = createMcpServers(definitions, {
    cwd,
    version: '1.2.3',
    startupTimeoutMs: 20_000,
    host: () => undefined,
    notify: ({ message }) => void notices.push(message),
    ...options,
    ports: { ...ports, log: (event, facts) => void logs.push({ event, facts }), ...options.ports },
  });
  onTestFinished(() => servers.close());
  const tool = (name: string) => {
    const found = servers.tools.find((candidate) => candidate.name.endsWith(`__${name}`));
    if (!found) throw new Error(`No tool ${name}: ${JSON.stringify(servers.getStatus())} ${notices.join()}`);
    return found;
  };
  return { servers, notices, logs, cwd, tool };
}

/** A host that gives these answers in order. After the last one it dismisses all dialogs. */
export function createScriptedHost(answers: readonly (UiAnswer | undefined)[]) {
  const questions: UiQuestion[] = [];
  const displays: UiDisplay[] = [];
  const host: HostUi = {
    async ask(question) {
      questions.push(question);
      return answers[questions.length - 1];
    },
    show: (display) => void displays.push(display),
    closed: new Promise(() => {}),
  };
  return { host, questions, displays };
}

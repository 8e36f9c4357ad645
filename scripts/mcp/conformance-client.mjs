// The client that the conformance runner starts for each scenario: connects to the server of the scenario, signs in where that is required,
// and calls every tool. It is bundled from src/mcp and the parts of the app that sessions use. The last argument is the URL of the server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMcpCredentials } from '../../src/app/mcp/credentials.ts';
import { openCallbackServer } from '../../src/app/system-ports/callback-server.ts';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { createMcpServers } from '../../src/mcp/index.ts';
import { signInToServer } from '../../src/mcp/oauth/sign-in.ts';

const MAX_SIGN_INS = 3;
/** The scenario serves no document at this address; a client only has to use it as its id. */
const METADATA_DOCUMENT = 'https://conformance-test.local/client-metadata.json';

const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const clientId = context.client_id ?? (scenario === 'auth/basic-cimd' ? METADATA_DOCUMENT : undefined);
const oauth = clientId === undefined ? undefined : { clientId };
const definition = { name: 'conformance', source: 'mcp.json', server: { type: 'http', url, headers: {}, oauth } };

const agentDirectory = mkdtempSync(join(tmpdir(), 'parley-conformance-'));
const ports = createSystemPorts({ agentDirectory });
const credentials = createMcpCredentials({ ports, agentDirectory, redact: ports.redact });
let signIns = 0;

async function signIn() {
  signIns += 1;
  if (signIns > MAX_SIGN_INS) throw new Error('The server requires too many sign-ins.');
  await signInToServer(definition, {
    ...ports,
    credentials,
    openCallbackServer,
    hasBrowser: true,
    port: 0,
    clientSecret: context.client_secret,
    // The browser: the authorization servers of the scenarios approve without a question.
    showUrl: (address) => void fetch(address).catch(() => {}),
  });
}

/** The answer of a user who accepts every form with its defaults. */
async function answer(question) {
  if (question.method === 'confirm') return { confirmed: true };
  return { value: question.options?.[0] ?? '' };
}

async function connect() {
  const servers = createMcpServers([definition], {
    ports,
    credentials,
    cwd: agentDirectory,
    version: '1.0.0',
    startupTimeoutMs: 20_000,
    host: () => ({ ask: answer, show: () => {}, closed: new Promise(() => {}) }),
    notify: ({ message }) => console.error(message),
    sample: async () => ({ text: 'A short answer', model: 'offline', stopReason: 'endTurn' }),
  });
  await servers.connect();
  const [status] = servers.getStatus();
  if (status.state === 'connected') return servers;
  await servers.close();
  if (status.state !== 'sign_in_required') throw new Error(status.problem);
  await signIn();
  return connect();
}

/** The arguments of each call: those that the scenario names, or values of the types in the schema. */
function listArguments(tool, tools) {
  const isTool = ({ name }, other) => name === `mcp__conformance__${other}`;
  if (context.toolCalls)
    return context.toolCalls.filter((call) => isTool(tool, call.name)).map((call) => call.arguments);
  if (isTool(tool, 'json_schema_echo')) {
    return [{ schema: tools.find((other) => isTool(other, 'json_schema_2020_12_tool')).jsonSchema }];
  }
  return [createArguments(tool.jsonSchema)];
}

function createArguments(schema) {
  const numbers = [5, 3];
  const entries = Object.entries(schema?.properties ?? {}).map(([name, property]) => [
    name,
    property.default ?? property.const ?? property.enum?.[0] ?? createValue(property.type, numbers),
  ]);
  return Object.fromEntries(entries);
}

function createValue(type, numbers) {
  switch (Array.isArray(type) ? type[0] : type) {
    case 'number':
    case 'integer':
      return numbers.shift() ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return 'text';
  }
}

async function callTool(tool, args) {
  const toolContext = {
    toolCallId: '1',
    cwd: agentDirectory,
    signal: new AbortController().signal,
    ports,
    artifacts: {
      reserve: async (name) => ({ id: '1', path: join(agentDirectory, name) }),
      find: async () => undefined,
    },
    options: {},
    update: () => {},
  };
  const call = () => tool.run(args, toolContext);
  try {
    return await call();
  } catch (thrown) {
    if (thrown.code !== 'no_credentials') throw thrown;
    await signIn();
    return callTool(tool, args);
  }
}

try {
  const servers = await connect();
  for (const tool of servers.tools) {
    for (const args of listArguments(tool, servers.tools)) {
      await callTool(tool, args).catch((thrown) => console.error(`${tool.name}: ${thrown.message}`));
    }
  }
  await servers.close();
} catch (thrown) {
  console.error(`Error: ${thrown.message}`);
  process.exitCode = 1;
} finally {
  await ports.close();
  rmSync(agentDirectory, { recursive: true, force: true });
}

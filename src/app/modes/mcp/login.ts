// `parley mcp login`: signs in to an MCP server over HTTP, in the browser or with a device code.
import { parseArgs } from 'node:util';
import { Fault } from '../../../base/index.ts';
import type { McpServerDefinition } from '../../../contracts/index.ts';
import { type HttpServerDefinition, type SignInContext, signInToServer } from '../../../mcp/oauth/sign-in.ts';
import { createMcpCredentials } from '../../mcp/credentials.ts';
import { openCallbackServer } from '../../system-ports/callback-server.ts';
import { openTerminalPrompt } from '../choose-session.ts';
import { parseWithHelp } from '../parse-with-help.ts';
import { readSecret } from '../read-secret.ts';
import { formatMcpHelp } from './help.ts';
import { createMcpSetup, findServer, readConfiguredServers } from './setup.ts';

const OPTIONS = {
  device: { type: 'boolean' },
  browser: { type: 'boolean' },
  port: { type: 'string' },
  'client-secret': { type: 'boolean' },
} as const;

/** Returns the text to print. */
export async function runMcpLogin(argv: readonly string[], warn: (line: string) => void): Promise<string> {
  const { values, positionals } = parseWithHelp(formatMcpHelp(), () =>
    parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true }),
  );
  const [name, ...extra] = positionals;
  if (name === undefined || extra.length > 0)
    throw new Fault('config', `parley mcp login needs one NAME\n\n${formatMcpHelp()}`);
  if (values.device && values.browser) throw new Fault('config', 'Use only one of --device and --browser.');
  const port = parsePort(values.port);
  const setup = await createMcpSetup();
  const { ports, agentDirectory } = setup;
  try {
    const definition = checkDefinition(findServer(setup, await readConfiguredServers(setup, warn), name));
    const clientSecret = values['client-secret'] ? await readClientSecret(definition) : undefined;
    const credentials = createMcpCredentials({ ports, agentDirectory, redact: ports.redact });
    await signInToServer(definition, {
      ...ports,
      ...createPrompts(definition, warn),
      ...{ credentials, openCallbackServer, port, clientSecret },
      flow: values.device ? 'device' : values.browser ? 'browser' : undefined,
      hasBrowser: hasBrowser(process.env, ports.platform),
    });
    return `Signed in to ${name}. The credentials are in ${agentDirectory}/auth.json.\n`;
  } finally {
    await ports.close();
  }
}

function parsePort(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new Fault('config', `--port ${text}: use a number from 1 to 65535.`);
}

export function checkDefinition({ name, source, server }: McpServerDefinition): HttpServerDefinition {
  if (server.type !== 'stdio') return { name, source, server };
  throw new Fault('config', `${name} is a process, which needs no sign-in. Only servers with a "url" have one.`);
}

async function readClientSecret({ name, source, server }: HttpServerDefinition): Promise<string> {
  if (server.oauth?.clientId === undefined)
    throw new Fault('config', `--client-secret needs the id of the client: "oauth": {"clientId": "…"} in ${source}.`);
  const secret = await readSecret(`Client secret for ${name} (not shown): `);
  if (secret !== '') return secret;
  throw new Fault('config', `${process.stdin.isTTY ? 'No secret was entered' : 'stdin contains no secret'}.`);
}

/** Ctrl-C and Ctrl-D at the prompt cancel the sign-in. */
function createPrompts(
  { name }: HttpServerDefinition,
  warn: (line: string) => void,
): Pick<SignInContext, 'showUrl' | 'readLine' | 'signal'> {
  const prompt = openTerminalPrompt();
  const cancelled = new AbortController();
  return {
    signal: cancelled.signal,
    showUrl(url, userCode) {
      const code = userCode === undefined ? '' : ` and enter the code ${userCode}`;
      warn(`Sign in to ${name}: open ${url}${code}`);
    },
    readLine:
      prompt &&
      (async (question, signal) => {
        const line = await prompt.ask(question, signal);
        if (line === undefined && !signal.aborted) cancelled.abort();
        return line;
      }),
  };
}

/** Over SSH, a browser cannot reach the loopback interface of this machine. */
export function hasBrowser(env: Readonly<Record<string, string | undefined>>, platform: string): boolean {
  if (env.SSH_CONNECTION || env.SSH_TTY) return false;
  const hasScreen = env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME || env.BROWSER;
  return platform === 'darwin' || platform === 'win32' || Boolean(hasScreen);
}

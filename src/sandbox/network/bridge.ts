// Connects the network namespace of a sandboxed command, which has only a loopback interface, with the proxy of the agent.

/** In the namespace of the command no other program can use it before the bridge does. */
export const BRIDGE_PORT = 19128;

/** In a directory that bubblewrap creates for each command, so that no earlier command can have put something there. */
export const BRIDGE_SOCKET = '/dev/parley-proxy';

/**
 * Runs inside the sandbox, by `node -e`, so that no file of the program has to be readable there. It has no rights that the command does
 * not have: the command may end it, or use the socket itself. After `ready` its output goes to /dev/null, because the shell waits until
 * the pipe is closed.
 */
const BRIDGE_SCRIPT = `
const { createServer, connect } = require('node:net');
const { closeSync, openSync, writeSync } = require('node:fs');
const [path, token, port] = process.argv.slice(-3);
const join = (from, to) => from.on('error', () => {}).on('close', () => to.end(() => to.destroy())).pipe(to);
const server = createServer({ allowHalfOpen: true }, (client) => {
  const proxy = connect({ path, allowHalfOpen: true });
  proxy.write(token + '\\n');
  join(client, proxy);
  join(proxy, client);
});
server.listen({ port: Number(port), host: '127.0.0.1', backlog: 511 }, () => {
  writeSync(1, 'ready');
  for (const fd of [1, 2]) {
    closeSync(fd);
    openSync('/dev/null', 'w');
  }
});
`;

/**
 * Starts the bridge in the background, waits until it listens, and becomes the command. So the command has the process id, the
 * standard streams and the signals of the shell, and its exit status needs no translation. The bridge ends with the process namespace. It
 * is not a child of the command. The variables in front of the bridge would delay its start or change what it does.
 */
const START_SCRIPT = `
set -- "$(NODE_OPTIONS= NODE_USE_ENV_PROXY= ELECTRON_RUN_AS_NODE=1 "$1" -e "$2" "$3" "$4" "$5" </dev/null 2>&1 &)" "$@"
if [ "$1" != ready ]; then
  printf '%s\\n' "sandbox: the network bridge did not start: $1" >&2
  exit 125
fi
shift 6
exec "$@"
`;

export interface BridgeOptions {
  /** Node or Bun. It must be readable in the sandbox. */
  readonly execPath: string;
  readonly token: string;
}

/** The command line that starts the bridge and then `command`. */
export function wrapInBridge(
  { command, args }: { readonly command: string; readonly args: readonly string[] },
  { execPath, token }: BridgeOptions,
): { command: string; args: readonly string[] } {
  const bridge = [execPath, BRIDGE_SCRIPT, BRIDGE_SOCKET, token, String(BRIDGE_PORT)];
  return { command: '/bin/sh', args: ['-c', START_SCRIPT, 'sh', ...bridge, command, ...args] };
}

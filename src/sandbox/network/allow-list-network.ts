// The network of one sandboxed command with `sandbox.network: allow-list`: a proxy in the agent, and what the command needs to use it.
import type { OpenFilterProxy } from '../../contracts/filter-proxy.ts';
import type { Log, SpawnRequest } from '../../contracts/ports.ts';
import { ALLOWED_HOSTS_SETTING, createAllowListPolicy } from './allow-list-policy.ts';
import { BRIDGE_PORT, BRIDGE_SOCKET, wrapInBridge } from './bridge.ts';
import { createProxyEnvironment } from './proxy-environment.ts';

type Command = Pick<SpawnRequest, 'command' | 'args'>;

export interface AllowListNetworkOptions {
  readonly allowedHosts: readonly string[];
  readonly openFilterProxy: OpenFilterProxy;
  /**
   * `socket`: the command has its own network namespace and reaches the proxy through a unix socket. `port`: the sandbox lets the command
   * connect to one port of the loopback interface only.
   */
  readonly listenOn: 'socket' | 'port';
  readonly log: Log;
  /** Node or Bun, for the program inside the sandbox. Default: the one that runs this program. */
  readonly execPath?: string | undefined;
}

export interface AllowListNetwork {
  /** Must be added to the environment of the command. */
  readonly env: Readonly<Record<string, string>>;
  /** The socket must be at the path `inside` in the sandbox. It may be read-only there. */
  readonly socket: { readonly outside: string; readonly inside: string } | undefined;
  /** A program that must be visible at its path in the sandbox. */
  readonly runtime?: string | undefined;
  /** The only port that the command may connect to. */
  readonly port: number;
  /** To be started in place of the command, inside the sandbox. */
  wrapCommand(command: Command): Command;
  /** Hosts that were refused until now, each once. */
  listRefused(): readonly string[];
  /** A sentence that names them, for the result of a failed command. `output` of the command may contain the refusal, too. */
  explainRefusals(output: string): string | undefined;
  close(): Promise<void>;
}

/** Each command has its own proxy, so that refused hosts are known per command and a changed setting is used by the next one. */
export async function openAllowListNetwork(options: AllowListNetworkOptions): Promise<AllowListNetwork> {
  const { allowedHosts, openFilterProxy, listenOn, log, execPath = process.execPath } = options;
  const refused = new Set<string>();
  const { address, token, close } = await openFilterProxy({
    policy: createAllowListPolicy(allowedHosts),
    listenOn,
    onRefused(host, reason) {
      if (refused.has(host)) return;
      refused.add(host);
      log('sandbox_host_refused', { host, reason });
    },
  });
  const network = {
    listRefused: () => [...refused],
    explainRefusals: (output: string) => explainRefusedHosts([...refused], output),
    close,
  };
  if ('port' in address) {
    const env = createProxyEnvironment(`http://parley:${token}@127.0.0.1:${address.port}`);
    return {
      ...network,
      env,
      socket: undefined,
      runtime: undefined,
      port: address.port,
      wrapCommand: (command) => command,
    };
  }
  return {
    ...network,
    env: createProxyEnvironment(`http://127.0.0.1:${BRIDGE_PORT}`),
    socket: { outside: address.socketPath, inside: BRIDGE_SOCKET },
    runtime: execPath,
    port: BRIDGE_PORT,
    wrapCommand: (command) => wrapInBridge(command, { execPath, token }),
  };
}

/** `refused` may be empty: the output of the command may contain the refusal. */
export function explainRefusedHosts(refused: readonly string[], output: string): string | undefined {
  if (refused.length > 0) {
    const hosts = refused.slice(0, MAX_SHOWN).join(', ');
    const more = refused.length > MAX_SHOWN ? ` and ${refused.length - MAX_SHOWN} more` : '';
    return `The sandbox refused connections to ${hosts}${more}: not in ${ALLOWED_HOSTS_SETTING}.`;
  }
  return output.includes(`not in ${ALLOWED_HOSTS_SETTING}`)
    ? `The sandbox refused a connection to a host that is not in ${ALLOWED_HOSTS_SETTING}.`
    : undefined;
}

const MAX_SHOWN = 10;

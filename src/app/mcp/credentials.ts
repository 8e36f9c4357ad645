// Stores the logins of MCP servers in the user's auth.json.
import { getOwnValue, isRecord } from '../../base/index.ts';
import type { McpCredentialStore, Ports } from '../../contracts/index.ts';
import { MCP_LOGINS_KEY, readAuthFile, rewriteAuthFile } from '../../llm/credentials/auth-file.ts';
import { listLoginSecrets } from '../../mcp/oauth/stored-login.ts';

export interface McpCredentialsOptions {
  readonly ports: Ports;
  readonly agentDirectory: string;
  /** Called with each token that is read or written, so that logs and exports do not show it. */
  readonly redact?: ((secret: string) => void) | undefined;
}

export function createMcpCredentials({ ports, agentDirectory, redact }: McpCredentialsOptions): McpCredentialStore {
  const { files, clock, ids } = ports;
  const redactSecrets = (login: unknown) => {
    for (const secret of listLoginSecrets(login)) redact?.(secret);
    return login;
  };
  const getLogins = (contents: Record<string, unknown>) => {
    const logins = getOwnValue(contents, MCP_LOGINS_KEY);
    return isRecord(logins) ? logins : {};
  };
  return {
    async read(key) {
      return redactSecrets(getOwnValue(getLogins(await readAuthFile(files, agentDirectory)), key));
    },
    async update(key, change) {
      await rewriteAuthFile({ files, clock, ids }, agentDirectory, async (contents) => {
        const { [key]: current, ...others } = getLogins(contents);
        const changed = redactSecrets(await change(redactSecrets(current)));
        if (changed === current) return undefined;
        const logins = changed === undefined ? others : { ...others, [key]: changed };
        const { [MCP_LOGINS_KEY]: _replaced, ...entries } = contents;
        return Object.keys(logins).length === 0 ? entries : { ...entries, [MCP_LOGINS_KEY]: logins };
      });
    },
  };
}

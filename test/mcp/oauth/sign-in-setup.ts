// A credential store in a temporary directory, and a browser that opens the URLs of sign-ins.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMcpCredentials } from '../../../src/app/mcp/credentials.ts';
import { openCallbackServer } from '../../../src/app/system-ports/callback-server.ts';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import type { McpHttpServer } from '../../../src/contracts/index.ts';
import { type SignInContext, signInToServer } from '../../../src/mcp/oauth/sign-in.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import type { OAuthServers } from './oauth-server.ts';

export function setUpSignIn({ mcpUrl }: Pick<OAuthServers, 'mcpUrl'>) {
  const directory = createTemporaryDirectory();
  const ports = createSystemPorts({ agentDirectory: directory, env: {} });
  const credentials = createMcpCredentials({ ports, agentDirectory: directory, redact: ports.redact });
  const shown: { url: URL; userCode: string | undefined }[] = [];
  const server: McpHttpServer = { type: 'http', url: mcpUrl, headers: {} };
  const definition = { name: 'guarded', source: 'mcp.json', server };
  const path = join(directory, 'auth.json');
  return {
    directory,
    path,
    ports,
    credentials,
    shown,
    definition,
    readLogin: () => JSON.parse(readFileSync(path, 'utf8')).mcpServers?.[mcpUrl],
    /** `browse` replaces the browser, which follows all redirects. */
    signIn(options: Partial<SignInContext> & { oauth?: McpHttpServer['oauth']; browse?: (url: URL) => void } = {}) {
      const { oauth, browse = (url: URL) => void fetch(url), ...others } = options;
      const context: SignInContext = {
        ...ports,
        credentials,
        openCallbackServer,
        hasBrowser: true,
        port: 0,
        showUrl(url, userCode) {
          shown.push({ url: new URL(url), userCode });
          if (userCode === undefined) browse(new URL(url));
        },
        ...others,
      };
      return signInToServer({ ...definition, server: { ...server, oauth } }, context);
    },
  };
}

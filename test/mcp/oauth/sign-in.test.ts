// Sign-ins to MCP servers over HTTP, against a loopback authorization server.
import { statSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { startHttpServer } from '../../support/http-server.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { DEVICE_GRANT, startOAuthServers } from './oauth-server.ts';
import { setUpSignIn } from './sign-in-setup.ts';

const noSleep = { now: () => 0, after: () => () => {}, sleep: async () => {} };

describe('with a browser', () => {
  test('registers a client, uses PKCE and state, and stores the tokens in a private file', async () => {
    const servers = await startOAuthServers({ tokenLifetime: 3600 });
    const { signIn, shown, readLogin, path, ports } = setUpSignIn(servers);
    writeFileSync(path, '{"openai":{"type":"api_key","key":"sk-1"}}', { mode: 0o644 });
    const before = ports.clock.now();
    await signIn();
    const query = Object.fromEntries(shown[0]?.url.searchParams ?? []);
    expect(query).toMatchObject({
      response_type: 'code',
      client_id: 'client-1',
      code_challenge_method: 'S256',
      resource: servers.mcpUrl,
      scope: 'tools:read',
    });
    expect(query.state).toMatch(/^[0-9a-f]{64}$/);
    expect(query.redirect_uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect(servers.registrations).toEqual([
      expect.objectContaining({
        client_name: 'Parley',
        redirect_uris: [query.redirect_uri],
        token_endpoint_auth_method: 'none',
      }),
    ]);
    const [access] = servers.accessTokens.keys();
    const [refresh] = servers.refreshTokens.keys();
    expect(readLogin()).toMatchObject({
      issuer: servers.authUrl,
      tokenEndpoint: `${servers.authUrl}/token`,
      resource: servers.mcpUrl,
      client: { id: 'client-1', redirectUri: query.redirect_uri },
      ...{ accessToken: access, refreshToken: refresh, scope: 'tools:read' },
    });
    expect(readLogin().expiresAt).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(ports.listSecrets()).toEqual(expect.arrayContaining([access, refresh]));
    expect(servers.listTokenRequests()).toEqual([
      expect.objectContaining({ client_id: 'client-1', resource: servers.mcpUrl, redirect_uri: query.redirect_uri }),
    ]);
  });

  test('a second sign-in uses the registered client at the same port', async () => {
    const servers = await startOAuthServers();
    const { signIn, shown } = setUpSignIn(servers);
    await signIn();
    await signIn();
    expect(servers.registrations).toHaveLength(1);
    expect(shown[1]?.url.searchParams.get('redirect_uri')).toBe(shown[0]?.url.searchParams.get('redirect_uri'));
  });

  test('a client is registered again when the port is in use', async () => {
    const servers = await startOAuthServers();
    const { signIn, shown } = setUpSignIn(servers);
    await signIn();
    const { port } = new URL(shown[0]?.url.searchParams.get('redirect_uri') ?? '');
    const { server } = await startHttpServer(() => {});
    await new Promise((resolve) => server.close(resolve));
    await new Promise<void>((resolve) => server.listen(Number(port), '127.0.0.1', resolve));
    await signIn();
    expect(servers.registrations).toHaveLength(2);
    expect(shown[1]?.url.searchParams.get('client_id')).toBe('client-2');
  });

  test('a client of another authorization server is not used', async () => {
    const [servers, others] = [await startOAuthServers(), await startOAuthServers()];
    const { signIn, readLogin } = setUpSignIn(servers);
    await signIn();
    servers.behaviour.resourceMetadata = { authorization_servers: [others.authUrl] };
    await signIn();
    expect(others.registrations).toHaveLength(1);
    expect(readLogin()).toMatchObject({ issuer: others.authUrl, client: { id: 'client-1' } });
    expect(servers.listTokenRequests()).toHaveLength(1);
  });

  test('uses the client id and the scopes of the definition', async () => {
    const servers = await startOAuthServers({ registration: 'absent' });
    const { signIn, shown, readLogin } = setUpSignIn(servers);
    await signIn({ oauth: { clientId: 'https://app.test/client.json', scopes: ['a', 'b'] } });
    expect(Object.fromEntries(shown[0]?.url.searchParams ?? [])).toMatchObject({
      client_id: 'https://app.test/client.json',
      scope: 'a b',
    });
    expect(readLogin()).toMatchObject({ client: { id: 'https://app.test/client.json' }, scope: 'a b' });
  });

  test('a client secret is sent to the token endpoint only, and kept', async () => {
    const metadata = { token_endpoint_auth_methods_supported: ['client_secret_basic'] };
    const servers = await startOAuthServers({ registration: 'absent', clientSecret: 's3cret-text', metadata });
    const { signIn, shown, readLogin, ports } = setUpSignIn(servers);
    const oauth = { clientId: 'app' };
    await expect(signIn({ oauth })).rejects.toThrow('issued no token (invalid_client)');
    await signIn({ oauth, clientSecret: 's3cret-text' });
    expect(readLogin().client).toEqual({ id: 'app', secret: 's3cret-text' });
    await signIn({ oauth });
    expect(shown.map(({ url }) => url.href).join()).not.toContain('s3cret');
    expect(ports.listSecrets()).toContain('s3cret-text');
  });

  test('offline_access is requested where the authorization server offers it', async () => {
    const servers = await startOAuthServers({ metadata: { scopes_supported: ['offline_access'] } });
    const { signIn, shown } = setUpSignIn(servers);
    await signIn();
    expect(shown[0]?.url.searchParams.get('scope')).toBe('tools:read offline_access');
    expect(shown[0]?.url.searchParams.get('prompt')).toBe('consent');
  });

  test('a redirect with another state is refused, and the sign-in continues', async () => {
    const servers = await startOAuthServers();
    const statuses: number[] = [];
    const { signIn } = setUpSignIn(servers);
    await signIn({
      async browse(url) {
        const forged = new URL(url.searchParams.get('redirect_uri') ?? '');
        forged.search = '?code=stolen&state=other';
        statuses.push((await fetch(forged)).status);
        statuses.push((await fetch(url)).status);
      },
    });
    await waitUntil(() => statuses.length === 2);
    expect(statuses).toEqual([400, 200]);
    expect(servers.listTokenRequests().map(({ code }) => code)).not.toContain('stolen');
  });

  test('can be cancelled', async () => {
    const { signIn, credentials, definition } = setUpSignIn(await startOAuthServers());
    const controller = new AbortController();
    const done = signIn({ signal: controller.signal, browse: () => controller.abort() });
    await expect(done).rejects.toThrow('The login was cancelled');
    expect(await credentials.read(definition.server.url)).toBeUndefined();
  });

  test('ends after 15 minutes', async () => {
    const { signIn, ports } = setUpSignIn(await startOAuthServers());
    const limits: number[] = [];
    const after = (ms: number, act: () => void) => {
      limits.push(ms);
      if (ms === 15 * 60_000) act();
      return () => {};
    };
    const done = signIn({ clock: { ...ports.clock, after }, browse: () => {} });
    await expect(done).rejects.toThrow('The sign-in was not finished in time.');
    expect(limits).toContain(15 * 60_000);
  });
});

describe('with a device code', () => {
  test('when there is no browser', async () => {
    const servers = await startOAuthServers({ hasDeviceFlow: true, polls: ['authorization_pending', 'slow_down'] });
    const { signIn, shown, readLogin } = setUpSignIn(servers);
    await signIn({ hasBrowser: false, clock: noSleep });
    expect(shown).toEqual([{ url: new URL(`${servers.authUrl}/verify`), userCode: 'ABCD-1234' }]);
    expect(readLogin()).toMatchObject({ client: { id: 'client-1' }, scope: 'tools:read' });
    expect(servers.registrations[0]?.grant_types).toContain(DEVICE_GRANT);
    expect(servers.listTokenRequests()).toHaveLength(3);
    expect(servers.listTokenRequests()[2]).toMatchObject({
      grant_type: DEVICE_GRANT,
      resource: servers.mcpUrl,
      client_id: 'client-1',
    });
  });

  test('not when there is a browser, unless requested', async () => {
    const servers = await startOAuthServers({ hasDeviceFlow: true });
    const { signIn, shown } = setUpSignIn(servers);
    await signIn();
    await signIn({ flow: 'device', clock: noSleep });
    expect(shown.map(({ userCode }) => userCode)).toEqual([undefined, 'ABCD-1234']);
  });

  test.each([
    ['access_denied', 'The login was refused.'],
    ['expired_token', 'The code has expired.'],
  ])('%s', async (error, message) => {
    const servers = await startOAuthServers({ hasDeviceFlow: true, polls: [error] });
    const { signIn } = setUpSignIn(servers);
    await expect(signIn({ flow: 'device', clock: noSleep })).rejects.toThrow(message);
  });

  test('is an error where it is not offered', async () => {
    const { signIn } = setUpSignIn(await startOAuthServers());
    await expect(signIn({ flow: 'device' })).rejects.toThrow('offers no device codes');
  });
});

describe('is refused', () => {
  test.each([
    ['for a server without OAuth', { hasMetadata: false, registration: 'absent' as const }, 'offers no OAuth sign-in'],
    ['without registration', { registration: 'absent' as const }, /does not register clients.*in mcp\.json: "oauth"/],
    ['when registration is refused', { registration: 'refused' as const }, /refused to register a client \(403\)/],
    ['for metadata of another server', { resourceMetadata: { resource: 'https://b.test/mcp' } }, 'not for http'],
    ['for another issuer', { metadata: { issuer: 'https://b.test' } }, 'names another issuer'],
    ['for an answer of another issuer', { redirectIssuer: 'https://b.test' }, 'comes from another issuer'],
    ['without PKCE', { metadata: { code_challenge_methods_supported: ['plain'] } }, 'does not support PKCE'],
    [
      'for a token endpoint without encryption',
      { metadata: { token_endpoint: 'http://b.test/token' } },
      'http://b.test does not use https',
    ],
  ])('%s', async (_, behaviour, message) => {
    const servers = await startOAuthServers(behaviour);
    const { signIn, credentials, definition } = setUpSignIn(servers);
    await expect(signIn()).rejects.toThrow(message);
    expect(await credentials.read(definition.server.url)).toBeUndefined();
    expect(servers.accessTokens.size).toBe(0);
  });

  test('for a server without encryption that is not on this machine', async () => {
    const { signIn } = setUpSignIn({ mcpUrl: 'http://b.test/mcp' });
    await expect(signIn()).rejects.toThrow('http://b.test does not use https');
  });

  test('when the token endpoint redirects', async () => {
    const target = await startOAuthServers();
    const { url } = await startHttpServer((_, response) => {
      response.writeHead(307, { location: `${target.authUrl}/token` }).end();
    });
    const servers = await startOAuthServers({ metadata: { token_endpoint: `${url}/token` } });
    const { signIn } = setUpSignIn(servers);
    await expect(signIn()).rejects.toThrow('issued no token');
    expect(target.listTokenRequests()).toEqual([]);
  });
});

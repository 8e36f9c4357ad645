// Environment variables that make programs use a proxy.

/** Programs inside the sandbox reach one another at these addresses. */
const NO_PROXY = 'localhost,127.0.0.1,::1';

/** Read in upper and in lower case. Some programs read only one of them. */
const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'FTP_PROXY'];

/** For programs whose configuration files take precedence over the variables above. */
const PROGRAM_VARIABLES = [
  'npm_config_proxy',
  'npm_config_https_proxy',
  'YARN_HTTP_PROXY',
  'YARN_HTTPS_PROXY',
  'PIP_PROXY',
  'CARGO_HTTP_PROXY',
];

/** Replaces the user's own proxy, whose address may contain a password. */
export function createProxyEnvironment(proxyUrl: string): Record<string, string> {
  const both = (name: string, value: string) => [
    [name, value],
    [name.toLowerCase(), value],
  ];
  return Object.fromEntries([
    ...PROXY_VARIABLES.flatMap((name) => both(name, proxyUrl)),
    ...both('NO_PROXY', NO_PROXY),
    ...PROGRAM_VARIABLES.map((name) => [name, proxyUrl]),
    ['npm_config_noproxy', NO_PROXY],
    // Makes fetch and http of Node 24 and later use the proxy.
    ['NODE_USE_ENV_PROXY', '1'],
  ]);
}

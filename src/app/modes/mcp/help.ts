// The help text of `parley mcp`.

/** One row for each line of the usage. */
const USAGE: readonly (readonly [synopsis: string, summary: string])[] = [
  ['list [--json]', 'show the servers that a session would use, and where each is defined'],
  ['add NAME [--env K=V] -- COMMAND ARGS...', 'add a server that is a program'],
  ['add NAME URL [--header K:V] [--transport http|sse]', 'add a server that is reached over HTTP'],
  ['remove NAME', 'remove a server from the file that defines it'],
  [
    'login NAME [--device|--browser] [--port N]',
    'sign in to a server over HTTP; --client-secret reads the secret of its clientId',
  ],
  ['logout NAME|URL', 'remove the stored login of a server'],
  ['test [NAME]', 'connect, and show what the servers offer or why they fail'],
  ['serve [options]', 'serve Parley to other agents as an MCP server over stdin and stdout'],
];

export function formatMcpHelp(): string {
  const width = Math.max(...USAGE.map(([synopsis]) => synopsis.length)) + 2;
  const lines = USAGE.map(
    ([synopsis, summary], index) =>
      `${index === 0 ? 'Usage:' : '      '} parley mcp ${synopsis.padEnd(width)}${summary}`,
  );
  return `${lines.join('\n')}

\`add\` and \`remove\` change mcp.json of the user, with --project the .mcp.json of this directory. The other keys and the comments of the file
are kept. \${VAR} in a value stands for an environment variable, so that the file needs no secrets.

\`login\` prints the URL to open and waits until you have signed in, in the browser or with a device code. The tokens are stored in auth.json, which only you
can read. Sessions refresh them, and never open a browser.

Examples:
  parley mcp list
  parley mcp add files -- npx -y @modelcontextprotocol/server-filesystem .
  parley mcp add docs https://example.com/mcp --header 'Authorization: Bearer \${DOCS_TOKEN}'
  parley mcp login docs
  parley mcp test files
`;
}

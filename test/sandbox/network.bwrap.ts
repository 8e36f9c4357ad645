// Servers on this machine that no sandboxed command may reach, and many ways to try. Under the real bubblewrap.
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createOpenFilterProxy } from '../../src/app/system-ports/filter-proxy/open-filter-proxy.ts';
import { type AllowListNetwork, openAllowListNetwork } from '../../src/sandbox/network/allow-list-network.ts';
import { startHttpServer } from '../support/http-server.ts';

const BWRAP = '/usr/bin/bwrap';
const NAMESPACES = ['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'];
const MOUNTS = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'];

interface Canaries {
  /** What arrived, by the name of the canary. */
  readonly arrived: string[];
  readonly http: number;
  readonly other: number;
  readonly udp: number;
  readonly ipv6: number | undefined;
  readonly abstract: string;
  /** An address of this machine that is not a loopback address, if it has one. */
  readonly address: string;
}

async function startCanaries(): Promise<Canaries> {
  const arrived: string[] = [];
  const { url } = await startHttpServer((request, response) => {
    arrived.push(`http ${request.url}`);
    if (request.url === '/redirect') response.writeHead(302, { location: `http://127.0.0.1:${other}/redirected` });
    response.end('from the canary\n');
  });
  const accept = (name: string) =>
    createServer((socket) => {
      arrived.push(name);
      socket.on('error', () => {}).end();
    });
  const other = await listen(accept('tcp'), '0.0.0.0');
  const ipv6 = await listen(accept('ipv6'), '::1').catch(() => undefined);
  const abstract = `parley-canary-${process.pid}-${other}`;
  // Node has abstract sockets since version 20.
  await new Promise<void>((resolve) => {
    const server = accept('abstract').listen(`\0${abstract}`, resolve);
    onTestFinished(() => void server.close());
  });
  const udp = createSocket('udp4', () => void arrived.push('udp'));
  await new Promise<void>((resolve) => udp.bind(0, '0.0.0.0', resolve));
  onTestFinished(() => void udp.close());
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const address =
    addresses.find(({ address: text, internal }) => text.includes('.') && !internal)?.address ?? '127.0.0.2';
  return { arrived, http: Number(new URL(url).port), other, udp: udp.address().port, ipv6, abstract, address };
}

async function listen(server: Server, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function openNetwork(allowedHosts: readonly string[]): Promise<AllowListNetwork> {
  const openFilterProxy = createOpenFilterProxy({
    env: {},
    lookup: async (name) => (name === 'public.test' ? ['203.0.113.1'] : ['127.0.0.1']),
  });
  const network = await openAllowListNetwork({ allowedHosts, openFilterProxy, listenOn: 'socket', log: () => {} });
  onTestFinished(() => network.close());
  return network;
}

interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** `network` undefined: a sandbox without any network. */
async function runCommand(
  network: AllowListNetwork | undefined,
  command: string,
  args: readonly string[],
  input = '',
): Promise<Outcome> {
  const inner = network?.wrapCommand({ command, args }) ?? { command, args };
  const socket = network?.socket ? ['--ro-bind', network.socket.outside, network.socket.inside] : [];
  const env = { PATH: process.env.PATH, LC_ALL: 'C', ...network?.env };
  const all = [...NAMESPACES, ...MOUNTS, ...socket, '--chdir', '/', '--', inner.command, ...inner.args];
  const child = spawn(BWRAP, all, { env, stdio: 'pipe' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

const bash = (network: AllowListNetwork | undefined, text: string) => runCommand(network, 'bash', ['-c', text]);

const node = (script: string) => `'${process.execPath}' -e '${script}'`;

/** Each tries to reach a canary in another way. Programs that this machine does not have fail like the others. */
function listAttempts({ http, other, udp, ipv6, abstract, address }: Canaries): [string, string][] {
  const tcp = (host: string, port: number) =>
    node(`require("net").connect(${port},"${host}").on("error",()=>process.exit(1)).write("x")`);
  const python = (script: string) => `python3 -c '${script}'`;
  return [
    ['bash /dev/tcp', `echo x > /dev/tcp/127.0.0.1/${other}`],
    ['bash /dev/tcp, other address', `echo x > /dev/tcp/${address}/${other}`],
    ['bash /dev/tcp, 127.0.0.2', `echo x > /dev/tcp/127.0.0.2/${other}`],
    ['bash /dev/tcp, 0.0.0.0', `echo x > /dev/tcp/0.0.0.0/${other}`],
    ['bash /dev/udp', `echo x > /dev/udp/127.0.0.1/${udp}`],
    ['bash /dev/udp, other address', `echo x > /dev/udp/${address}/${udp}`],
    ['curl without a proxy', `curl -sS -m 5 --noproxy '*' http://127.0.0.1:${http}/curl`],
    ['curl without variables', `env -i PATH="$PATH" curl -sS -m 5 http://${address}:${other}/`],
    ['curl, SOCKS', `curl -sS -m 5 -x socks5h://127.0.0.1:${other} http://evil.test/`],
    ['wget', `env -i PATH="$PATH" wget -T 5 -t 1 -qO- http://127.0.0.1:${http}/wget`],
    ['node http', node(`require("http").get("http://127.0.0.1:${http}/node").on("error",()=>process.exit(1))`)],
    ['node fetch', node(`fetch("http://127.0.0.1:${http}/fetch").catch(()=>process.exit(1))`)],
    ['node net', tcp('127.0.0.1', other)],
    ['node net, localhost', tcp('localhost', other)],
    ['node net, other address', tcp(address, other)],
    ['node net, IPv6', tcp('::1', ipv6 ?? other)],
    ['node net, mapped address', tcp('::ffff:127.0.0.1', other)],
    ['node dgram', node(`const s=require("dgram").createSocket("udp4");s.send("x",${udp},"${address}",()=>s.close())`)],
    [
      'node dgram, broadcast',
      node(
        `const s=require("dgram").createSocket("udp4");s.bind(()=>{s.setBroadcast(true);s.send("x",${udp},"255.255.255.255",()=>s.close())})`,
      ),
    ],
    [
      'node dgram, multicast',
      node(`const s=require("dgram").createSocket("udp4");s.send("x",${udp},"224.0.0.1",()=>s.close())`),
    ],
    [
      'node dns',
      node(`const d=require("dns");d.setServers(["127.0.0.1:${udp}"]);d.resolve("a.test",(e)=>process.exit(e?1:0))`),
    ],
    [
      'node, abstract socket',
      node(`require("net").connect("\\0${abstract}").on("error",()=>process.exit(1)).write("x")`),
    ],
    ['python socket', python(`import socket;socket.create_connection(("127.0.0.1",${other}),5)`)],
    ['python, abstract socket', python(`import socket;s=socket.socket(socket.AF_UNIX);s.connect("\\0${abstract}")`)],
    ['python, raw socket', python('import socket;socket.socket(socket.AF_INET,socket.SOCK_RAW,1)')],
    ['python, packet socket', python('import socket;socket.socket(socket.AF_PACKET,socket.SOCK_RAW)')],
    ['ip link', 'ip link add canary0 type dummy && ip link set canary0 up'],
    ['ip address', `ip addr add ${address}/24 dev lo && echo x > /dev/tcp/${address}/${other}`],
    ['a new network namespace', `unshare -rn bash -c 'echo x > /dev/tcp/127.0.0.1/${other}'`],
    ['the network namespace of process 1', `nsenter -t 1 -n bash -c 'echo x > /dev/tcp/127.0.0.1/${other}'`],
    ['socat', `echo x | socat -T 5 - TCP:127.0.0.1:${other}`],
  ];
}

describe('without network', () => {
  test('nothing arrives by any way', async () => {
    const canaries = await startCanaries();
    const attempts = listAttempts(canaries);
    for (const [, text] of attempts) await bash(undefined, text);
    expect(attempts.length).toBeGreaterThanOrEqual(25);
    expect(canaries.arrived).toEqual([]);
  });

  test('the attempts arrive without a sandbox, so they would be seen', async () => {
    const canaries = await startCanaries();
    const names = ['bash /dev/tcp', 'bash /dev/udp', 'node http', 'node net', 'node dgram', 'node, abstract socket'];
    for (const [name, text] of listAttempts(canaries)) {
      if (!names.includes(name)) continue;
      // Not spawnSync: the servers are in this process.
      await new Promise((resolve) => spawn('bash', ['-c', text], { stdio: 'ignore' }).once('close', resolve));
    }
    await expect.poll(() => new Set(canaries.arrived)).toEqual(new Set(['tcp', 'udp', 'http /node', 'abstract']));
  });

  test('a name is not resolved, and this takes no time', async () => {
    const { code } = await runCommand(undefined, 'timeout', ['2', 'getent', 'hosts', 'example.com']);
    // 124 would be a timeout.
    expect(code).toBe(2);
  });
});

describe('with an allow-list', () => {
  test('nothing arrives by any way that does not use the proxy', async () => {
    const canaries = await startCanaries();
    const network = await openNetwork([`ok.test:${canaries.http}`]);
    for (const [, text] of listAttempts(canaries)) await bash(network, text);
    expect(canaries.arrived).toEqual([]);
  });

  test('only the listed host and port arrives', async () => {
    const { http, other, arrived } = await startCanaries();
    const network = await openNetwork([`ok.test:${http}`, `127.0.0.1:${http}`]);
    const urls = [
      `ok.test:${http}/yes`,
      `ok.test:${other}/no`,
      `evil.test:${http}/no`,
      `127.0.0.1.evil.test:${http}/no`,
    ];
    const options = "-sS -m 5 --noproxy ''";
    const outcome = await bash(
      network,
      [...urls.flatMap((url) => [`curl ${options} http://${url}`, `curl ${options} -p http://${url}`])].join('; '),
    );
    expect(arrived).toEqual(['http /yes', 'http /yes']);
    expect(outcome.output.match(/from the canary/g)).toHaveLength(2);
    expect(outcome.output).toContain(`evil.test:${http} is not in sandbox.allowedHosts`);
    expect(network.listRefused()).toEqual([`ok.test:${other}`, `evil.test:${http}`, `127.0.0.1.evil.test:${http}`]);
  });

  test('requests to the proxy that disagree with themselves do not arrive', async () => {
    const { http, other, arrived } = await startCanaries();
    const network = await openNetwork([`ok.test:${http}`, `127.0.0.1:${http}`]);
    const requests = [
      `GET http://evil.test:${http}/ HTTP/1.1\\r\\nHost: ok.test:${http}\\r\\n\\r\\n`,
      `GET http://ok.test:${http}@evil.test:${http}/ HTTP/1.1\\r\\nHost: ok.test\\r\\n\\r\\n`,
      `GET / HTTP/1.1\\r\\nHost: ok.test:${http}\\r\\n\\r\\n`,
      `CONNECT 127.0.0.1:${other} HTTP/1.1\\r\\nHost: ok.test:${http}\\r\\n\\r\\n`,
      `CONNECT 2130706433:${http} HTTP/1.1\\r\\nHost: ok.test:${http}\\r\\n\\r\\n`,
      `CONNECT 0x7f.1:${http} HTTP/1.1\\r\\nHost: ok.test:${http}\\r\\n\\r\\n`,
      `CONNECT [::ffff:127.0.0.1]:${http} HTTP/1.1\\r\\nHost: ok.test:${http}\\r\\n\\r\\n`,
      `CONNECT localhost:${http} HTTP/1.1\\r\\nHost: ok.test:${http}\\r\\n\\r\\n`,
    ];
    for (const text of requests) {
      await bash(network, `exec 3<>/dev/tcp/127.0.0.1/${network.port}; printf '${text}' >&3; timeout 5 head -n 1 <&3`);
    }
    expect(arrived).toEqual([]);
  });

  test('the socket of the proxy checks the same, and the socket of another command needs its token', async () => {
    const { http, arrived } = await startCanaries();
    const [network, foreign] = [
      await openNetwork(['ok.test:1']),
      await openNetwork([`ok.test:${http}`, `127.0.0.1:${http}`]),
    ];
    const request = `GET http://ok.test:${http}/ HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n`;
    const script = `const s=require("net").connect(process.argv[1]);s.on("data",d=>process.stdout.write(d)).on("error",()=>{});s.write(process.argv[2]+"\\n${request}")`;
    const socket = { outside: foreign.socket?.outside ?? '', inside: network.socket?.inside ?? '' };
    const mixed: AllowListNetwork = { ...network, socket, wrapCommand: (command) => command };
    const { output } = await runCommand(mixed, process.execPath, ['-e', script, socket.inside, 'x'.repeat(32)]);
    expect([output, arrived]).toEqual(['', []]);
  });

  test('a redirect to another host is refused', async () => {
    const { http, arrived } = await startCanaries();
    const network = await openNetwork([`ok.test:${http}`, `127.0.0.1:${http}`]);
    const { output } = await bash(network, `curl -sSL -m 5 --noproxy '' http://ok.test:${http}/redirect`);
    expect(output).toContain('not in sandbox.allowedHosts');
    expect(arrived).toEqual(['http /redirect']);
  });

  test('a name is not resolved, and this takes no time', async () => {
    const network = await openNetwork([]);
    expect((await runCommand(network, 'timeout', ['2', 'getent', 'hosts', 'example.com'])).code).toBe(2);
  });
});

describe('the program inside the sandbox', () => {
  test.each([
    ['exit 0', 0],
    ['exit 7', 7],
    ['exit 255', 255],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
    ['kill -INT $$; exit 3', 130],
    ['/does/not/exist', 127],
  ])('%s ends with %d, as without it', async (text, code) => {
    const network = await openNetwork([]);
    expect((await runCommand(network, 'bash', ['-c', text])).code).toBe(code);
    expect((await runCommand(undefined, 'bash', ['-c', text])).code).toBe(code);
  });

  test('standard streams, arguments and variables are those of the command', async () => {
    const network = await openNetwork([]);
    const text =
      'cat; printf "%s|" "$0" "$@"; echo "$NODE_OPTIONS|$ELECTRON_RUN_AS_NODE|$NODE_USE_ENV_PROXY"; echo error >&2';
    const { output, code } = await runCommand(network, 'sh', ['-c', text, 'a b', '', '$x', "'"], 'input\n');
    expect([code, output]).toEqual([0, "input\na b||$x|'|||1\nerror\n"]);
  });

  test('is not a child of the command and holds none of its pipes', async () => {
    const network = await openNetwork([]);
    const { output } = await bash(
      network,
      'wait; ls /proc/$$/task/$$/children >/dev/null; cat /proc/$$/task/$$/children; jobs; echo done',
    );
    expect(output).not.toContain('ready');
    expect(output).toMatch(/done\n$/);
  });

  test('when it cannot start, the command is not run', async () => {
    const network = await openNetwork([]);
    const { args, command } = network.wrapCommand({ command: 'echo', args: ['it ran'] });
    const broken = {
      ...network,
      wrapCommand: () => ({ command, args: args.map((arg) => (arg === process.execPath ? '/does/not/exist' : arg)) }),
    };
    const { code, output } = await runCommand(broken, 'echo', ['it ran']);
    expect(code).toBe(125);
    expect(output).toMatch(/^sandbox: the network bridge did not start: .*not found/);
    expect(output).not.toContain('it ran');
  });

  test('many connections at once', async () => {
    const { http, arrived } = await startCanaries();
    const network = await openNetwork([`ok.test:${http}`, `127.0.0.1:${http}`]);
    const text = `for i in $(seq 40); do curl -sS -m 20 http://ok.test:${http}/many & done; wait`;
    const { output } = await bash(network, text);
    expect(output.match(/from the canary/g)).toHaveLength(40);
    expect(arrived).toHaveLength(40);
  });
});

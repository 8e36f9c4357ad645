// Opens a page in the browser of the user.
import type { StartContext } from '../start-agent.ts';

const COMMANDS: Readonly<Record<string, string>> = { darwin: 'open', linux: 'xdg-open' };

const ignore = () => {};

/** `address` has a code that works once, for two minutes. */
export async function openBrowser(
  address: string,
  { ports, cwd }: StartContext,
  warn: (line: string) => void,
): Promise<void> {
  const command = COMMANDS[ports.platform];
  if (command === undefined) {
    warn('The browser cannot be opened on this system. Open the address yourself.');
    return;
  }
  const env = Object.fromEntries(Object.entries(ports.toolEnv).filter(([, value]) => value !== undefined));
  try {
    const child = await ports.processes.spawn({
      ...{ command, args: [address], cwd, env: env as Record<string, string> },
      onOutput: ignore,
    });
    void child.finished.then(({ code }) => {
      // `null`: killed, for example at the end of the server.
      if (code !== null && code !== 0)
        warn(`${command} has failed. Open this address yourself, within two minutes: ${address}`);
    }, ignore);
  } catch {
    warn(`${command} was not found. Open the address yourself.`);
  }
}

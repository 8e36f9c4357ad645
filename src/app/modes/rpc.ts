// The hall: serving one host over stdin and stdout.
import { messageOf } from '../../base/index.ts';
import { commandsByName } from '../../commands/index.ts';
import { dialectNamed } from '../../dialects/index.ts';
import { serve } from '../../server/index.ts';
import { createStdioTransport } from '../../transports/index.ts';
import type { SettingValues } from '../settings-table.ts';
import { version } from '../version.ts';
import { createShutdown } from './shutdown.ts';
import { type StartOptions, start } from './start.ts';

export interface RpcOptions extends StartOptions {
  readonly dialect?: string | undefined;
  readonly stream?: 'full' | 'delta' | undefined;
  readonly onEof?: 'finish' | 'abort' | undefined;
}

/** Returns only by leaving the process. */
export async function runRpc(options: RpcOptions, warn: (line: string) => void): Promise<never> {
  const spoken = (settings: SettingValues) => dialectNamed(options.dialect ?? settings.dialect);
  const started = await start(options, warn, async (settings) => (await spoken(settings)).settings ?? {});
  const { agent, ports, settings } = started;
  const dialect = await spoken(settings);
  const transport = createStdioTransport({ lineLimit: settings['rpc.maxLineBytes'] });
  const shutdown = createShutdown(ports, async () => {
    await started.close();
    await transport.flush();
  });
  // Nobody reads any more: there is no point in going on, and no one to tell.
  void transport.broken.then(() => shutdown.leave(0));
  const served = serve({
    transport,
    codec: dialect.codec({ version: version(), stream: options.stream ?? settings['rpc.stream'] }),
    commands: commandsByName,
    hub: agent.hub,
    ports,
    onEof: options.onEof ?? settings['rpc.onEof'],
  });
  void started.introduceProject().catch((thrown: unknown) => warn(messageOf(thrown)));
  await served;
  return shutdown.leave(0);
}

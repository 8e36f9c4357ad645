// The hall: serving one host over stdin and stdout.
import { messageOf } from '../../base/index.ts';
import { commandTable } from '../../commands/table.ts';
import { dialectNamed } from '../../dialects/index.ts';
import { serve } from '../../server/index.ts';
import { createStdioTransport, guardStdout } from '../../transports/index.ts';
import type { SettingValues } from '../settings-table.ts';
import { version } from '../version.ts';
import type { RpcOptions, Served } from './served.ts';
import { createShutdown } from './shutdown.ts';
import { type Prepared, prepare, start } from './start.ts';

/** Returns only by leaving the process. */
export async function runRpc(options: RpcOptions, warn: (line: string) => void): Promise<never> {
  // First of all: extensions begin to load while the agent is put together, before there is a transport.
  guardStdout();
  const spoken = (said: SettingValues) => dialectNamed(options.dialect ?? said.dialect);
  const prepared = await prepare(options, warn, async (settings) => (await spoken(settings)).settings ?? {});
  const { ports, settings } = prepared;
  const dialect = await spoken(settings);
  const served = dialect.manySessions
    ? await (await import('./many.ts')).openMany(options, warn, prepared, dialect.settings)
    : await openOne(options, warn, prepared);
  const transport = createStdioTransport({ lineLimit: settings['rpc.maxLineBytes'] });
  const shutdown = createShutdown(ports, async () => {
    await served.close();
    await transport.flush();
  });
  // Nobody reads any more: there is no point in going on, and no one to tell.
  void transport.broken.then(() => shutdown.leave(0));
  const codec = dialect.codec({ version: version(), stream: options.stream ?? settings['rpc.stream'] });
  const { notice } = served;
  if (notice && codec.event({ type: 'notice', ...notice }) === undefined) warn(notice.message);
  await serve({
    transport,
    codec,
    commands: served.commands,
    hub: served.hub,
    ports,
    onEof: options.onEof ?? settings['rpc.onEof'],
    introduced: introduction(served, ports).catch((thrown: unknown) => warn(messageOf(thrown))),
  });
  return shutdown.leave(0);
}

/** What the host has said already is answered first. */
async function introduction(served: Served, { clock }: Prepared['ports']): Promise<void> {
  await clock.turn();
  await served.introduce();
}

async function openOne(options: RpcOptions, warn: (line: string) => void, prepared: Prepared): Promise<Served> {
  const started = await start(options, warn, prepared);
  const { session, modelNotice } = started.agent;
  return {
    hub: started.agent.hub,
    commands: commandTable,
    notice: modelNotice,
    async introduce() {
      if (modelNotice) session.notify(modelNotice);
      await started.introduceProject();
    },
    close: () => started.close(),
  };
}

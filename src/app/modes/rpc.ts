// RPC mode: serves one host over stdin and stdout.
import { getErrorMessage } from '../../base/index.ts';
import { commandTable } from '../../commands/command-table.ts';
import { loadDialect } from '../../dialects/index.ts';
import { serve } from '../../server/index.ts';
import type { SettingValues } from '../../settings/index.ts';
import { version } from '../../support/version.ts';
import { createStdioTransport, guardStdout } from '../../transports/index.ts';
import type { ServerSetup } from './server-setup.ts';
import { createShutdown } from './shutdown.ts';
import { prepareStart, type StartContext, type StartOptions, startAgent } from './start-agent.ts';

/** Does not return: it exits the process. */
export async function runRpc(options: StartOptions, warn: (line: string) => void): Promise<never> {
  // Must come first: extensions start to load while the agent is created, before there is a transport.
  guardStdout();
  const findDialect = (values: SettingValues) => loadDialect(values.dialect);
  const prepared = await prepareStart(
    options,
    warn,
    async (settings) => (await findDialect(settings)).defaultSettings ?? {},
  );
  const { ports, settings } = prepared;
  const dialect = await findDialect(settings);
  const setup = dialect.isMultiSession
    ? await (await import('./multi-session.ts')).openMultiSession(options, warn, prepared, {
        defaults: dialect.defaultSettings,
      })
    : await openSingleSession(options, warn, prepared);
  const transport = createStdioTransport({ lineLimit: settings['rpc.maxLineBytes'] });
  let closeSocket = async () => {};
  const shutdown = createShutdown(ports, async () => {
    await closeSocket();
    await setup.close();
    await transport.flush();
  });
  // The host has closed its end of stdout. Exit without an error, because no message can be delivered.
  void transport.readerClosed.then(() => shutdown.exit(0));
  const codec = dialect.createCodec({ version: version(), stream: settings['rpc.stream'] });
  const readSchema = async () => (await import('./schema.ts')).readDialectSchema(dialect.name, ports.files);
  const { notice } = setup;
  if (notice && codec.encodeEvent({ type: 'notice', ...notice }) === undefined) warn(notice.message);
  const startupNoticesSent = sendInitialNotices(setup, ports).catch((thrown: unknown) => warn(getErrorMessage(thrown)));
  if (options.socket !== undefined) {
    const { serveSharedRpc } = await import('./shared-rpc.ts');
    const shared = { setup, transport, dialect, settings, ports, readSchema, startupNoticesSent };
    const onListening = (close: () => Promise<void>) => {
      closeSocket = close;
    };
    await serveSharedRpc({ ...shared, socket: options.socket, onListening });
    return shutdown.exit(0);
  }
  await serve({
    ...{ transport, codec, ports, readSchema, startupNoticesSent },
    commands: setup.commands,
    hub: setup.hub,
    onEof: settings['rpc.onEof'],
  });
  return shutdown.exit(0);
}

/** Yields first, so that commands that the host has already sent are answered before the notices. */
async function sendInitialNotices(setup: ServerSetup, { clock }: StartContext['ports']): Promise<void> {
  await clock.yieldToEventLoop();
  await setup.sendInitialNotices();
}

async function openSingleSession(
  options: StartOptions,
  warn: (line: string) => void,
  startContext: StartContext,
): Promise<ServerSetup> {
  const started = await startAgent(options, warn, startContext);
  const { session, modelNotice } = started.agent;
  return {
    hub: started.agent.hub,
    commands: commandTable,
    notice: modelNotice,
    async sendInitialNotices() {
      if (modelNotice) session.notify(modelNotice);
      await started.offerTrust();
    },
    close: () => started.close(),
  };
}

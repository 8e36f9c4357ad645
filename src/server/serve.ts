// First floor, server: the road. Lines in, calls through their lanes, replies and events out. Knows no command by name.
import { asFault, Fault } from '../base/index.ts';
import {
  type CallToken,
  type Clock,
  type Codec,
  type Command,
  check,
  type Disposition,
  type Frame,
  type Ids,
  type Incoming,
  type Log,
  type Reply,
  type SessionHub,
  type Transport,
} from '../contracts/index.ts';
import { createAsks } from './asks.ts';
import { createHostSide } from './host-side.ts';
import { LaneTable } from './lane-table.ts';
import { Outbox } from './outbox.ts';
import { untilTold } from './until-told.ts';

export interface ServeOptions {
  transport: Transport;
  codec: Codec;
  commands: ReadonlyMap<string, Command>;
  hub: SessionHub;
  ports: { clock: Clock; ids: Ids; log: Log };
  /** What to do with accepted work when the host has no more to say. */
  onEof: 'finish' | 'abort';
  /** Resolves when the host has been told what it must know without asking. */
  introduced?: Promise<void>;
}

type Called = Extract<Incoming, { kind: 'call' }>;

interface Call extends Called {
  letGo(): void;
  turn: Promise<void>;
  slow(): void;
}

/** Serves one host until it has no more to say, and leaves when accepted work is done and told. */
export async function serve(options: ServeOptions): Promise<void> {
  const { transport, codec, hub, ports } = options;
  const outbox = new Outbox(transport);
  const asks = createAsks(ports, (request, session) => {
    const frame = codec.ask(request, session);
    void send(frame);
    return frame !== undefined;
  });
  const host = createHostSide(ports.ids, codec, (frame) => void send(frame));
  const lanes = new LaneTable();
  const disconnect = hub.connect((event, session) => send(codec.event(event, session)), asks.of);
  const answer = (token: CallToken, reply: Reply) => send(codec.reply(token, reply));

  void send(codec.greeting());
  for await (const line of untilTold(transport.lines, departure())) {
    const incoming = codec.decode(line);
    if (incoming.kind === 'answer') asks.answer(incoming.id, incoming.answer);
    else if (incoming.kind === 'hosted') host.take(incoming.news);
    else if (incoming.kind === 'refused') refuse(incoming.token, incoming.fault);
    else if (incoming.kind === 'call') dispatch(incoming);
    // A host that asks and asks but reads nothing is not read either.
    if (outbox.isOverfull) await outbox.flush();
  }
  asks.close();
  hub.hostGone?.();
  host.close();
  if (options.onEof === 'abort') await hub.abort();
  await lanes.idle();
  await options.introduced;
  await hub.settled();
  hub.reportNotRun('the program is exiting');
  disconnect();
  await outbox.flush();

  /** Told to leave by somebody inside: what is under way comes to its end first. */
  async function departure(): Promise<void> {
    await hub.leaving;
    await hub.settled();
  }

  /** Without an id a host knows a refusal only by its place among the replies. */
  function refuse(token: CallToken, fault: Fault): void {
    const work = async (_: unknown, turn: Promise<void>) => {
      await turn;
      await answer(token, { moment: 'failed', fault, afterAccepted: false });
    };
    lanes.dispatch(undefined, { lane: 'now', long: false, work });
  }

  function send(frame: Frame | undefined): undefined | Promise<void> {
    if (!frame) return undefined;
    const wait = outbox.push(frame);
    return frame.behind ? send(frame.behind) : wait;
  }

  function dispatch(called: Called): void {
    const { token } = called;
    const command = options.commands.get(called.command);
    if (!command) {
      refuse(token, new Fault('unknown_command', `Unknown command: ${token.name}`));
      return;
    }
    lanes.dispatch(called.session, {
      lane: command.lane,
      long: command.long ?? false,
      work: (accept, turn, slow) => carryOut(command, { ...called, letGo: accept, turn, slow }),
    });
  }

  /** The one place where a failure becomes a reply. */
  async function carryOut(command: Command, { token, params, session, letGo, turn, slow }: Call): Promise<void> {
    let accepted: { disposition: Disposition | undefined } | undefined;
    const accept = (disposition?: Disposition) => {
      if (accepted) return;
      accepted = { disposition };
      void answer(token, { moment: 'accepted', disposition });
      letGo();
    };
    const scope = {
      get session() {
        return hub.session(session);
      },
      get desk() {
        if (hub.desk) return hub.desk;
        throw new Fault('refused', `${command.name} needs a dialect with many sessions`);
      },
      get logins() {
        if (hub.logins) return hub.logins;
        throw new Fault('refused', `${command.name} needs a dialect with one session`);
      },
      id: token.id as string | number | undefined,
      host,
      accept,
      notRun: (fault: Fault) => void answer(token, { moment: 'failed', fault, afterAccepted: true }),
      slow,
    };
    try {
      const checked = check(command.params, params);
      const result = await command.run(checked, scope);
      if (command.lane === 'run') accept();
      await turn;
      await answer(token, { moment: 'settled', result, disposition: accepted?.disposition });
    } catch (thrown) {
      const fault = asFault(thrown);
      if (fault.code === 'internal') ports.log('command failed', { command: command.name, error: fault.message });
      await turn;
      await answer(token, { moment: 'failed', fault, afterAccepted: accepted !== undefined });
    }
  }
}

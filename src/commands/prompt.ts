// Commands that send user messages and stop runs.
import { array, type InferOutput, object, optional, picklist, string } from 'valibot';
import { type CallContext, command, type Disposition, type RunRequest } from '../contracts/index.ts';
import { attachment, incomingImage } from '../protocol/index.ts';

const inputParams = {
  message: string(),
  images: optional(array(incomingImage)),
  attachments: optional(array(attachment)),
};

/** What happened to the message: it started a run, it is queued, or an extension handled it. */
const messageResult = object({ disposition: picklist(['started', 'queued', 'handled']) });

export const prompt = command({
  name: 'prompt',
  doc: 'Send a user message. Answered as soon as the message is on disk; the work follows as events and ends with agent_end. In the omp dialect, `prompt_result` reports how it ended, once per accepted prompt. During a run, `streamingBehavior` selects how to queue the message; without it the prompt is refused. A prompt sent after the last `agent_end`, while the session compacts, waits and runs. Messages that are still queued after an aborted run, or from before the session was opened, are run before it. A queued prompt that is not run before the program exits gets a later failure with the same id.',
  lane: 'run',
  params: object({ ...inputParams, streamingBehavior: optional(picklist(['steer', 'followUp'])) }),
  examples: [
    { message: 'List the files here' },
    { message: 'And the hidden ones', streamingBehavior: 'followUp' },
    { message: 'What is this?', images: [{ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }] },
  ],
  result: messageResult,
  run: (params, call) =>
    submit(call, (callbacks) =>
      call.session.runs.prompt({
        ...{ ...params, ...callbacks },
        onOutcome: call.reportOutcome,
        onDelayed: call.markSlow,
      }),
    ),
});

export const steer = command({
  name: 'steer',
  doc: 'Queue a message that interrupts the run: it is sent to the model at the next point that the interrupt mode allows. Without a run it waits for the next prompt.',
  lane: 'ordered',
  params: object(inputParams),
  examples: [{ message: 'Use tabs, please' }],
  result: messageResult,
  run: (params, call) => submit(call, (callbacks) => call.session.runs.steer({ ...params, ...callbacks })),
});

export const followUp = command({
  name: 'follow_up',
  doc: 'Queue a message that is sent when the run would otherwise end, also after an error. Without a run it waits for the next run.',
  lane: 'ordered',
  params: object(inputParams),
  examples: [{ message: 'Then run the tests' }],
  result: messageResult,
  run: (params, call) => submit(call, (callbacks) => call.session.runs.followUp({ ...params, ...callbacks })),
});

export const abort = command({
  name: 'abort',
  doc: 'Stop the current run. Answered after its agent_end; at once when nothing runs. Queued messages stay queued: they are run before the next prompt.',
  lane: 'now',
  long: true,
  params: object({}),
  run(_, { session, accept }) {
    accept(session.runs.isSettled ? 'nothing_to_do' : 'started');
    return session.runs.abort();
  },
});

export const abortAndPrompt = command({
  name: 'abort_and_prompt',
  doc: 'Stop the current run and start another. Answered between the old run’s agent_end and the new run’s agent_start.',
  lane: 'run',
  params: object(inputParams),
  examples: [{ message: 'Stop. Do this instead' }],
  result: messageResult,
  run: (params, call) =>
    submit(call, (callbacks) =>
      call.session.runs.abortAndPrompt({
        ...{ ...params, ...callbacks },
        onOutcome: call.reportOutcome,
        onDelayed: call.markSlow,
      }),
    ),
});

type SubmitCallbacks = Required<Pick<RunRequest, 'onAccepted' | 'onNotRun'>>;

/** Sends a message to the session. Resolves with what happened to it. */
async function submit(
  { accept, reportNotRun }: CallContext,
  send: (callbacks: SubmitCallbacks) => Promise<void>,
): Promise<InferOutput<typeof messageResult>> {
  let result: Disposition = 'started';
  await send({
    onAccepted(disposition) {
      result = disposition;
      accept(disposition);
    },
    onNotRun: reportNotRun,
  });
  return { disposition: result };
}

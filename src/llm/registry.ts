// First floor, llm: which models there are and how each is reached. The road from a request to the API that answers it.
import { Fault, messageOf } from '../base/index.ts';
import type { Clock, ModelApi, ModelRequest, Models } from '../contracts/index.ts';
import type { AssistantMessage, AssistantMessageEvent, Model } from '../protocol/index.ts';
import type { ApiLoader } from './apis.ts';
import { ABORTED_MESSAGE, failMessage, MessageBuilder } from './message-builder.ts';
import { OFFLINE_API } from './offline/model.ts';
import { selectModel, type WantedModel } from './selection.ts';

export interface ModelsOptions {
  apis: Readonly<Record<string, ApiLoader>>;
  catalogue: readonly Model[];
  wanted: WantedModel;
  clock: Pick<Clock, 'now'>;
}

export function createModels({ apis, catalogue, wanted, clock }: ModelsOptions): Models {
  const load = lazily(apis);
  return {
    async initial() {
      if (wanted.provider || wanted.model) return selectModel(catalogue, wanted);
      return catalogue.find((model) => model.api === OFFLINE_API) ?? null;
    },
    async find(provider, modelId) {
      return catalogue.find((model) => model.provider === provider && model.id === modelId);
    },
    async available() {
      return catalogue.filter((model) => Object.hasOwn(apis, model.api));
    },
    scope: async () => undefined,
    async ready(model) {
      if (!Object.hasOwn(apis, model.api)) throw unknownApi(model);
    },
    stream: (request) => guarded(request, load, clock),
  };
}

/** Each API is made once. A failed load is tried again with the next request. */
function lazily(apis: Readonly<Record<string, ApiLoader>>): (model: Model) => Promise<ModelApi> {
  const loaded = new Map<string, Promise<ModelApi>>();
  return async (model) => {
    const known = loaded.get(model.api);
    if (known) return known;
    const loader = Object.hasOwn(apis, model.api) ? apis[model.api] : undefined;
    if (!loader) throw unknownApi(model);
    const loading = loader();
    loaded.set(model.api, loading);
    loading.catch(() => loaded.delete(model.api));
    return loading;
  };
}

function unknownApi(model: Model): Fault {
  return new Fault(
    'no_model',
    `The model ${model.provider}/${model.id} is reached by "${model.api}", a format this version does not speak`,
  );
}

/** Keeps the promise of the contract for every API: `start` first, one end, nothing thrown. */
async function* guarded(
  request: ModelRequest,
  load: (model: Model) => Promise<ModelApi>,
  clock: Pick<Clock, 'now'>,
): AsyncGenerator<AssistantMessageEvent> {
  let partial: AssistantMessage | undefined;
  let reason = 'The model stream ended without a final message';
  try {
    const api = await load(request.model);
    for await (const event of api.stream(request)) {
      if (event.type !== 'done' && event.type !== 'error') partial = event.partial;
      yield event;
      if (event.type === 'done' || event.type === 'error') return;
    }
  } catch (thrown) {
    reason = messageOf(thrown);
  }
  if (!partial) {
    const blank = new MessageBuilder(request.model, clock.now());
    partial = blank.message;
    yield blank.start();
  }
  const aborted = request.signal.aborted;
  yield failMessage(partial, aborted ? 'aborted' : 'error', aborted ? ABORTED_MESSAGE : reason);
}

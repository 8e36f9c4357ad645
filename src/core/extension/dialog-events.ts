// Emits `ui_prompt_start` and `ui_prompt_end` around the dialogs of extensions. Dialogs that overlap count as one.
import type { UiQuestion } from '../../contracts/index.ts';
import type { HandlerRunner } from './handler-runner.ts';

/** Nothing waits for the handlers, because a handler must not delay a dialog. They are called in the order of the events. */
export function createDialogEvents(runner: HandlerRunner): (question: UiQuestion) => () => void {
  let openDialogs = 0;
  let delivery: Promise<void> = Promise.resolve();
  const emit = (type: string, { method: kind, title }: UiQuestion) => {
    if (!runner.hasHandler(type)) return;
    delivery = delivery.then(() => runner.emit({ type, reason: 'ui_prompt', kind, title } as { type: string }));
  };
  let first: UiQuestion | undefined;
  return (question) => {
    if (openDialogs++ === 0) {
      first = question;
      emit('ui_prompt_start', question);
    }
    return () => {
      if (--openDialogs === 0 && first) emit('ui_prompt_end', first);
    };
  };
}

// The todo list of a session.
import type { SessionStore } from '../app/session-store.ts';
import { TodoLines } from '../conversation/call-card.tsx';
import { countTodos } from '../store/todo-list.ts';

export function TodoPanel({ store }: { readonly store: SessionStore }) {
  const phases = store.view.value.state?.todoPhases ?? [];
  const { done, total } = countTodos(phases);
  if (total === 0) return <p class="quiet">The todo list is empty.</p>;
  return (
    <div class="todos">
      <p class="panel-note">
        {done} of {total} done
      </p>
      <progress class="progress" max={total} value={done} aria-label="Finished todo items" />
      {phases.map(({ name, tasks }) => (
        <section key={name}>
          {phases.length > 1 || name !== 'Tasks' ? <h3>{name}</h3> : null}
          <TodoLines todos={tasks} />
        </section>
      ))}
    </div>
  );
}

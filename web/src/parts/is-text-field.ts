// Whether keys that are pressed in an element edit its text or choose a value.
export function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches('input, textarea, select') || target.isContentEditable);
}

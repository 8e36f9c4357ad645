// A short text in which the parts between backticks are code.

export function InlineCode({ text }: { readonly text: string }) {
  const parts = text.split('`');
  // An odd number of backticks: the text is shown as it is.
  if (parts.length % 2 === 0) return <>{text}</>;
  return <>{parts.map((part, at) => (at % 2 === 1 ? <code key={`${at} ${part}`}>{part}</code> : part))}</>;
}

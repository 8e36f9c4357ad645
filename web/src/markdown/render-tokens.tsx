// Draws the tokens of markdown as elements. HTML in the text is shown as text: nothing that a model writes is parsed as HTML.
import type { Token, Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { CodeBlock } from './code-block.tsx';
import { decodeEntities } from './decode-entities.ts';
import { toSafeImage, toSafeLink } from './safe-link.ts';

/** Deeper parts are shown as plain text. */
const MAX_DEPTH = 24;

interface BlockOptions {
  readonly isContinuation?: boolean;
  readonly isOpen?: boolean;
}

/** The elements of blocks that are complete. The same element is not compared again when the text after it grows. */
const elements = new WeakMap<Token, ComponentChildren>();

/** The blocks of a chunk. The last one may be `isOpen`: it can still change. */
export function renderChunk(tokens: readonly Token[], options: BlockOptions): ComponentChildren[] {
  return tokens.map((token, at) => {
    const isContinuation = options.isContinuation === true && at === 0;
    if (options.isOpen === true && at === tokens.length - 1) {
      return renderBlock(token, at, 0, { isContinuation, isOpen: true });
    }
    const known = elements.get(token);
    if (known !== undefined) return known;
    const element = renderBlock(token, at, 0, { isContinuation });
    elements.set(token, element);
    return element;
  });
}

function renderBlocks(tokens: readonly Token[], depth: number): ComponentChildren[] {
  if (depth > MAX_DEPTH) return [tokens.map(({ raw }) => raw).join('')];
  return tokens.map((token, at) => renderBlock(token, at, depth, {}));
}

function renderBlock(token: Token, key: number, depth: number, options: BlockOptions): ComponentChildren {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return null;
    case 'heading':
      return renderHeading(token as Tokens.Heading, key, depth);
    case 'paragraph':
      return (
        <p key={key} dir="auto" class={options.isContinuation ? 'continued' : ''}>
          {renderInline(token.tokens ?? [], depth + 1)}
        </p>
      );
    case 'code':
      return renderCode(token as Tokens.Code, key, options);
    case 'blockquote':
      return (
        <blockquote key={key} dir={findDirection(token.raw)}>
          {renderBlocks(token.tokens ?? [], depth + 1)}
        </blockquote>
      );
    case 'list':
      return renderList(token as Tokens.List, key, depth);
    case 'table':
      return renderTable(token as Tokens.Table, key, depth, options.isContinuation === true);
    case 'hr':
      return <hr key={key} />;
    case 'html':
      return <p key={key}>{token.raw.trim()}</p>;
    default:
      return (
        <p key={key} dir="auto">
          {renderText(token, depth)}
        </p>
      );
  }
}

/** The page has its own first and second level. */
const HEADINGS = ['h3', 'h4', 'h5', 'h6'] as const;

function renderHeading({ depth: level, tokens }: Tokens.Heading, key: number, depth: number): ComponentChildren {
  const Heading = HEADINGS[level - 1] ?? 'h6';
  return (
    <Heading key={key} dir="auto">
      {renderInline(tokens, depth + 1)}
    </Heading>
  );
}

function renderCode({ text, lang = '' }: Tokens.Code, key: number, options: BlockOptions): ComponentChildren {
  // The rest of a divided block is empty when only its closing fence was left.
  if (options.isContinuation && text === '') return null;
  const [language = ''] = lang.split(/\s/, 1);
  return (
    <CodeBlock
      key={key}
      code={text}
      language={language}
      isContinuation={options.isContinuation === true}
      isOpen={options.isOpen === true}
    />
  );
}

const FIRST_LETTER = /\p{L}/u;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** For blocks with blocks inside: `dir="auto"` does not look into elements that have a direction of their own. */
function findDirection(text: string): 'ltr' | 'rtl' {
  const [letter = ''] = FIRST_LETTER.exec(text) ?? [];
  return RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr';
}

function renderList({ ordered, start, items, raw }: Tokens.List, key: number, depth: number): ComponentChildren {
  const direction = findDirection(raw);
  const children = items.map((item, at) => (
    <li key={at} class={item.task ? 'task' : ''}>
      {item.task ? (
        <span class="checkbox" role="img" aria-label={item.checked ? 'done' : 'not done'}>
          {item.checked ? '✓' : ''}
        </span>
      ) : null}
      {renderItem(item, depth)}
    </li>
  ));
  return ordered ? (
    <ol key={key} dir={direction} start={typeof start === 'number' ? start : 1}>
      {children}
    </ol>
  ) : (
    <ul key={key} dir={direction}>
      {children}
    </ul>
  );
}

/** The text of a tight item is not a paragraph. */
function renderItem(item: Tokens.ListItem, depth: number): ComponentChildren {
  if (item.loose) return renderBlocks(item.tokens, depth + 1);
  return item.tokens.map((token, at) =>
    token.type === 'text'
      ? renderInline((token as Tokens.Text).tokens ?? [token], depth + 2)
      : renderBlock(token, at, depth + 1, {}),
  );
}

function renderTable({ header, rows, align, raw }: Tokens.Table, key: number, depth: number, isContinuation: boolean) {
  const className = (at: number) => (align[at] ? `align-${align[at]}` : '');
  return (
    <div
      key={key}
      dir={findDirection(raw)}
      class={`table-box ${isContinuation ? 'continued' : ''}`}
      tabIndex={0}
      role="group"
      aria-label="Table"
    >
      <table>
        {isContinuation ? null : (
          <thead>
            <tr>
              {header.map((cell, at) => (
                <th key={at} dir="auto" class={className(at)}>
                  {renderInline(cell.tokens, depth + 1)}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} dir="auto" class={className(column)}>
                  {renderInline(cell.tokens, depth + 1)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function getTokens(token: Token): readonly Token[] | undefined {
  return 'tokens' in token ? token.tokens : undefined;
}

function renderText(token: Token, depth: number): ComponentChildren {
  const tokens = getTokens(token);
  return tokens ? renderInline(tokens, depth + 1) : decodeEntities(token.raw);
}

function renderInline(tokens: readonly Token[], depth: number): ComponentChildren[] {
  if (depth > MAX_DEPTH) return [tokens.map(({ raw }) => raw).join('')];
  return tokens.map((token, at) => renderInlineToken(token, at, depth));
}

function renderInlineToken(token: Token, key: number, depth: number): ComponentChildren {
  const children = () => renderInline(getTokens(token) ?? [], depth + 1);
  switch (token.type) {
    case 'strong':
      return <strong key={key}>{children()}</strong>;
    case 'em':
      return <em key={key}>{children()}</em>;
    case 'del':
      return <del key={key}>{children()}</del>;
    case 'codespan':
      return <code key={key}>{(token as Tokens.Codespan).text}</code>;
    case 'br':
      return <br key={key} />;
    case 'link':
      return renderLink(token as Tokens.Link, key, children());
    case 'image':
      return renderImage(token as Tokens.Image, key);
    case 'checkbox':
      return null;
    case 'escape':
      return (token as Tokens.Escape).text;
    case 'text':
      return renderText(token, depth);
    default:
      return token.raw;
  }
}

function renderLink({ href, title }: Tokens.Link, key: number, children: ComponentChildren[]): ComponentChildren {
  const address = toSafeLink(decodeEntities(href));
  if (!address) return <span key={key}>{children}</span>;
  return (
    <a key={key} href={address} title={title ?? undefined} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** Pictures of other servers are not loaded; they are links. */
function renderImage({ href, text }: Tokens.Image, key: number): ComponentChildren {
  const picture = toSafeImage(href);
  if (picture) return <img key={key} class="picture" src={picture} alt={text} />;
  const address = toSafeLink(href);
  if (!address) return <span key={key}>{text}</span>;
  return (
    <a key={key} href={address} target="_blank" rel="noopener noreferrer">
      {text || address}
    </a>
  );
}

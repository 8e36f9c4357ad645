// Reads the names that chromium computes for assistive technologies.
import type { Page } from 'playwright-core';

interface AccessibilityNode {
  readonly ignored: boolean;
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
  readonly backendDOMNodeId?: number;
}

/** Roles that are useless without a name. */
const NAMED_ROLES: readonly string[] = [
  ...['button', 'link', 'textbox', 'searchbox', 'combobox', 'checkbox', 'radio', 'option', 'menuitem', 'tab'],
  ...['image', 'img', 'dialog', 'alertdialog', 'complementary', 'navigation', 'log', 'progressbar'],
];

/** Elements that need a name and have none. */
export async function findNameless(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  try {
    const { nodes } = (await session.send('Accessibility.getFullAXTree')) as { nodes: readonly AccessibilityNode[] };
    const found: string[] = [];
    for (const { ignored, role, name, backendDOMNodeId } of nodes) {
      if (ignored || !NAMED_ROLES.includes(role?.value ?? '') || name?.value.trim()) continue;
      found.push(`${role?.value}: ${await describe(backendDOMNodeId)}`);
    }
    return found;
  } finally {
    await session.detach();
  }

  async function describe(backendNodeId: number | undefined): Promise<string> {
    if (backendNodeId === undefined) return '?';
    const { outerHTML } = (await session.send('DOM.getOuterHTML', { backendNodeId })) as { outerHTML: string };
    return outerHTML.slice(0, 160);
  }
}

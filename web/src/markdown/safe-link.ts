// Decides which addresses of a text may become links or pictures. Pure.

const LINK_SCHEMES: readonly string[] = ['http:', 'https:', 'mailto:'];
/** SVG is left out: it can contain script, although browsers do not run it in pictures. */
const IMAGE_DATA = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp);base64,[A-Za-z\d+/=\s]*$/;

/** The address, or `undefined` if it may not become a link. Relative addresses may not. */
export function toSafeLink(address: string): string | undefined {
  try {
    const url = new URL(address);
    return LINK_SCHEMES.includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

export function toSafeImage(address: string): string | undefined {
  return IMAGE_DATA.test(address) ? address : undefined;
}

/** Largest width and height in pixels: a small file can expand to gigabytes in the viewer's memory. */
const maxPixels = 4096
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const pngHeaderBytes = 24

/** The reason why these bytes can't be shown as an image of this type, or undefined if they can. */
export function whyNotImage(mediaType: 'image/png' | 'image/svg+xml', bytes: Buffer): string | undefined {
  return mediaType === 'image/png' ? whyNotPng(bytes) : whyNotSvg(bytes)
}

/** Checks the signature and the first chunk (PNG, section 11.2.1): IHDR starts with width and height. */
function whyNotPng(bytes: Buffer): string | undefined {
  if (bytes.length < pngHeaderBytes || !bytes.subarray(0, 8).equals(pngSignature)) return 'Not a PNG file.'
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return 'Not a PNG file.'
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  if (width === 0 || height === 0 || width > maxPixels || height > maxPixels)
    return `A logo can have at most ${maxPixels} by ${maxPixels} pixels.`
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Accepts only plain drawings. Served images are sandboxed as well (branding-image.ts), so this rejects content that
 * would not be shown or would overload the viewer: scripts, foreign content, entities.
 */
function whyNotSvg(bytes: Buffer): string | undefined {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return 'Not an SVG file: it is not UTF-8 text.'
  }
  if (!/^\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--[\s\S]*?-->\s*)*<svg[\s>]/.test(text)) return 'Not an SVG file.'
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) return 'The SVG file has a document type declaration. Remove the declaration.'
  if (/<(?:[\w-]+:)?(?:script|foreignObject|iframe|handler)[\s/>]/i.test(text) || /\son[a-z]+\s*=/i.test(text))
    return 'The SVG file contains scripts or foreign content. Remove them.'
}

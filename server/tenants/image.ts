/** Largest width and height in pixels: a small file can unfold to gigabytes in the viewer's memory. */
const maxPixels = 4096
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const pngHeaderBytes = 24

/** Why these bytes can't be shown as an image of this type, or undefined when they can. */
export function whyNotImage(mediaType: 'image/png' | 'image/svg+xml', bytes: Buffer): string | undefined {
  return mediaType === 'image/png' ? whyNotPng(bytes) : whyNotSvg(bytes)
}

/** Signature and first chunk (PNG, section 11.2.1): IHDR begins with width and height. */
function whyNotPng(bytes: Buffer): string | undefined {
  if (bytes.length < pngHeaderBytes || !bytes.subarray(0, 8).equals(pngSignature)) return 'This is not a PNG file.'
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return 'This is not a PNG file.'
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  if (width === 0 || height === 0 || width > maxPixels || height > maxPixels)
    return `A logo is at most ${maxPixels} by ${maxPixels} pixels.`
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * A drawing and nothing else. What is served is sandboxed besides (branding-image.ts), so this keeps out what would not be
 * shown or would make the viewer work without end: scripts, foreign content, entities.
 */
function whyNotSvg(bytes: Buffer): string | undefined {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return 'An SVG file is UTF-8 text.'
  }
  if (!/^\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--[\s\S]*?-->\s*)*<svg[\s>]/.test(text)) return 'This is not an SVG file.'
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) return 'The SVG file declares a document type. Save it without one.'
  if (/<(?:[\w-]+:)?(?:script|foreignObject|iframe|handler)[\s/>]/i.test(text) || /\son[a-z]+\s*=/i.test(text))
    return 'The SVG file holds scripts or foreign content.'
}

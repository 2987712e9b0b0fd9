import { maxImageBytes } from '#lib/rules/branding.ts'

/** An image that was chosen and not sent yet. */
export type ChosenImage = { mediaType: 'image/png' | 'image/svg+xml'; data: string }

/** The file as the API takes it, or why it can't be taken. The server looks into it again. */
export async function readImage(file: File): Promise<ChosenImage | string> {
  const { type, size } = file
  if (type !== 'image/png' && type !== 'image/svg+xml') return 'A logo is a PNG or an SVG file.'
  if (size > maxImageBytes) return `A logo has at most ${maxImageBytes / 1024} KiB.`
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return { mediaType: type, data: btoa(text) }
}

export const dataUrl = ({ mediaType, data }: ChosenImage): string => `data:${mediaType};base64,${data}`

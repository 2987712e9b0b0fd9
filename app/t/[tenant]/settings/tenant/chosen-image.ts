import * as t from '#components/texts/settings-tenant/en.ts'
import { maxImageBytes } from '#lib/rules/branding.ts'

/** A chosen image that has not been sent yet. */
export type ChosenImage = { mediaType: 'image/png' | 'image/svg+xml'; data: string }

/** Returns the file as the API expects it, or why it is refused. The server checks its content. */
export async function readImage(file: File): Promise<ChosenImage | string> {
  const { type, size } = file
  if (type !== 'image/png' && type !== 'image/svg+xml') return t.choosePngOrSvg
  if (size > maxImageBytes) return t.logoTooLarge({ limit: String(maxImageBytes / 1024) })
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return { mediaType: type, data: btoa(text) }
}

export const dataUrl = ({ mediaType, data }: ChosenImage): string => `data:${mediaType};base64,${data}`

import * as t from '#components/texts/settings-tenant/en.ts'
import { maxImageBytes } from '#lib/rules/branding.ts'

/** A chosen image that has not been sent yet. */
export type ChosenImage = { mediaType: 'image/png' | 'image/svg+xml'; data: string }

/** Returns the file as the API expects it, or why it is refused. The server checks what an image contains. */
export async function readImage(file: File): Promise<ChosenImage | string> {
  const { type, size } = file
  if (type !== 'image/png' && type !== 'image/svg+xml') return t.choosePngOrSvg
  if (size > maxImageBytes) return t.logoTooLarge({ limit: String(maxImageBytes / 1024) })
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  const image: ChosenImage = { mediaType: type, data: btoa(text) }
  return (await canBeShown(image)) ? image : t.imageCantBeShown
}

export const dataUrl = ({ mediaType, data }: ChosenImage): string => `data:${mediaType};base64,${data}`

async function canBeShown(image: ChosenImage): Promise<boolean> {
  const picture = new Image()
  picture.src = dataUrl(image)
  try {
    await picture.decode()
    return true
  } catch (error) {
    if (error instanceof DOMException && error.name === 'EncodingError') return false
    throw error
  }
}

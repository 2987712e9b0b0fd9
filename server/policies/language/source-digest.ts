import { createHash } from 'node:crypto'

/** `sha256:` of the text's UTF-8 bytes. */
export const sourceDigest = (source: string): string => `sha256:${createHash('sha256').update(source).digest('hex')}`

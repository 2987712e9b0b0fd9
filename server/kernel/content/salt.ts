import { fewRandomBytes } from '#server/kernel/keys/random.ts'

/** 128 random bits, which go into a digest beside the value: without them a short value could be guessed from it. */
export const newSalt = (): string => fewRandomBytes(16).toString('base64url')

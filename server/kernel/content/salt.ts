import { fewRandomBytes } from '#server/kernel/keys/random.ts'

/** 128 random bits that are hashed along with a value, so that a short value can't be guessed from the digest. */
export const newSalt = (): string => fewRandomBytes(16).toString('base64url')

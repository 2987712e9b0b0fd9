import { credentialDigest, credentialFormat } from './credential-format.ts'

const format = credentialFormat('cs_')

/** A new key: `cs_`, 256 random bits, and a checksum. */
export const newApiKey = format.create

/** Whether `text` has the form of an API key, including its checksum. */
export const isApiKey = format.matches

/** The stored form of a key. */
export const apiKeyDigest = credentialDigest

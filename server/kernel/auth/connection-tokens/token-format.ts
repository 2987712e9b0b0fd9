import { credentialDigest, credentialFormat } from '../credential-format.ts'

const format = credentialFormat('cst_')

/** A new connection token: `cst_`, 256 random bits, and a checksum. */
export const newConnectionToken = format.create

/** Whether `text` has the form of a connection token, including its checksum. */
export const isConnectionToken = format.matches

/** The stored form of a token. */
export const connectionTokenDigest = credentialDigest

/** The credentials of a header `Authorization: Bearer cst_…`, whatever follows the prefix; undefined for anything else. */
export const connectionTokenIn = (authorization: string | undefined): string | undefined =>
  /^bearer +(cst_[^\s]*)$/i.exec(authorization ?? '')?.[1]

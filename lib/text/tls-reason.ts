/**
 * What went wrong with TLS, in words: OpenSSL's own message names its source files. Undefined for another error, certificates included,
 * whose messages are words.
 */
export function tlsReason(error: Error): string | undefined {
  const code = codeOf(error)
  if (!code.startsWith('ERR_SSL_') || !('reason' in error)) return undefined
  return withoutTls.has(code) ? 'it does not speak TLS' : `TLS failed: ${error.reason}`
}

/** How OpenSSL calls an answer in plain text, by what it begins with. */
const withoutTls = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'ERR_SSL_HTTP_REQUEST'])

/** What is wrong with a server's certificate; undefined for another error. */
export function certificateFlaw(error: unknown): 'untrusted' | 'expired' | 'not yet valid' | 'other name' | undefined {
  const code = codeOf(error)
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH') return 'other name'
  if (code === 'CERT_HAS_EXPIRED') return 'expired'
  if (code === 'CERT_NOT_YET_VALID') return 'not yet valid'
  return untrusted.test(code) ? 'untrusted' : undefined
}

/** Names of X509_V_ERR_* (https://nodejs.org/api/tls.html#x509-certificate-error-codes). */
const untrusted =
  /^(UNABLE_TO_(GET_ISSUER_CERT(_LOCALLY)?|VERIFY_LEAF_SIGNATURE)|(DEPTH_ZERO_)?SELF_SIGNED_CERT(_IN_CHAIN)?|CERT_(UNTRUSTED|REJECTED|REVOKED|SIGNATURE_FAILURE|CHAIN_TOO_LONG)|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED)$/

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

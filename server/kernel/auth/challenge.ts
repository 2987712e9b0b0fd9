import { ApiError } from '#lib/errors.ts'

/** Algorithms for proofs of possession: those of the product's identity provider. */
export const proofAlgorithms = ['ES256', 'Ed25519', 'EdDSA'] as const

/** RFC 6750, section 3.1, and RFC 9449, section 7.1. */
type Problem = { scheme: 'Bearer' | 'DPoP'; error: 'invalid_token' | 'invalid_dpop_proof' }

/** A credential that was refused. The message is the same for every caller; the cause is for the log. */
export class CredentialRefused extends ApiError {
  readonly problem: Problem
  constructor(problem: Problem, message: string, reason: string) {
    super('unauthorized', message, { cause: new Error(reason) })
    this.problem = problem
  }
}

/**
 * The value of WWW-Authenticate for a 401: both schemes, with the error under the scheme that was used. `metadata`: the address
 * at which a client learns how to get a token (RFC 9728, section 5.1).
 */
export function challengeFor(error: unknown, metadata?: string): string {
  const problem = error instanceof CredentialRefused ? error.problem : undefined
  const challenge = (scheme: Problem['scheme'], ...parameters: string[]) =>
    `${scheme} ${['realm="countersign"', ...(problem?.scheme === scheme ? [`error="${problem.error}"`] : []), ...parameters].join(', ')}`
  const found = metadata === undefined ? [] : [`resource_metadata="${metadata}"`]
  return [challenge('Bearer', ...found), challenge('DPoP', `algs="${proofAlgorithms.join(' ')}"`)].join(', ')
}
